import type { Head } from '../../chain/head/headTypes.ts'
import type { AroundCall } from '../../rpc/jsonrpc/call.ts'
import type { DevChain } from '../index.ts'

/**
 * Milliseconds without a new block after which a call stops waiting for the gateway. The next call may then see an older block. Long,
 * because a busy machine may take seconds.
 */
const TIMEOUT = 10_000

/** Informs a gateway of each change of its chain. */
export type Announcer = ReturnType<typeof createAnnouncer>

/**
 * A call that changes the chain returns when the gateway has seen the new head, so its client finds the receipt with the next
 * call. A deferred change has the same effect, and happens while the client reads the answer.
 *
 * @param watch - wraps every call. For it, a call ends when the deferred changes have been seen.
 */
export function createAnnouncer(chain: DevChain, watch?: AroundCall) {
  let deferred: Promise<unknown> | undefined
  let waiting = 0
  /** Resolves when the gateway has seen the newest block. */
  let newest: Promise<void> | undefined

  function announceTo(head: Head): () => void {
    /** Looks again whether the gateway has seen what calls wait for. */
    const unseen = new Set<() => void>()
    return chain.onBlock((block) => {
      // A revert may have removed blocks that the gateway has not seen. It may have nothing to see then, so no update comes.
      for (const look of unseen) look()
      newest = new Promise((resolve) => {
        const { number } = block.header
        const seen = () => {
          const at = chain.ledger.numberOf(head.latest().hash.slice(2))
          if (at === undefined) return false
          return at >= number || chain.ledger.block(number)?.id !== block.id
        }
        const finish = () => {
          clearTimeout(timer)
          unseen.delete(look)
          end()
          resolve()
        }
        const look = () => (seen() ? finish() : undefined)
        const timer = setTimeout(finish, TIMEOUT)
        // Thousands of blocks take many updates.
        const end = head.onUpdate(() => (seen() ? finish() : timer.refresh()))
        unseen.add(look)
        // A poll takes time. The answer to the call that made the block is written first.
        void answered().then(() => head.pollNow())
        look()
      })
      return newest
    })
  }

  const run: AroundCall = watch ? runWatched(watch, () => deferred) : (_, work) => work()
  const around: AroundCall = (call, work) =>
    deferred ? deferred.then(() => run(call, work)) : run(call, work)

  return {
    /** Makes a gateway poll its head after each change of the chain. Returns a function that stops this. */
    announceTo,
    /** Resolves when the gateway has seen every change of the chain. */
    announced: async () => {
      await Promise.all([deferred, newest])
    },
    /** Lets the calls that follow wait for a change, in place of the call that made it. */
    defer: (announced: Promise<void>) => {
      const all = Promise.allSettled([deferred, announced])
      deferred = all.finally(() => {
        // A later change may wait for this one too.
        if (--waiting === 0) deferred = undefined
      })
      waiting++
    },
    /** Resolves when the answer of the call that has just ended is written. */
    answered,
    /** Wraps every JSON-RPC call: it starts when the gateway has seen the changes of earlier calls. */
    around,
  }
}

/** Resolves after the answers of the current tick are written to their sockets. */
const answered = () =>
  new Promise<void>((resolve) => setImmediate(() => setImmediate(() => resolve())))

/** Answers a call when its work has ended. For `watch`, it ends when the deferred changes have been seen too. */
function runWatched(watch: AroundCall, deferred: () => Promise<unknown> | undefined): AroundCall {
  return (call, work) =>
    new Promise((resolve, reject) => {
      const watched = async () => {
        const result = await work()
        const changes = deferred()
        if (changes) {
          resolve(result)
          await changes
        }
        return result
      }
      Promise.resolve(watch(call, watched)).then(resolve, reject)
    })
}
