import type { AccountAnswer, AccountRequest } from '../chain/reads/accountIndex.ts'
import type { BlockRange } from '../chain/reads/blockRange.ts'
import type { Call } from '../lib/call.ts'
import { UpstreamError } from '../lib/errors.ts'
import type { StopSignal } from '../lib/stopSignal.ts'
import type { Upstream } from '../native/upstream.ts'
import { nameOf } from './engine/open.ts'
import type { SearchAnswer, SearchRequest } from './search/search.ts'
import { createReaders, type ReaderCoverage } from './worker/readers.ts'
import { createThread } from './worker/thread.ts'
import type { WriterData, WriterEvent } from './worker/writer.ts'

/** An index of logs as the gateway uses it. All work is done in threads; nothing here waits on the event loop. */
export type LogIndex = ReturnType<typeof createLogIndex>

/** What `/health`, the metrics and `ethgate index status` show. */
export type LogIndexStatus = {
  /** Without user, password and parameters. */
  address: string
  state: 'starting' | 'filling' | 'following' | 'failed'
  /** Complete ranges, in order. */
  covered: BlockRange[]
  /** The complete ranges that also have accounts. */
  accounts: BlockRange[]
  logs: number
  /** Bytes on disk. */
  bytes: number
  /** Since the start of this process. */
  added: { blocks: number; logs: number; calls: number }
  /** Contracts whose logs are kept; absent when all are. */
  contracts?: number
  /** The last error, as text. */
  problem?: string
}

/** Milliseconds between reads of the coverage. */
const CHECK_EVERY = 1_000

/** Milliseconds for an answer to that read: as long as a connection to a server of the index may take. */
const ANSWER_LIMIT = 5_000

/** Milliseconds before a thread that ended is restarted; longer after each failure. */
const RESTART_DELAY = 5_000

