import type { Command } from 'commander'

import type { RpcHeader } from '../codec/types.ts'
import {
  addCommand,
  addOutputOptions,
  addRequestOptions,
  addRpcOption,
  collect,
  CommandError,
  EXIT,
  usageError,
} from './command.ts'
import { tryAddress } from './support/address.ts'
import { group } from './support/amount.ts'
import { followByPolling, type Watch, type Watched } from './support/follow.ts'
import { onInterrupt } from './support/interrupt.ts'
import { stringify } from './support/json.ts'
import { createLogPrinter } from './support/logPrinter.ts'
import { readMark, searchFilter, type SearchOptions } from './support/search.ts'
import { time } from './support/table.ts'
import { resolveTarget, type TargetOptions } from './support/target.ts'
import { createTerminal, type Terminal } from './support/terminal.ts'

/** `ethgate watch heads | logs`: the chain as it grows. */
export function addWatchCommand(program: Command): void {
  const watch = addCommand(program, 'watch', {
    summary: 'follow new blocks or logs',
    description:
      'Follows the chain until Ctrl-C. Over WebSocket where the gateway offers it, otherwise by polling; either way a lost ' +
      'connection is resumed without gaps or duplicates, and logs of blocks that left the chain come again with "removed".',
    examples: [
      ['ethgate watch heads', 'a line for each new block'],
      [
        'ethgate watch logs --address TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf --json',
        'a JSON object for each log',
      ],
    ],
  })
  const heads = addCommand(watch, 'heads', {
    summary: 'follow new blocks',
    examples: [
      ['ethgate watch heads --count 1', 'waits for the next block'],
      ['ethgate watch heads --from 100 --json', 'from block 100 on, then live'],
    ],
  })
  addWatchOptions(heads).action((options: WatchOptions) => watchHeads(options))
  const logs = addCommand(watch, 'logs', {
    summary: 'follow logs',
    examples: [
      ['ethgate watch logs', 'every log'],
      [
        'ethgate watch logs --topic "Transfer(address,address,uint256)" --topic any --topic TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
        'transfers to an account, of any token',
      ],
      [
        'ethgate watch logs --from finalized --abi Token.json --json',
        'decoded, since the confirmed block',
      ],
    ],
  })
    .option('--address <address>', 'only logs of this contract; may be repeated', collect)
    .option(
      '--topic <topic>',
      'topic at the next position: hex, event signature, address, number, any; commas mean or',
      collect,
    )
    .option('--abi <file>', 'ABI, artifact or list of signatures that explains the logs')
  addWatchOptions(logs).action((options: WatchOptions) => watchLogs(options))
}

function addWatchOptions(command: Command): Command {
  command
    .option(
      '--from <block>',
      'begin with this block: a number, latest, finalized; default: the next one',
    )
    .option('--count <n>', 'end after this many')
    .option('--poll', 'poll, also where there is a WebSocket')
    .option('--interval <ms>', 'time between polls, milliseconds', '1000')
  return addOutputOptions(addRequestOptions(addRpcOption(command)))
}

type WatchOptions = TargetOptions &
  SearchOptions & {
    from?: string
    count?: string
    poll?: boolean
    interval: string
    abi?: string
    json?: boolean
    table?: boolean
  }

async function watchHeads(options: WatchOptions): Promise<void> {
  const terminal = createTerminal(options)
  await run(options, terminal, undefined, (item) =>
    'header' in item
      ? terminal.mode === 'json'
        ? stringify(item.header)
        : headLine(terminal, item.header)
      : '',
  )
}

async function watchLogs(options: WatchOptions): Promise<void> {
  const terminal = createTerminal(options)
  const printer = await createLogPrinter(terminal, options.abi)
  await run(options, terminal, searchFilter(options), (item) =>
    'log' in item
      ? terminal.mode === 'json'
        ? printer.json(item.log)
        : printer.line(item.log)
      : '',
  )
}

async function run(
  options: WatchOptions,
  terminal: Terminal,
  filter: Watch['filter'],
  show: (item: Watched) => string,
): Promise<void> {
  const { rpc, headers } = resolveTarget(options)
  const interval = positive(options.interval, '--interval')
  const limit =
    options.count === undefined ? Number.POSITIVE_INFINITY : positive(options.count, '--count')
  const interrupt = onInterrupt()
  const done = new AbortController()
  const from =
    options.from === undefined ? undefined : (await readMark(rpc, options.from, '--from'))?.number
  if (options.from !== undefined && from === undefined)
    throw new CommandError(`--from: there is no block ${options.from} yet`)
  let shown = 0
  const watch: Watch = {
    rpc,
    ...(filter && { filter }),
    ...(from !== undefined && { from }),
    signal: AbortSignal.any([interrupt.signal, done.signal]),
    async deliver(item) {
      if (shown >= limit) return
      shown += 1
      await terminal.print(show(item))
      if (shown >= limit) done.abort()
    },
    note: (text) => terminal.error(`ethgate: ${text}`),
  }
  try {
    await follow(watch, { url: rpc.url, headers }, options.poll ? 'poll' : 'socket', interval)
  } catch (error) {
    if (!watch.signal.aborted) throw error
  } finally {
    interrupt.release()
  }
  if (interrupt.signal.aborted && shown < limit) process.exitCode = EXIT.interrupted
}

async function follow(
  watch: Watch,
  server: { url: string; headers: Record<string, string> },
  way: 'socket' | 'poll',
  interval: number,
): Promise<void> {
  if (way === 'socket') {
    const { followBySocket, tryResumableSocket } = await import('./support/subscribe.ts')
    const { connect } = await import('./support/socket.ts')
    const socket = await tryResumableSocket(server)
    if (socket) return followBySocket(watch, socket, () => connect(server))
  }
  return followByPolling(watch, interval)
}

function headLine(terminal: Terminal, header: RpcHeader): string {
  const at = time(Number(header.timestamp) * 1000)
  const producer = tryAddress(header.miner)?.base58 ?? header.miner
  return `${terminal.bold(`#${group(BigInt(header.number))}`)} ${terminal.dim(header.hash)} ${at} ${group(BigInt(header.gasUsed))} energy by ${producer}`
}

function positive(text: string, option: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1)
    throw usageError(`${option} needs a number above 0, got "${text}"`)
  return number
}
