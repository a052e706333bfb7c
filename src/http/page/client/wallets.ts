import type * as NativeSending from './nativeSending.ts'
import type { NativeProvider } from './nativeSending.ts'

/** A wallet that the browser announces: of Ethereum (EIP-6963), or of this chain (TIP-6963). */
export type Wallet =
  | { info: WalletInfo; native?: undefined; provider: EthereumProvider }
  | { info: WalletInfo; native: NativeProvider }

type WalletInfo = { name: string; uuid: string }

/** A wallet of Ethereum (EIP-1193). */
type EthereumProvider = {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>
}

/** What wallets of this chain set on the window: `tron` (TIP-1193), before it `tronLink` and `tronWeb`. */
type Injected = {
  tron?: NativeProvider
  tronLink?: NativeProvider
  tronWeb?: NativeProvider['tronWeb']
}

/** Milliseconds after which a wallet that has not announced itself is looked for on the window. */
const LATE = 500

/** Calls `found` once with each wallet of the browser. */
export function findWallets(found: (wallet: Wallet) => void): void {
  const known = new Set<string>()
  let hasNative = false

  function add(wallet: Wallet): void {
    if (known.has(wallet.info.uuid)) return
    known.add(wallet.info.uuid)
    hasNative ||= wallet.native !== undefined
    found(wallet)
  }

  listen<{ info: WalletInfo; provider: EthereumProvider }>('eip6963', add)
  if (document.body.dataset['decimals'] === '18') return
  listen<{ info: WalletInfo; provider: NativeProvider }>('TIP6963', ({ info, provider }) =>
    add({ info, native: provider }),
  )
  // Wallets before TIP-6963 only set variables, some of them late.
  setTimeout(() => {
    const { tron, tronLink, tronWeb } = window as Injected
    const native = tron ?? tronLink ?? (tronWeb && { tronWeb })
    if (native && !hasNative) add({ info: { name: 'Native wallet', uuid: 'injected' }, native })
  }, LATE)
}

// The caller knows what a standard announces.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function listen<detail>(standard: string, announced: (detail: detail) => void): void {
  window.addEventListener(`${standard}:announceProvider`, (event) =>
    announced((event as CustomEvent<detail>).detail),
  )
  window.dispatchEvent(new Event(`${standard}:requestProvider`))
}

/** The part of the page that sends with native wallets. It is loaded when there is one. */
export const nativeSending = () =>
  import(document.body.dataset['nativeScript'] ?? '') as Promise<typeof NativeSending>

/** Selects the chain of this gateway in a wallet, and adds it if the wallet does not know it. */
export async function useChain(
  provider: EthereumProvider,
  chain: { chainId: string },
): Promise<void> {
  try {
    await provider.request({
      method: 'wallet_switchEthereumChain',
      params: [{ chainId: chain.chainId }],
    })
  } catch {
    await provider.request({ method: 'wallet_addEthereumChain', params: [chain] })
  }
}