/** Creates the log index of a gateway. Its threads run after `start`; one that ends is restarted. */
export function createLogIndex({
  address,
  deadline,
  log,
  writer: writerData,
}: createLogIndex.Options) {
  const problems = new Map<'readers' | 'writer', string>()
  let coverage: ReaderCoverage = { accounts: [], bytes: 0, ranges: [] }
  let written: Extract<WriterEvent, { kind: 'status' }> | undefined
  let solid: number | undefined
  let upstreams: readonly Upstream[] | undefined
  let isCompared = false
  /** Rechecks that the writer does not know of yet. Until then it reports the state before them. */
  let rechecks = 0
  let stopping = false
  let reading: NodeJS.Timeout | undefined
  /** Whether the last read of the index failed, or has no answer for long. Then searches that need not wait for it do not. */
  let isUnreadable = false
  const optional = new Set<AbortController>()

  function unreadable(): void {
    isUnreadable = true
    for (const search of optional) search.abort(unreadableError())
  }

  const failed = (name: 'readers' | 'writer') => (error: Error) => {
    const { message } = error
    if (problems.get(name) !== message) log.error({ err: error }, 'the log index failed')
    problems.set(name, message)
  }
  const readers = createReaders({
    data: { address, deadline, genesis: writerData.genesis },
    onError: failed('readers'),
    restartDelay: RESTART_DELAY,
  })
  const writer = createThread({
    data: { address, ...writerData } satisfies WriterData,
    name: 'writer',
    onError: failed('writer'),
    onEvent(event) {
      const { kind } = event as WriterEvent
      if (kind === 'status') {
        // The writer has checked the file, so readers may open it.
        if (!written) {
          readers.start()
          void readCoverage()
        }
        written = event as typeof written
        problems.delete('writer')
        if (rechecks === 0) isCompared ||= written?.state !== 'starting'
      } else log.warn((event as { message: string }).message)
    },
    onStart() {
      if (upstreams) writer.call('setUpstreams', upstreams).catch(() => {})
      if (solid !== undefined) writer.call('solidified', solid).catch(() => {})
    },
    restartDelay: RESTART_DELAY,
  })

  async function readCoverage(): Promise<void> {
    const late = setTimeout(unreadable, ANSWER_LIMIT)
    try {
      coverage = await readers.coverage()
      problems.delete('readers')
      isUnreadable = false
    } catch (error) {
      if (!stopping) failed('readers')(error as Error)
      unreadable()
    } finally {
      clearTimeout(late)
    }
    if (!stopping) reading = setTimeout(() => void readCoverage(), CHECK_EVERY)
  }

  /** Runs a search. @throws UpstreamError when the index cannot be read; the signal's reason */
  async function ask<answer>(
    run: (signal: StopSignal) => Promise<answer>,
    { call, isOptional = false }: SearchOptions,
  ): Promise<answer> {
    const signal = call?.signal
    if (isOptional && isUnreadable) throw unreadableError()
    const stop = new AbortController()
    const end = () => stop.abort(signal?.reason)
    signal?.addEventListener('abort', end, { once: true })
    if (isOptional) optional.add(stop)
    try {
      signal?.throwIfAborted()
      return await run(stop.signal)
    } catch (error) {
      signal?.throwIfAborted()
      unreadable()
      throw unreadableError(error)
    } finally {
      optional.delete(stop)
      signal?.removeEventListener('abort', end)
    }
  }

  return {
    /**
     * Searches the index. Gives the answers of the parts of the range in order, several when a long search was split between two threads. The
     * caller reads blocks outside `covered` from the node.
     *
     * @throws UpstreamError when the index cannot be read, at once or soon for a search that is optional; the signal's reason
     */
    async search(request: SearchRequest, options: SearchOptions = {}): Promise<SearchAnswer[]> {
      // A reorg may have happened while the gateway was down, so the writer compares the index with the chain first.
      if (!isCompared) return []
      const found = await ask((signal) => readers.search(request, signal), options)
      return found.map((answer) => ({ ...answer, bytes: bufferOf(answer.bytes) }))
    },
    /** Searches for the transactions of an account. Undefined while there is no index to search. @throws as `search` */
    async accounts(
      request: AccountRequest,
      options: SearchOptions = {},
    ): Promise<AccountAnswer | undefined> {
      return isCompared ? ask((signal) => readers.accounts(request, signal), options) : undefined
    },
    /** Sets the newest solidified block. */
    solidified(number: number): void {
      solid = number
      void writer.call('solidified', number).catch(() => {})
    },
    /**
     * The chain went back below its solidified block, to this one. Nothing is searched until the index was compared with the chain
     * again.
     */
    recheck(number: number): void {
      solid = number
      isCompared = false
      rechecks += 1
      // A writer that is not running compares when it starts.
      const known = () => void (rechecks -= 1)
      writer.call('recheck', number).then(known, known)
    },
    status(): LogIndexStatus {
      const [problem = written?.problem] = problems.values()
      return {
        address: nameOf(address),
        state: problems.size > 0 ? 'failed' : (written?.state ?? 'starting'),
        covered: isCompared ? coverage.ranges.map(({ from, to }) => ({ from, to })) : [],
        accounts: isCompared ? coverage.accounts : [],
        logs: coverage.ranges.reduce((sum, { logs }) => sum + logs, 0),
        bytes: coverage.bytes,
        added: {
          blocks: written?.blocks ?? 0,
          logs: written?.logs ?? 0,
          calls: written?.calls ?? 0,
        },
        ...(coverage.addresses && { contracts: coverage.addresses.length }),
        ...(problem !== undefined && { problem }),
      }
    },
    /** Replaces the nodes from which it is filled. */
    setUpstreams(next: readonly Upstream[]): void {
      upstreams = next
      void writer.call('setUpstreams', next).catch(() => {})
    },
    /** Starts the threads. When the index cannot be opened, it retries, and `status` shows why. */
    start: () => writer.start(),
    /** Ends filling. Searches go on. */
    stopFilling: () => writer.stop('stop'),
    async stop(): Promise<void> {
      stopping = true
      clearTimeout(reading)
      await Promise.all([writer.stop('stop'), readers.stop()])
    },
  }
}

export declare namespace createLogIndex {
  type Options = {
    /** A directory, or `postgres://…`. */
    address: string
    /** Milliseconds that one search may take. */
    deadline: number
    log: {
      warn(message: string): void
      error(fields: object, message: string): void
    }
    writer: Omit<WriterData, 'address'>
  }
}

type SearchOptions = {
  call?: Call | undefined
  /** Whether the caller can read the blocks elsewhere. @default false */
  isOptional?: boolean
}

function unreadableError(cause?: unknown): UpstreamError {
  return new UpstreamError('the log index cannot be read, try again later', { cause })
}

/** A Buffer arrives from a thread as a Uint8Array. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
