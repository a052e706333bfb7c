import { setMaxListeners } from 'node:events'

import { grouped, plural } from '../../codec/coin.ts'
import { sleep } from '../../lib/sleep.ts'
import type { Order } from '../../logIndex/fill/filler.ts'
import type { CoveredRange } from '../../logIndex/store/coverage.ts'
import type { NativeClient } from '../../native/client.ts'
import { CommandError, EXIT, usageError } from '../base/errors.ts'
import { exitCodeOf } from '../base/failures.ts'
import { untilInterrupt } from '../base/interrupt.ts'
import type { Io } from '../base/io.ts'
import { stringify } from '../base/json.ts'
import { createTerminal, type Terminal } from '../base/terminal.ts'
import { createProgress } from '../output/progress.ts'
import { parseAddress } from '../text/address.ts'
import { wholeNumber } from '../text/number.ts'
import {
  indexAddress,
  type IndexOptions,
  type NodeOptions,
  withNode,
} from '../words/indexOptions.ts'

type FillOptions = IndexOptions &
  NodeOptions & {
    from: string
    to?: string
    address?: string[]
    order: string
    indexRate: string
    concurrency: string
    quiet?: boolean
  }

/** Fewer than the 50 connections that a node accepts, because other programs need some too. */
const MAX_CONCURRENCY = 40

/** Milliseconds between lines of JSON. */
const LINE_EVERY = 5_000

/** Consecutive failures before the command gives up, and milliseconds between attempts. */
const RETRIES = 10
const RETRY_DELAY = 3_000

/** `ethgate index --from …`: reads the missing blocks of a range. */
export async function fillIndex(io: Io, options: FillOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const request = readRequest(io, options)
  await untilInterrupt(async (signal) => {
    // Each call to the node adds a listener.
    setMaxListeners(0, signal)
    await withNode(io, options, request.concurrency, (native) =>
      fill(native, request, { quiet: options.quiet ?? false, signal, terminal }),
    ).catch((error: unknown) => {
      throw signal.aborted && !(error instanceof CommandError) ? stopped() : error
    })
  })
}

function stopped(): CommandError {
  return new CommandError('stopped; run the same command again to continue', {
    exitCode: EXIT.interrupted,
  })
}

type FillRequest = ReturnType<typeof readRequest>

/** The options, checked. */
function readRequest(io: Io, options: FillOptions) {
  if (options.order !== 'newest' && options.order !== 'oldest')
    throw usageError(`--order needs newest or oldest, got "${options.order}"`)
  const order: Order = options.order
  return {
    address: indexAddress(io, options),
    addresses: options.address?.map((text) =>
      parseAddress(text, '--address').eth.slice(2).toLowerCase(),
    ),
    concurrency: wholeNumber(options.concurrency, '--concurrency', 1, MAX_CONCURRENCY),
    from: wholeNumber(options.from, '--from'),
    order,
    rate: wholeNumber(options.indexRate, '--index-rate', 1),
    // Undefined for the newest block that can be indexed.
    to:
      options.to === undefined
        ? undefined
        : wholeNumber(options.to, '--to', wholeNumber(options.from, '--from')),
  }
}

