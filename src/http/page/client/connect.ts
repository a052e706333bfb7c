import { create, find } from './dom.ts'
import type { NativeProvider } from './nativeSending.ts'
import { rpc } from './pageRpc.ts'
import { sentLink, showOutcome } from './sent.ts'
import { findWallets, nativeSending } from './wallets.ts'

/** Runs the wallet buttons and, on the development chain, the controls. */
export function startConnect(): void {
  const wallets = document.querySelector<HTMLElement>('#wallets')
  if (wallets) offerWallets(wallets)
  const transfer = document.querySelector<HTMLFormElement>('#native-transfer')
  if (transfer) startTransfer(transfer)
  const status = document.querySelector<HTMLElement>('#control-answer')
  if (status) startControls(status)
}

function offerWallets(wallets: HTMLElement): void {
  const chain = JSON.parse(wallets.dataset['chain'] ?? '{}') as unknown
  const status = document.querySelector('#wallet-answer')
  const native = document.querySelector<HTMLElement>('#native-wallets')
  findWallets((wallet) => {
    const { name } = wallet.info
    if (wallet.native) {
      if (native) offerNative(native, name, wallet.native)
      return
    }
    const button = create('button', { type: 'button' }, `Add to ${name}`)
    button.addEventListener('click', () => {
      wallet.provider.request({ method: 'wallet_addEthereumChain', params: [chain] }).then(
        () => show(status, `${name} now uses this chain.`),
        (error: unknown) => show(status, (error as Error).message),
      )
    })
    addButton(wallets, button)
  })
}

/** Adds a button. The first one replaces what is said while there is none. */
function addButton(place: HTMLElement, button: HTMLElement): void {
  if (!place.querySelector('button')) place.replaceChildren()
  place.append(button)
}

/** The wallet of this chain that is connected. */
let connected: NativeProvider | undefined

/** Connects a wallet of this chain. Then coins can be sent with it. */
function offerNative(place: HTMLElement, name: string, wallet: NativeProvider): void {
  const button = create('button', { type: 'button' }, `Connect ${name}`)
  button.addEventListener('click', () => void showOutcome(connect(), find('#native-answer')))
  addButton(place, button)

  async function connect(): Promise<Node> {
    const { coinsOf, connectNative } = await nativeSending()
    const account = await connectNative(wallet)
    connected = wallet
    find('#native-transfer').hidden = false
    const link = create('a', { href: `/address/${account}` }, account)
    return create('span', {}, `${name} is connected: `, link, `, ${await coinsOf(account)}`)
  }
}

function startTransfer(form: HTMLFormElement): void {
  const output = find('#native-answer')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (connected) void showOutcome(transfer(connected), output)
  })

  async function transfer(wallet: NativeProvider): Promise<Node> {
    const { sendNative, toEthereum, toSun } = await nativeSending()
    let words = ''
    const wanted = { to: toEthereum(field(form, 'to')), value: toSun(field(form, 'coins')) }
    const hash = await sendNative(wallet, wanted, (text) => {
      words = text
      output.textContent = `${words} …`
    })
    return sentLink(words, hash, output)
  }
}

function startControls(status: HTMLElement): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-control]'))
    button.addEventListener('click', () =>
      run(
        status,
        button.dataset['control'] ?? '',
        JSON.parse(button.dataset['params'] ?? '[]') as unknown[],
      ),
    )
  for (const form of document.querySelectorAll<HTMLFormElement>('[data-control-form]'))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const value = field(form, 'value')
      run(status, form.dataset['controlForm'] ?? '', [
        value.startsWith('0x') ? value : Number(value),
      ])
    })
  const faucet = document.querySelector<HTMLFormElement>('#faucet')
  faucet?.addEventListener('submit', (event) => {
    event.preventDefault()
    void addCoins(status, field(faucet, 'address'), field(faucet, 'coins'))
  })
}

async function addCoins(status: HTMLElement, address: string, coins: string): Promise<void> {
  if (!/^\d{1,12}$/.test(coins)) return show(status, 'Coins: expected a whole number.')
  const { error, result } = await rpc('eth_getBalance', [address, 'latest'])
  if (error) return show(status, error.message)
  const decimals = Number(document.body.dataset['decimals'])
  const balance = BigInt(result as string) + BigInt(coins) * 10n ** BigInt(decimals)
  run(status, 'anvil_setBalance', [address, `0x${balance.toString(16)}`])
}

function run(status: HTMLElement, method: string, params: unknown[]): void {
  rpc(method, params).then(
    ({ error, result }) =>
      show(status, error ? `${method}: ${error.message}` : `${method}: ${JSON.stringify(result)}`),
    () => show(status, 'The gateway is unreachable.'),
  )
}

function field(form: HTMLFormElement, name: string): string {
  return form.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value.trim() ?? ''
}

function show(element: Element | null, text: string): void {
  if (element) element.textContent = text
}
