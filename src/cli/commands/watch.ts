import type { Command } from 'commander'

import { grouped } from '../../codec/coin.ts'
import type { RpcHeader } from '../../codec/types.ts'
import { tryAddress } from '../support/address.ts'
import { addCommand, addOutputOptions, addRpcOptions, collect } from '../support/command.ts'
import { CommandError, EXIT } from '../support/errors.ts'
import { followChain, type Watch, type Watched } from '../support/followChain.ts'
import { onInterrupt, pause } from '../support/interrupt.ts'
import type { Io } from '../support/io.ts'
import { stringify } from '../support/json.ts'
import { createLogPrinter } from '../support/logPrinter.ts'
import { createNewHeads } from '../support/newHeads.ts'
import { wholeNumber } from '../support/number.ts'
import { requireMark, searchFilter, type SearchOptions } from '../support/search.ts'
import { time } from '../support/table.ts'
import { resolveTarget, type TargetOptions } from '../support/target.ts'
import { createTerminal, type Terminal } from '../support/terminal.ts'

/** `ethgate watch heads | logs`: follows the chain. */
export function addWatchCommand(program: Command, io: Io): void {
  const watch = addCommand(program, 'watch', {
    summary: 'follow new blocks or logs',
    description:
      'Follows the chain until Ctrl-C. Uses a WebSocket if the server supports it. Otherwise, and with ' +
      '--header, it polls the head. After a lost connection it resumes without gaps or duplicates. Logs of blocks that a ' +
      'reorg removed are printed again with "removed".',
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
      ['ethgate watch heads --from-block 100 --json', 'starting at block 100, then live'],
    ],
  })
  addWatchOptions(heads).action((options: WatchOptions) => watchHeads(io, options))
  const logs = addCommand(watch, 'logs [topics...]', {
    summary: 'follow logs',
    examples: [
      ['ethgate watch logs', 'every log'],
      [
        'ethgate watch logs "Transfer(address,address,uint256)" any TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
        'transfers to an account, of any token',
      ],
      [
        'ethgate watch logs --from-block finalized --abi Token.json --json',
        'decoded, starting at the solidified block',
      ],
    ],
  })
    .option('--address <address>', 'only logs of this contract; may be repeated', collect)
    .option('--abi <file>', 'ABI, artifact or list of signatures, to decode the logs')
  addWatchOptions(logs).action((topic: string[], options: WatchOptions) =>
    watchLogs(io, { ...options, topic }),
  )
}

function addWatchOptions(command: Command): Command {
  command
    .option(
      '--from-block <block>',
      'first block: a number, latest or finalized (default: the next one)',
    )
    .option('--count <n>', 'exit after this many')
    .option('--poll', 'poll even if the server supports WebSockets')
    .option('--interval <ms>', 'time between polls, milliseconds', '1000')
  return addOutputOptions(addRpcOptions(command))
}

type WatchOptions = TargetOptions &
  SearchOptions & {
    fromBlock?: string
    count?: string
    poll?: boolean
    interval: string
    abi?: string
    json?: boolean
    table?: boolean
  }

async function watchHeads(io: Io, options: WatchOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  await run(io, options, terminal, undefined, (item) =>
    'header' in item
      ? terminal.mode === 'json'
        ? stringify(item.header)
        : headLine(terminal, item.header)
      : '',
  )
}

async function watchLogs(io: Io, options: WatchOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const printer = await createLogPrinter(terminal, options.abi)
  await run(io, options, terminal, searchFilter(options), (item) =>
    'log' in item
      ? terminal.mode === 'json'
        ? printer.json(item.log)
        : printer.line(item.log)
      : '',
  )
}

async function run(
  io: Io,
  options: WatchOptions,
  terminal: Terminal,
  filter: Watch['filter'],
  show: (item: Watched) => string,
): Promise<void> {
  const { rpc, headers } = resolveTarget(options, io)
  const interval = wholeNumber(options.interval, '--interval', 1)
  const limit =
    options.count === undefined
      ? Number.POSITIVE_INFINITY
      : wholeNumber(options.count, '--count', 1)
  const interrupt = onInterrupt()
  const done = new AbortController()
  const signal = AbortSignal.any([interrupt.signal, done.signal])
  const note = (text: string) => terminal.error(`ethgate: ${text}`)
  let shown = 0
  try {
    const first =
      options.fromBlock === undefined
        ? undefined
        : await requireMark(rpc, options.fromBlock, '--from-block', signal)
    await followChain({
      rpc,
      ...(filter && { filter }),
      ...(first && { from: first.number }),
      signal,
      heads:
        options.poll || Object.keys(headers).length > 0
          ? { next: () => pause(interval, signal) }
          : createNewHeads({ url: rpc.url, interval, signal, note }),
      async deliver(item) {
        if (shown >= limit) return
        shown += 1
        await terminal.print(show(item))
        if (shown >= limit) done.abort()
      },
      note,
    })
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    done.abort()
    interrupt.release()
  }
  if (interrupt.signal.aborted && shown < limit)
    throw new CommandError('', { exitCode: EXIT.interrupted })
}

function headLine(terminal: Terminal, header: RpcHeader): string {
  const at = time(Number(header.timestamp) * 1000)
  const producer = tryAddress(header.miner)?.base58 ?? header.miner
  return `${terminal.bold(`#${grouped(BigInt(header.number))}`)} ${terminal.dim(header.hash)} ${at} ${grouped(BigInt(header.gasUsed))} energy by ${producer}`
}
