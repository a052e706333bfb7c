import { randomUUID } from 'node:crypto'

import { sleep } from '../../lib/sleep.ts'
import type { PendingResponse } from '../changes/response.ts'
import type { HeadLog } from '../head/headTypes.ts'
import { createDeliveries } from './deliveries.ts'
import { type Claim, type FilterStore, PAGE_LEASE, type StoredFilter } from './store.ts'

/** A page that is reserved for one poll. The caller calls exactly one of the functions. */
export type ClaimedPage = StoredFilter & {
  /** The page is sent in a response: commits it when the response is delivered, releases it if that fails. */
  deliver(to: string, response: PendingResponse): void
  /** The page is empty: moves the cursor. @throws StoreUnavailableError */
  skip(to: string): Promise<void>
  /** The page was not delivered: the next poll gets it. Never throws. */
  release(): Promise<void>
}

/** Milliseconds that a poll waits for an earlier poll of the same filter whose response is being written. */
const BUSY_WAIT = 250
const BUSY_STEP = 10

/** Reserves pages of filters of a shared store for polls of this process. */
export function createClaims({ log, store }: createClaims.Options) {
  const deliveries = createDeliveries({ log, store })

  async function attempt(id: string, token: string, newest: () => string) {
    // A client's next poll may arrive while the cursor of its last one is still being committed.
    await deliveries.attempted(id)
    for (let waited = 0; ; waited += BUSY_STEP) {
      const claim = await store.claim(id, token, newest())
      if (claim?.state === 'claimed') {
        const { cursor } = claim
        const reached = deliveries.cursorOf(id, cursor)
        if (reached === cursor) return claim
        // The client already has this page. The store could not accept its cursor before.
        await store.commit(id, token, cursor, reached)
      } else if (claim?.state !== 'busy' || waited >= BUSY_WAIT) return claim
      await sleep(BUSY_STEP)
    }
  }

  /** Renews the lease of a page until its response is delivered. */
  function keepLease(id: string, token: string): () => void {
    const timer = setInterval(() => {
      store.renew(id, token).catch((error: unknown) => {
        log.warn({ err: error }, 'the lease of a filter page could not be renewed')
      })
    }, PAGE_LEASE / 3)
    return () => clearInterval(timer)
  }

  function toPage(id: string, token: string, claim: Claim): ClaimedPage {
    const endLease = keepLease(id, token)
    const from = claim.cursor
    const release = async () => {
      endLease()
      // The lease expires if the store cannot be reached.
      await store.release(id, token).catch(() => undefined)
    }
    return {
      spec: claim.spec,
      cursor: from,
      deliver(to, response) {
        response.onDelivery((delivered) => {
          endLease()
          if (delivered) deliveries.commit(id, { from, to, token })
          else void release()
        })
      },
      async skip(to) {
        endLease()
        if (to === from) await store.release(id, token)
        else await store.commit(id, token, from, to)
      },
      release,
    }
  }

  return {
    /**
     * The page from a filter's cursor; undefined when there is no such filter, `nothing` when there is nothing to deliver or
     * another poll has the page. `newest` is the cursor after which there is nothing to deliver.
     *
     * @throws StoreUnavailableError
     */
    async claim(id: string, newest: () => string): Promise<ClaimedPage | 'nothing' | undefined> {
      const token = randomUUID()
      const claim = await attempt(id, token, newest)
      if (!claim) return undefined
      return claim.state === 'claimed' ? toPage(id, token, claim) : 'nothing'
    },
    stop: () => deliveries.stop(),
  }
}

export declare namespace createClaims {
  type Options = { log: HeadLog; store: FilterStore }
}
