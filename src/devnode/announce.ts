import type { Head } from '../chain/headTypes.ts'
import type { DevChain } from '../devchain/index.ts'

/** Longest time to wait for the gateway to see a block, milliseconds. */
const PATIENCE = 1_000

/**
 * Makes a gateway poll its head after each change of the chain. A call that changed the chain returns when the head has seen
 * the change, so its sender finds the receipt with the next call. Returns a function that stops this.
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
