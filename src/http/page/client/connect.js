import { rpc } from './rpc.ts'
const SUN_PER_COIN = 1000000n
/** Runs the wallet buttons and, on the dev chain, the controls. */
export function startConnect() {
  const wallets = document.querySelector('#wallets')
  if (wallets) offerWallets(wallets)
  const status = document.querySelector('#control-answer')
  if (status) startControls(status)
}
function offerWallets(wallets) {
  const chain = JSON.parse(wallets.dataset['chain'] ?? '{}')
  const status = document.querySelector('#wallet-answer')
  const known = new Set()
  window.addEventListener('eip6963:announceProvider', (event) => {
    const { info, provider } = event.detail
    if (known.has(info.uuid)) return
    if (known.size === 0) wallets.replaceChildren()
    known.add(info.uuid)
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = `Add to ${info.name}`
    button.addEventListener('click', () => {
      provider.request({ method: 'wallet_addEthereumChain', params: [chain] }).then(
        () => show(status, `${info.name} now uses this chain.`),
        (error) => show(status, error.message),
      )
    })
    wallets.append(button)
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
}
function startControls(status) {
  for (const button of document.querySelectorAll('[data-control]'))
    button.addEventListener('click', () =>
      run(status, button.dataset['control'] ?? '', JSON.parse(button.dataset['params'] ?? '[]')),
    )
  for (const form of document.querySelectorAll('[data-control-form]'))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const value = field(form, 'value')
      run(status, form.dataset['controlForm'] ?? '', [
        value.startsWith('0x') ? value : Number(value),
      ])
    })
  const faucet = document.querySelector('#faucet')
  faucet?.addEventListener('submit', (event) => {
    event.preventDefault()
    void addCoins(status, field(faucet, 'address'), field(faucet, 'coins'))
  })
}
async function addCoins(status, address, coins) {
  if (!/^\d{1,12}$/.test(coins)) return show(status, 'Coins: expected a whole number.')
  const { error, result } = await rpc('eth_getBalance', [address, 'latest'])
  if (error) return show(status, error.message)
  const balance = BigInt(result) + BigInt(coins) * SUN_PER_COIN
  run(status, 'anvil_setBalance', [address, `0x${balance.toString(16)}`])
}
function run(status, method, params) {
  rpc(method, params).then(
    ({ error, result }) =>
      show(status, error ? `${method}: ${error.message}` : `${method}: ${JSON.stringify(result)}`),
    () => show(status, 'The gateway is unreachable.'),
  )
}
function field(form, name) {
  return form.querySelector(`[name="${name}"]`)?.value.trim() ?? ''
}
function show(element, text) {
  if (element) element.textContent = text
}
