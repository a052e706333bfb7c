import { sleep } from '../../lib/sleep.ts'
import { BLOCKS_OF_LEVEL } from '../format/keys.ts'
import { BrokenChainError } from '../store/coverage.ts'
import { lastIndexable } from './segments.ts'
import type { IndexWriter } from './writer.ts'

/** Milliseconds before failed work is retried. */
const RETRY_DELAY = 5_000

/** Keeps an index complete: fills missing old blocks, and adds new ones when they are old enough. */
export function createFollower({ from, onProblem = () => {}, writer }: createFollower.Options) {
  let solid = -1
  let isFilling = false
  let isReconciled = false
  const problems = new Map<string, string>()
  let wake = () => {}
  /** Ends when the index has to be compared again. */
  let round = new AbortController()

  function problem(what: string, error: unknown): void {
    const { message } = error as Error
    if (problems.get(what) === message) return
    problems.set(what, message)
    onProblem(message)
  }

  async function reconcile(signal: AbortSignal): Promise<void> {
    const taken = await writer.reconcile(signal)
    // A recheck during the comparison needs another one.
    isReconciled = !signal.aborted
    if (taken !== undefined)
      onProblem(
        `blocks from ${taken} on were on a branch that the chain left; they are indexed again`,
      )
  }

  /** Retries until it succeeds. */
  async function persist(
    what: string,
    signal: AbortSignal,
    run: () => Promise<void>,
  ): Promise<void> {
    while (!signal.aborted)
      try {
        await run()
        problems.delete(what)
        return
      } catch (error) {
        if (signal.aborted) return
        problem(what, error)
        await sleep(RETRY_DELAY, signal).catch(() => {})
        if (error instanceof BrokenChainError)
          await reconcile(signal).catch((error: unknown) => problem(what, error))
      }
  }

  /** Resolves when blocks above a height can be added, or when the signal is aborted. */
  async function more(than: number, signal: AbortSignal): Promise<void> {
    while (lastIndexable(solid) <= than && !signal.aborted)
      await new Promise<void>((resolve) => (wake = resolve))
  }

  /** Compares the index with the chain and keeps it complete until the signal is aborted. */
  async function work(signal: AbortSignal): Promise<void> {
    await more(-1, signal)
    let top: number | undefined
    await persist('check', signal, async () => {
      await reconcile(signal)
      top = (await writer.store.coverage()).at(-1)?.to
    })
    if (signal.aborted) return
    const newest = lastIndexable(solid)
    /** Where the tail begins. Older blocks are filled at the same time. */
    const start = from === undefined ? (top ?? newest) + 1 : newest + 1
    const filling = async () => {
      if (from === undefined || newest < from) return
      isFilling = true
      await persist('filling', signal, () =>
        writer.filler.complete({ from, to: newest }, 'newest', signal),
      )
      isFilling = false
    }
    const following = async () => {
      let done = start - 1
      while (!signal.aborted) {
        await more(done, signal)
        if (signal.aborted) return
        const to = lastIndexable(solid)
        await persist('following', signal, () =>
          // From the first group of the tail, so that blocks which a reorg removed are added again.
          writer.filler.complete({ from: Math.max(start, to + 1 - AGAIN), to }, 'oldest', signal),
        )
        done = to
      }
    }
    await Promise.all([filling(), following()])
  }

  return {
    /** Sets the newest solidified block. */
    solidified(number: number): void {
      solid = Math.max(solid, number)
      wake()
    },

    /** Compares the index with the chain again, after the chain went back below its solidified block, to this one. */
    recheck(number: number): void {
      solid = number
      isReconciled = false
      round.abort(new Error('the index is compared again'))
      wake()
    },

    /** Settles when the signal ends it. */
    async run(signal: AbortSignal): Promise<void> {
      signal.addEventListener('abort', () => wake(), { once: true })
      while (!signal.aborted) {
        round = new AbortController()
        await work(AbortSignal.any([signal, round.signal]))
      }
    },

    /** The state, and the last error as text. */
    status(): { state: 'starting' | 'filling' | 'following'; problem?: string } {
      const [first] = problems.values()
      return {
        state: isReconciled ? (isFilling ? 'filling' : 'following') : 'starting',
        ...(first !== undefined && { problem: first }),
      }
    },
  }
}

/** Blocks of the tail that are checked again each time. */
const AGAIN = 64 * BLOCKS_OF_LEVEL[1]

export declare namespace createFollower {
  type Options = {
    /** The first block to index. Absent: only new blocks are added. */
    from?: number | undefined
    /** Called when an error differs from the one before, and when blocks were removed. */
    onProblem?: (message: string) => void
    writer: Pick<IndexWriter, 'filler' | 'reconcile' | 'store'>
  }
}
