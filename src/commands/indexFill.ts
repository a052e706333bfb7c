import { setMaxListeners } from 'node:events'

import { sleep } from '../lib/sleep.ts'
import type { CoveredRange } from '../logIndex/coverage.ts'
import type { Order } from '../logIndex/fill/filler.ts'
import { CommandError, EXIT, usageError } from './errors.ts'
import { parseAddress } from './support/address.ts'
import { group, plural } from './support/amount.ts'
import {
  indexAddress,
  type IndexOptions,
  type NodeOptions,
  openNode,
} from './support/indexOptions.ts'
import { onInterrupt } from './support/interrupt.ts'
import type { Io } from './support/io.ts'
import { stringify } from './support/json.ts'
import { wholeNumber } from './support/number.ts'
import { createProgress } from './support/progress.ts'
import { createTerminal } from './support/terminal.ts'

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
  const address = indexAddress(io, options)
  const from = wholeNumber(options.from, '--from')
  const wanted = options.to === undefined ? undefined : wholeNumber(options.to, '--to')
  if (options.order !== 'newest' && options.order !== 'oldest')
    throw usageError(`--order needs newest or oldest, got "${options.order}"`)
  const order: Order = options.order
  const rate = wholeNumber(options.indexRate, '--index-rate', 1)
  const concurrency = wholeNumber(options.concurrency, '--concurrency', 1, MAX_CONCURRENCY)
  const addresses = options.address?.map((text) =>
    parseAddress(text, '--address').eth.slice(2).toLowerCase(),
  )

  const native = await openNode(io, options, concurrency)
  const interrupt = onInterrupt()
  // Each call to the node adds a listener.
  setMaxListeners(0, interrupt.signal)
  const { createCapabilities } = await import('../native/capabilities.ts')
  const { lastIndexable } = await import('../logIndex/fill/units.ts')
  const { openIndexWriter } = await import('../logIndex/fill/writer.ts')
  const added = { blocks: 0, logs: 0 }
  const { genesis } = await createCapabilities({ native }).identity(interrupt.signal)
  const solid = await native.solidity.getNowBlock(undefined, { signal: interrupt.signal })
  const newest = lastIndexable(solid.block_header.raw_data.number ?? 0)
  const to = Math.min(wanted ?? newest, newest)
  if (from > to)
    throw new CommandError(
      `nothing to index: --from is ${from}, and the newest block that can be indexed is ${newest}`,
    )
  const writer = await openIndexWriter({
    address,
    addresses,
    concurrency,
    genesis,
    native,
    onAdded({ blocks, logs }) {
      added.blocks += blocks
      added.logs += logs
    },
    rate,
  }).catch((error: unknown) => {
    throw new CommandError((error as Error).message, { cause: error })
  })

  const there = countBlocks(await writer.store.coverage(), from, to)
  const progress = createProgress(terminal, {
    quiet: options.quiet ?? false,
    from,
    to,
    at: from + there,
  })
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
    if (terminal.mode === 'json' && !options.quiet) void terminal.print(stringify(figures()))
  }, LINE_EVERY)
  try {
    await writer.reconcile(interrupt.signal)
    for (let failures = 0; ;) {
      const before = added.blocks
      try {
        await writer.filler.complete({ from, to }, order, interrupt.signal)
        break
      } catch (error) {
        failures = added.blocks > before ? 1 : failures + 1
        if (interrupt.signal.aborted || failures > RETRIES) throw error
        progress.note(`${(error as Error).message}; retrying`)
        await sleep(RETRY_DELAY, interrupt.signal)
      }
    }
  } catch (error) {
    if (!interrupt.signal.aborted)
      throw new CommandError(
        `${(error as Error).message}; progress is saved: run the same command again to continue`,
        { cause: error },
      )
  } finally {
    clearInterval(bar)
    clearInterval(lines)
    progress.stop()
    interrupt.release()
    await writer.close()
    await native.close()
  }
  if (interrupt.signal.aborted)
    throw new CommandError('stopped; run the same command again to continue', {
      exitCode: EXIT.interrupted,
    })
  const { blocks, calls, logs, logsPerSecond } = figures()
  const contracts = writer.facts.addresses?.length
  if (terminal.mode === 'json')
    await terminal.print(stringify({ from, to, blocks, calls, contracts, logs }))
  else if (!options.quiet)
    terminal.error(
      `Blocks ${group(from)} to ${group(to)} are indexed: ${plural(blocks, 'block')} with ${plural(logs, 'log')}${contracts === undefined ? '' : ` of ${plural(contracts, 'contract')}`} added (${group(logsPerSecond)} a second, ${plural(calls, 'call')} to the node).`,
    )
}

function countBlocks(covered: readonly CoveredRange[], from: number, to: number): number {
  return covered.reduce(
    (sum, range) => sum + Math.max(0, Math.min(range.to, to) - Math.max(range.from, from) + 1),
    0,
  )
}
