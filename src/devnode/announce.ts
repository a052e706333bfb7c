import type { Head } from '../chain/headTypes.ts'
import type { DevChain } from '../devchain/index.ts'

/** Milliseconds to wait until the gateway has seen a block. */
const PATIENCE = 1_000

/**
 * Makes a gateway poll its head after each change of the chain. A call that changes the chain returns when the gateway has
 * seen the new head, so its client finds the receipt with the next call.
 *
 * @returns a function that stops this
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
