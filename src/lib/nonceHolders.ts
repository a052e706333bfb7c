import { RpcError } from './errors.ts'

/** A transaction that holds a nonce. `intent` is everything that its sender chose; `id` is the native one. */
export type Held = { id: `0x${string}`; intent: string }

/** Milliseconds for which a nonce is remembered: much longer than a transaction can be mined. */
const KEPT = 60 * 60 * 1000

/**
 * Keeps one transaction for each nonce. The chain has no nonces, so two transactions that were signed for one nonce would both be mined:
 * the same transaction is returned again, and another one is refused while the first can still be mined.
 */
export function createNonceHolders<held extends Held>({
  now = Date.now,
}: {
  now?: (() => number) | undefined
} = {}) {
  /** By account and nonce: the transaction that has it, if any. These promises never reject. */
  const holders = new Map<string, { holder: Promise<held | undefined>; at: number }>()

  return {
    /**
     * The transaction of a nonce, signed now or before.
     *
     * @throws Error as `build`; RpcError `-32000 replacement transaction underpriced`, which Ethereum libraries recognise
     */
    async keep({
      build,
      from,
      intent,
      isOver,
      nonce,
    }: createNonceHolders.Wanted<held>): Promise<held> {
      for (const [key, { at }] of holders) if (at < now() - KEPT) holders.delete(key)
      const key = `${from.toLowerCase()} ${nonce}`
      const holder = holders.get(key)?.holder ?? Promise.resolve(undefined)
      // Requests for one nonce come one after the other, so that only one of them signs.
      const built = holder.then(async (before) => {
        if (!before || (await isOver(before))) return build()
        if (before.intent === intent) return before
        throw new RpcError(
          -32000,
          `replacement transaction underpriced: transaction ${before.id} has nonce ${nonce}, and this chain cannot replace it`,
        )
      })
      holders.set(key, { holder: built.catch(() => holder), at: now() })
      return built
    },
    /** A transaction was refused for good: another one may have its nonce. */
    async free(id: string): Promise<void> {
      for (const [key, { holder }] of holders)
        if ((await holder)?.id === id && holders.get(key)?.holder === holder) holders.delete(key)
    },
  }
}

export declare namespace createNonceHolders {
  type Wanted<held extends Held> = {
    from: string
    nonce: number
    intent: string
    /** Whether no block has the transaction, and none can include it any more. */
    isOver: (held: held) => boolean | Promise<boolean>
    build: () => Promise<held>
  }
}
