import { create } from './dom.ts'
import { rpc } from './rpc.ts'
import { findWallets } from './wallets.ts'

/** Runs the wallet buttons and, on the development chain, the controls. */
export function startConnect(): void {
  const wallets = document.querySelector<HTMLElement>('#wallets')
  if (wallets) offerWallets(wallets)
  const status = document.querySelector<HTMLElement>('#control-answer')
  if (status) startControls(status)
}

function offerWallets(wallets: HTMLElement): void {
  const chain = JSON.parse(wallets.dataset['chain'] ?? '{}') as unknown
  const status = document.querySelector('#wallet-answer')
  let isFirst = true
  findWallets((wallet) => {
    const { name } = wallet.info
    const button = create('button', { type: 'button' }, `Add to ${name}`)
    button.addEventListener('click', () => {
      wallet.provider.request({ method: 'wallet_addEthereumChain', params: [chain] }).then(
        () => show(status, `${name} now uses this chain.`),
        (error: unknown) => show(status, (error as Error).message),
      )
    })
    if (isFirst) wallets.replaceChildren()
    isFirst = false
    wallets.append(button)
  })
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
