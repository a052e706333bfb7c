import type { Head } from '../chain/headTypes.ts'
import type { DevChain } from '../devchain/index.ts'

/** How long a block waits for the gateway to see it, milliseconds. */
const PATIENCE = 1_000

/**
 * Shows a gateway's head each change of the chain at once. The change counts as made only when the head has seen it, so
 * that whoever sent a transaction finds its receipt with the next call. Returns the function that ends it.
 */
export function announceTo(chain: DevChain, head: Head): () => void {
  return chain.onBlock(
    (block) =>
      new Promise((resolve) => {
        const seen = () => {
          const number = chain.ledger.numberOf(head.latest().hash.slice(2))
          return number !== undefined && number >= block.header.number
        }
        const finish = () => {
          clearTimeout(timer)
          end()
          resolve()
        }
        const timer = setTimeout(finish, PATIENCE)
        const end = head.onUpdate(() => seen() && finish())
        head.pollNow()
        if (seen()) finish()
      }),
  )
}
