import type { Command } from 'commander'

import { grouped, plural } from '../../codec/coin.ts'
import type { RpcLog } from '../../codec/types.ts'
import { CommandError, EXIT, reworded, usageError } from '../base/errors.ts'
import { untilInterrupt } from '../base/interrupt.ts'
import type { Io } from '../base/io.ts'
import { stringify } from '../base/json.ts'
import { createTerminal, type Terminal } from '../base/terminal.ts'
import { readLogs } from '../node/logRange.ts'
import {
  type BlockMark,
  readMark,
  requireMark,
  searchFilter,
  type SearchOptions,
} from '../node/search.ts'
import type { Target } from '../node/target.ts'
import { blocksText } from '../output/blocksText.ts'
import { type ExportFile, openExport } from '../output/exportFile.ts'
import { createLogPrinter } from '../output/logPrinter.ts'
import { createProgress } from '../output/progress.ts'
import { wholeNumber } from '../text/number.ts'
import { addWord, collect, type Task } from '../words/command.ts'

/** `ethgate logs`: every log of a range of blocks, to a file or to standard output. */
export function addLogsCommand(program: Command, io: Io): void {
  addWord<LogsOptions>(program, io, {
    usage: 'logs [topics...]',
    summary: 'print or export the logs of any range of blocks',
    description:
      'Prints or exports every matching log of a range of blocks, in order, one JSON object a line. Splits requests to the limits of the ' +
      'server. The words are the topics: hex, an event, an address, a number, or any; commas mean or. With --out the export can be stopped at any moment, even by kill -9: the same command continues from there, ' +
      'without gaps or duplicates. Run later, it appends the new logs.',
    options: [
      ['--from-block <block>', 'first block', 'earliest'],
      [
        '--to-block <block>',
        'last block: a number, latest, or finalized, which no reorg can change (default: latest; finalized with --out)',
      ],
      ['--address <address>', 'only logs of this contract; may be repeated', collect],
      ['--out <file>', 'write to this file, and the progress to FILE.state'],
      ['--force', 'discard the content of --out'],
      ['--abi <file>', 'ABI, artifact or list of signatures, to add "decoded" to each log'],
      ['--concurrency <n>', 'maximum requests in flight', '4'],
      ['--retries <n>', 'maximum retries when the server is unreachable or busy', '8'],
      ['--quiet', 'do not show the progress bar and the summary'],
    ],
    examples: [
      ['ethgate logs --out all.jsonl', 'all logs up to the solidified block'],
      [
        'ethgate logs --address TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf "Transfer(address,address,uint256)" --out transfers.jsonl',
        'the transfers of a token',
      ],
      [
        'ethgate logs any TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp --from-block 60000000 --to-block 60001000 | jq -r .transactionHash',
        'logs whose second topic is an account',
      ],
    ],
    calls: 'rpc',
    async run(task, topic) {
      const options = { ...task.options, topic: topic as string[] }
      await untilInterrupt((signal) =>
        exportLogs({ ...task, options }, signal).catch((error: unknown) => {
          if (!signal.aborted || error instanceof CommandError) throw error
          throw new CommandError('stopped before the first block', { exitCode: EXIT.interrupted })
        }),
      )
      return undefined
    },
  })
}

type LogsOptions = SearchOptions & {
  fromBlock: string
  toBlock?: string
  out?: string
  force?: boolean
  abi?: string
  concurrency: string
  retries: string
  quiet?: boolean
}

async function exportLogs(
  { io, options, target, terminal }: Task<LogsOptions>,
  signal: AbortSignal,
): Promise<void> {
  const filter = searchFilter(options)
  const concurrency = wholeNumber(options.concurrency, '--concurrency', 1, 64)
  const retries = wholeNumber(options.retries, '--retries', 0, 1000)
  const first = await requireMark(target.rpc, options.fromBlock, '--from-block', signal)
  const last = await requireMark(
    target.rpc,
    options.toBlock ?? (options.out ? 'finalized' : 'latest'),
    '--to-block',
    signal,
  )
  if (first.number > last.number)
    throw usageError(`--from-block ${first.number} is after --to-block ${last.number}`)
  const printer = await createLogPrinter(terminal, options.abi)
  const sink = options.out
    ? await fileSink(options.out, target, { ...options, filter, first, last, io, signal })
    : standardSink(terminal, printer, first.number)

  const start = Date.now()
  const written = { logs: 0, requests: 0 }
  const from = sink.next()
  // A bar would be drawn over the logs where both are on one terminal.
  const hasBar = options.out !== undefined || io.stdout.isTTY !== true
  const progress = createProgress(hasBar ? terminal : { ...terminal, interactive: false }, {
    quiet: options.quiet ?? false,
    from: first.number,
    to: last.number,
    at: from,
    unit: 'log',
  })
  try {
    for await (const page of readLogs({
      rpc: target.rpc,
      filter,
      from,
      to: last.number,
      concurrency,
      retries,
      signal,
      onRequest: () => (written.requests += 1),
      onRetry: (error, delay) => progress.note(`${error.message}; retrying in ${delay / 1000} s`),
    })) {
      written.logs += page.logs.length
      await sink.write(page.logs, page.to + 1)
      progress.update(page.to + 1, written.logs)
      if (signal.aborted) break
    }
    await sink.finish()
  } catch (error) {
    await sink.finish()
    if (!signal.aborted) throw withAdvice(error, options)
  } finally {
    progress.stop()
    await sink.close()
  }
  if (signal.aborted)
    throw new CommandError(
      `stopped before block ${sink.next()}${options.out ? '; run the same command again to continue' : ''}`,
      { exitCode: EXIT.interrupted },
    )
  const seconds = Math.max(0.001, (Date.now() - start) / 1000)
  const summary = {
    from,
    to: last.number,
    logs: written.logs,
    requests: written.requests,
    seconds,
    ...(options.out && { file: options.out, ...sink.totals() }),
  }
  if (options.json && options.out) await terminal.print(stringify(summary))
  else if (!options.quiet) {
    terminal.error(describe(summary, from > last.number))
    if (options.toBlock !== undefined) return
    const head = await readMark(target.rpc, 'latest', '--to-block', signal)
    const left = (head?.number ?? 0) - last.number
    if (options.out && left > 0)
      terminal.error(
        `${plural(left, 'newer block')} left out, because a reorg can still change ${left === 1 ? 'it' : 'them'}: --to-block latest includes ${left === 1 ? 'it' : 'them'}.`,
      )
  }
}