async function fill(
  native: NativeClient,
  request: FillRequest,
  { quiet, signal, terminal }: { quiet: boolean; signal: AbortSignal; terminal: Terminal },
): Promise<void> {
  const { openIndexWriter } = await import('../../logIndex/fill/writer.ts')
  const { createCapabilities } = await import('../../native/capabilities.ts')
  const { genesis } = await createCapabilities({ native }).identity({ signal })
  const range = await rangeOf(native, request, signal)
  const added = { blocks: 0, logs: 0 }
  const writer = await openIndexWriter({
    ...request,
    genesis,
    native,
    onAdded({ blocks, logs }) {
      added.blocks += blocks
      added.logs += logs
    },
  }).catch((error: unknown) => {
    throw new CommandError((error as Error).message, { cause: error })
  })

  const { from, to } = range
  const { accountsProblem } = await import('../../logIndex/store/coverage.ts')
  const note = accountsProblem(await writer.store.segments(), !writer.facts.addresses)
  if (note !== undefined && !quiet) terminal.error(note)
  const there = countBlocks(await writer.store.coverage(), from, to)
  const progress = createProgress(terminal, { quiet, from, to, at: from + there, unit: 'log' })
  const started = performance.now()
  const figures = () => {
    const seconds = (performance.now() - started) / 1000
    const left = to - from + 1 - there - added.blocks
    return {
      blocks: added.blocks,
      logs: added.logs,
      calls: writer.pace.calls(),
      blocksPerSecond: Math.round(added.blocks / seconds),
      logsPerSecond: Math.round(added.logs / seconds),
      secondsLeft: added.blocks > 0 ? Math.round((left * seconds) / added.blocks) : null,
    }
  }
  const bar = setInterval(() => progress.update(from + there + added.blocks, added.logs), 250)
  const lines = setInterval(() => {
    // A fill goes on if the reader of its progress has gone.
    if (terminal.mode === 'json' && !quiet) terminal.print(stringify(figures())).catch(() => {})
  }, LINE_EVERY)
  try {
    await writer.reconcile(signal)
    await untilComplete(() => writer.filler.complete(range, request.order, signal), {
      blocks: () => added.blocks,
      onRetry: (error) => progress.note(`${error.message}; retrying`),
      signal,
    })
  } catch (error) {
    if (!signal.aborted)
      throw new CommandError(
        `${(error as Error).message}; progress is saved: run the same command again to continue`,
        { cause: error, exitCode: exitCodeOf(error) },
      )
  } finally {
    clearInterval(bar)
    clearInterval(lines)
    progress.stop()
    await writer.close()
  }
  if (signal.aborted) throw stopped()
  const { blocks, calls, logs, logsPerSecond } = figures()
  const contracts = writer.facts.addresses?.length
  if (terminal.mode === 'json')
    await terminal.print(stringify({ from, to, blocks, calls, contracts, logs }))
  else if (!quiet)
    terminal.error(
      `${from === to ? `Block ${grouped(to)} is` : `Blocks ${grouped(from)} to ${grouped(to)} are`} indexed: ${plural(blocks, 'block')} with ${plural(logs, 'log')}${contracts === undefined ? '' : ` of ${plural(contracts, 'contract')}`} added (${grouped(logsPerSecond)} a second, ${plural(calls, 'call')} to the node).`,
    )
}

/** The requested range, up to the newest block that can be indexed. @throws CommandError when it is empty */
async function rangeOf(
  native: NativeClient,
  { from, to: wanted }: FillRequest,
  signal: AbortSignal,
): Promise<{ from: number; to: number }> {
  const { groupEnd, lastIndexable } = await import('../../logIndex/fill/segments.ts')
  const { missingSolidity } = await import('../../native/capabilities.ts')
  const solid = await native.solidity.getNowBlock(undefined, { signal }).catch((error: unknown) => {
    throw missingSolidity(error) ?? error
  })
  const newest = lastIndexable(solid.block_header.raw_data.number ?? 0)
  // Only whole groups are indexed, so the one of the last block is.
  const to = Math.min(groupEnd(wanted ?? newest), newest)
  if (from <= to) return { from, to }
  throw new CommandError(
    newest < 0
      ? 'nothing to index: the chain is too short, because an index ends at least 64 blocks below the solidified block'
      : `nothing to index: --from is ${from}, and the newest block that can be indexed is ${newest}`,
  )
}

/** Repeats a failed run. Gives up after several failures without a new block in between. */
async function untilComplete(
  run: () => Promise<void>,
  options: { blocks: () => number; onRetry: (error: Error) => void; signal: AbortSignal },
): Promise<void> {
  const { blocks, onRetry, signal } = options
  for (let failures = 0; ;) {
    const before = blocks()
    try {
      return await run()
    } catch (error) {
      failures = blocks() > before ? 1 : failures + 1
      if (signal.aborted || failures > RETRIES) throw error
      onRetry(error as Error)
      await sleep(RETRY_DELAY, signal)
    }
  }
}

function countBlocks(covered: readonly CoveredRange[], from: number, to: number): number {
  return covered.reduce(
    (sum, range) => sum + Math.max(0, Math.min(range.to, to) - Math.max(range.from, from) + 1),
    0,
  )
}
