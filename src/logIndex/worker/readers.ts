import { availableParallelism } from 'node:os'

import type { AccountAnswer, AccountRequest } from '../../chain/reads/accountIndex.ts'
import type { BlockRange } from '../../chain/reads/blockRange.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import type { SearchAnswer, SearchRequest } from '../search/search.ts'
import { type Search, searchSplit } from '../search/split.ts'
import type { CoveredRange } from '../store/coverage.ts'
import type { ReaderData } from './reader.ts'
import { createThread, type Thread } from './thread.ts'

/** Maximum number of threads that search: each takes 20 to 40 MB. */
const MOST_READERS = 4

/** The content of an index, as a reader sees it. */
export type ReaderCoverage = {
  addresses?: string[]
  bytes: number
  ranges: CoveredRange[]
  /** The ranges with accounts. */
  accounts: BlockRange[]
}

/** A thread, the searches that it has, and whether it has answered since it was started. */
type Reader = { isReady: boolean; running: number; thread: Thread }

/**
 * The threads that search: one, and others when searches come while all are busy, or when one is long. `start` starts the first one.
 */
export function createReaders({
  data,
  most = Math.min(MOST_READERS, availableParallelism()),
  onError,
  restartDelay,
}: createReaders.Options) {
  const readers: Reader[] = []

  function add(): Reader {
    const reader: Reader = {
      isReady: false,
      running: 0,
      thread: createThread({
        data,
        name: 'reader',
        onError(error) {
          reader.isReady = false
          onError(error)
        },
        onStart() {
          // It answers when its modules are loaded and the index is open. Until then others are faster.
          reader.thread.call('coverage').then(
            () => (reader.isReady = true),
            () => {},
          )
        },
        restartDelay,
      }),
    }
    readers.push(reader)
    reader.thread.start()
    return reader
  }

  /** The reader with the fewest searches. */
  function leastBusy(): Reader {
    const [best] = readers
      .filter(({ isReady }) => isReady)
      .toSorted((a, b) => a.running - b.running)
    return best ?? (readers[0] as Reader)
  }

  /** Whether another thread may be started. They start one after another. */
  function mayAdd(): boolean {
    return readers.length < most && readers.every(({ isReady }) => isReady)
  }

  /** A reader without searches, other than the given one. */
  function idleBeside(reader: Reader): Reader | undefined {
    return readers.find((other) => other !== reader && other.isReady && other.running === 0)
  }

  const searchOf =
    (reader: Reader): Search =>
    async (request, signal, onHalf) => {
      reader.running += 1
      try {
        // A thread shares a search only when it may.
        const argument = { ...request, maySplit: onHalf !== undefined }
        return await reader.thread.call('search', argument, signal, onHalf)
      } finally {
        reader.running -= 1
      }
    }

  return {
    /**
     * Searches a range. Gives the answers of its parts in order: several when a long search was split, none when there is no
     * index. All are of one branch, and have together at most one row more than the limit.
     *
     * @throws Error when it cannot be searched; the signal's reason
     */
    async search(request: SearchRequest, signal?: StopSignal): Promise<SearchAnswer[]> {
      const reader = leastBusy()
      const isAlone = reader.running === 0
      if (!isAlone && mayAdd()) add()
      const search = searchOf(reader)
      if (!isAlone || !(idleBeside(reader) || mayAdd())) {
        const answer = await search(request, signal)
        return answer ? [answer] : []
      }
      const other = () => {
        const idle = idleBeside(reader)
        // A new thread is not ready yet. It helps with the next long search.
        if (!idle && mayAdd()) add()
        return searchOf(idle ?? leastBusy())
      }
      return searchSplit(search, other, request, signal)
    },
    /** Searches for the transactions of an account. Undefined when there is no index. @throws as `search` */
    async accounts(
      request: AccountRequest,
      signal?: StopSignal,
    ): Promise<AccountAnswer | undefined> {
      const reader = leastBusy()
      if (reader.running > 0 && mayAdd()) add()
      reader.running += 1
      try {
        return await reader.thread.call<AccountAnswer | undefined>('accounts', request, signal)
      } finally {
        reader.running -= 1
      }
    },
    /** @throws Error when it cannot be read */
    coverage: (): Promise<ReaderCoverage> => leastBusy().thread.call('coverage'),
    /** Threads now. */
    count: () => readers.length,
    start: () => void add(),
    async stop(): Promise<void> {
      await Promise.all(readers.map(({ thread }) => thread.stop('close')))
    },
  }
}

export declare namespace createReaders {
  type Options = {
    data: ReaderData
    /** Maximum number of threads. @default one for each core, at most 4 */
    most?: number
    onError: (error: Error) => void
    /** Milliseconds before a thread that ended is started again. */
    restartDelay: number
  }
}
