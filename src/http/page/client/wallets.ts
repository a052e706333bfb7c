/** A wallet announced by EIP-6963. */
export type Wallet = {
  info: { name: string; uuid: string }
  provider: { request(call: { method: string; params?: unknown[] }): Promise<unknown> }
}

/** Calls `found` once with each wallet of the browser. */
export function findWallets(found: (wallet: Wallet) => void): void {
  const known = new Set<string>()
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = (event as CustomEvent<Wallet>).detail
    if (known.has(wallet.info.uuid)) return
    known.add(wallet.info.uuid)
    found(wallet)
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
}

/** Selects the chain of this gateway in a wallet, and adds it if the wallet does not know it. */
export async function useChain({ provider }: Wallet, chain: { chainId: string }): Promise<void> {
  try {
    await provider.request({
      method: 'wallet_switchEthereumChain',
      params: [{ chainId: chain.chainId }],
    })
  } catch {
    await provider.request({ method: 'wallet_addEthereumChain', params: [chain] })
  }
}
