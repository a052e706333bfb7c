import { rpc } from './rpc.ts'

/** A wallet announced by EIP-6963. */
type Announcement = {
  info: { name: string; uuid: string }
  provider: { request(call: { method: string; params: unknown[] }): Promise<unknown> }
}

const SUN_PER_COIN = 1_000_000n

/** Runs the wallet buttons and, on the dev chain, the controls. */
export function startConnect(): void {
  const wallets = document.querySelector<HTMLElement>('#wallets')
  if (wallets) offerWallets(wallets)
  const status = document.querySelector<HTMLElement>('#control-answer')
  if (status) startControls(status)
}

function offerWallets(wallets: HTMLElement): void {
  const chain: unknown = JSON.parse(wallets.dataset['chain'] ?? '{}')
  const status = document.querySelector('#wallet-answer')
  const known = new Set<string>()
  window.addEventListener('eip6963:announceProvider', (event) => {
    const { info, provider } = (event as CustomEvent<Announcement>).detail
    if (known.has(info.uuid)) return
    if (known.size === 0) wallets.replaceChildren()
    known.add(info.uuid)
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = `Add to ${info.name}`
    button.addEventListener('click', () => {
      provider.request({ method: 'wallet_addEthereumChain', params: [chain] }).then(
        () => show(status, `${info.name} now uses this chain.`),
        (error: unknown) => show(status, (error as Error).message),
      )
    })
    wallets.append(button)
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
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
  const balance = BigInt(result as string) + BigInt(coins) * SUN_PER_COIN
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
