import { createNonceHolders, type Held } from '../lib/nonceHolders.ts'
import type { Request } from './build.ts'

/** An unsigned transaction. */
export type Built = { native: string; id: `0x${string}`; expiration: number }

/** The nonces of one signer. */
export type Nonces = ReturnType<typeof createNonces>

/**
 * Keeps the nonces that a program gives: each is used for one transaction, while the gateway has none with it.
 *
 * @param options.now - milliseconds.
 */
export function createNonces({ now = Date.now }: { now?: (() => number) | undefined } = {}) {
  const holders = createNonceHolders<Built & Held>({ now })
  return {
    /** A transaction was refused for good: another one may have its nonce. */
    free: (id: string): Promise<void> => holders.free(id),
    /**
     * The transaction of a nonce, built now or before.
     *
     * @throws Error `nonce too low`, or `replacement transaction underpriced` when another transaction has the nonce
     */
    keep: (
      request: Request,
      { from, intent, nonce }: createNonces.Wanted,
      build: () => Promise<Built>,
    ): Promise<Built> =>
      holders.keep({
        from,
        intent,
        nonce,
        async isOver({ expiration, id }) {
          if (now() <= expiration) return false
          const block = (await request('eth_getBlockByNumber', ['finalized', false])) as {
            timestamp: string
          }
          if (Number(block.timestamp) * 1000 <= expiration) return false
          return !(await request('eth_getTransactionReceipt', [id]))
        },
        async build() {
          await assertFree(request, from, nonce)
          return { ...(await build()), intent }
        },
      }),
  }
}

export declare namespace createNonces {
  type Wanted = { from: string; nonce: number; intent: string }
}

/** @throws Error with the message that Ethereum libraries recognise, when the gateway has a transaction with the nonce */
async function assertFree(request: Request, from: string, nonce: number): Promise<void> {
  const [mined = 0, next = 0] = await Promise.all(
    ['latest', 'pending'].map(async (at) =>
      Number(await request('eth_getTransactionCount', [from, at])),
    ),
  )
  if (nonce < mined) throw new Error(`nonce too low: next nonce ${next}, tx nonce ${nonce}`)
  if (nonce < next)
    throw new Error(
      `replacement transaction underpriced: a pending transaction has nonce ${nonce}, and this chain cannot replace it`,
    )
}