function describe(
  summary: {
    from: number
    to: number
    logs: number
    requests: number
    seconds: number
    file?: string
  },
  nothing: boolean,
): string {
  if (nothing) return `Nothing new: ${summary.file} is complete up to block ${grouped(summary.to)}.`
  const rate = grouped(Math.round(summary.logs / summary.seconds))
  return (
    `${plural(summary.logs, 'log')} of ${blocksText(summary)} in ${summary.seconds.toFixed(1)} s ` +
    `(${rate} a second, ${plural(summary.requests, 'request')})${summary.file ? `, written to ${summary.file}` : ''}.`
  )
}

/** The destination of the logs. */
type Sink = {
  /** First block that is not written yet. */
  next(): number
  write(logs: readonly RpcLog[], next: number): Promise<void>
  finish(): Promise<void>
  close(): Promise<void>
  totals(): { totalLogs?: number; bytes?: number }
}

function standardSink(
  terminal: Terminal,
  printer: Awaited<ReturnType<typeof createLogPrinter>>,
  first: number,
): Sink {
  let at = first
  return {
    next: () => at,
    async write(logs, next) {
      for (const log of logs)
        await terminal.print(terminal.mode === 'json' ? printer.json(log) : printer.line(log))
      at = next
    },
    finish: async () => {},
    close: async () => {},
    totals: () => ({}),
  }
}

/** Milliseconds between writes of the state. After a kill, the export requests the logs after the last write again. */
const SAVE_MS = 250

async function fileSink(
  path: string,
  target: Target,
  options: LogsOptions & {
    filter: unknown
    first: BlockMark
    last: BlockMark
    io: Io
    signal: AbortSignal
  },
): Promise<Sink> {
  const { first, io, last, signal } = options
  const chain = await target.rpc.call('eth_chainId', [], signal)
  const search = stringify({
    chain,
    from: first.number,
    ...(options.filter as object),
    ...(options.abi && { abi: options.abi }),
  })
  const file = await openExport(path, { search, from: first.number, force: options.force ?? false })
  const printer = await createLogPrinter(createTerminal({ json: true }, io), options.abi)
  await checkSameChain(file, target, last, signal)
  let saved = Date.now()
  return {
    next: () => file.state.next,
    async write(logs, next) {
      await file.append(
        logs.map((log) => printer.json(log)),
        next,
      )
      if (Date.now() - saved < SAVE_MS) return
      await file.save()
      saved = Date.now()
    },
    finish: () => file.save(),
    close: () => file.close(),
    totals: () => ({ totalLogs: file.state.logs, bytes: file.state.bytes }),
  }
}

/** An export up to `latest` may contain blocks that a reorg has removed since. */
async function checkSameChain(
  file: ExportFile,
  target: Target,
  last: BlockMark,
  signal: AbortSignal,
): Promise<void> {
  const { goal } = file.state
  if (goal !== undefined && file.state.next > 0) {
    const now = await readMark(target.rpc, String(goal.number), '--out', signal)
    if (now?.hash !== goal.hash) {
      await file.close()
      throw new CommandError(
        `block ${goal.number} has changed since the export (reorg); --force exports again, --to-block finalized avoids this`,
      )
    }
  }
  if (goal === undefined || goal.number < last.number) file.state.goal = last
  await file.save()
}

/** The same error; with `--out` it says how to continue the export. */
function withAdvice(error: unknown, options: LogsOptions): unknown {
  if (!(error instanceof CommandError) || !options.out) return error
  return reworded(
    error,
    `${error.message}; progress is saved: run the same command again to continue`,
  )
}
