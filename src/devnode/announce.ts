import type { Head } from '../chain/headTypes.ts'
import type { DevChain } from '../devchain/index.ts'
import type { AroundCall } from '../jsonrpc/observe.ts'

/** Milliseconds to wait until the gateway has seen a block. */
const PATIENCE = 1_000

/** Tells a gateway of each change of its chain. */
export type Announcer = {
  /** Makes a gateway poll its head after each change of the chain. Returns a function that stops this. */
  announceTo: (head: Head) => () => void
  /** Resolves when the gateway has seen every change of the chain. */
  announced: () => Promise<void>
  /** Lets the calls that follow wait for a change, in place of the call that made it. */
  defer: (announced: Promise<void>) => void
  /** Wraps every JSON-RPC call: it starts when the gateway has seen the changes of earlier calls. */
  around: AroundCall
}

/**
 * A call that changes the chain returns when the gateway has seen the new head, so its client finds the receipt with the next
 * call. A deferred change has the same effect, and the gateway polls while the client reads the answer.
 *
 * @param inner - wraps every call after this
 */
export function createAnnouncer(chain: DevChain, inner: AroundCall = (_, run) => run()): Announcer {
  let deferred: Promise<unknown> | undefined
  let waiting = 0

  function announceTo(head: Head): () => void {
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
          // Answers are written at the end of a tick. That of a deferred change is written before the poll starts.
          setImmediate(() => setImmediate(() => head.pollNow()))
          if (seen()) finish()
        }),
    )
  }

  return {
    announceTo,
    async announced() {
      await deferred
    },
    defer(announced) {
      const all = Promise.allSettled([deferred, announced])
      deferred = all.finally(() => {
        // A later change may wait for this one too.
        if (--waiting === 0) deferred = undefined
      })
      waiting++
    },
    around: (call, run) => (deferred ? deferred.then(() => inner(call, run)) : inner(call, run)),
  }
}
