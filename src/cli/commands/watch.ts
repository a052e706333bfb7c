import type { Command } from 'commander'

import { grouped } from '../../codec/coin.ts'
import type { RpcHeader } from '../../codec/types.ts'
import { withChecksum } from '../../lib/address.ts'
import { CommandError, EXIT } from '../base/errors.ts'
import { pause, untilInterrupt } from '../base/interrupt.ts'
import type { Io } from '../base/io.ts'
import { stringify } from '../base/json.ts'
import type { Terminal } from '../base/terminal.ts'
import { followChain, type Watch, type Watched } from '../node/followChain.ts'
import { createNewHeads } from '../node/newHeads.ts'
import { requireMark, searchFilter, type SearchOptions } from '../node/search.ts'
import { createLogPrinter } from '../output/logPrinter.ts'
import { time } from '../output/table.ts'
import { wholeNumber } from '../text/number.ts'
import { addCommand, addWord, collect, type Task, type Word } from '../words/command.ts'

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
  addWord<WatchOptions>(watch, io, {
    usage: 'heads',
    summary: 'follow new blocks',
    options: OPTIONS,
    examples: [
      ['ethgate watch heads --count 1', 'waits for the next block'],
      ['ethgate watch heads --from-block 100 --json', 'starting at block 100, then live'],
    ],
    calls: 'rpc',
    run: (task) =>
      follow(task, undefined, (item) => {
        if (!('header' in item)) return ''
        const { terminal } = task
        return terminal.mode === 'json' ? stringify(item.header) : headLine(terminal, item.header)
      }),
  })
  addWord<WatchOptions & SearchOptions & { abi?: string }>(watch, io, {
    usage: 'logs [topics...]',
    summary: 'follow logs',
    options: [
      ['--address <address>', 'only logs of this contract; may be repeated', collect],
      ['--abi <file>', 'ABI, artifact or list of signatures, to decode the logs'],
      ...OPTIONS,
    ],
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
    calls: 'rpc',
    async run(task, topic) {
      const { options, terminal } = task
      const printer = await createLogPrinter(terminal, options.abi)
      const filter = searchFilter({ ...options, topic: topic as string[] })
      return follow(task, filter, (item) => {
        if (!('log' in item)) return ''
        return terminal.mode === 'json' ? printer.json(item.log) : printer.line(item.log)
      })
    },
  })
}

const OPTIONS = [
  ['--from-block <block>', 'first block: a number, latest or finalized (default: the next one)'],
  ['--count <n>', 'exit after this many'],
  ['--poll', 'poll even if the server supports WebSockets'],
  ['--interval <ms>', 'time between polls, milliseconds', '1000'],
] as const satisfies Word<WatchOptions>['options']

type WatchOptions = { fromBlock?: string; count?: string; poll?: boolean; interval: string }

async function follow(
  { options, target: { headers, rpc }, terminal }: Task<WatchOptions>,
  filter: Watch['filter'],
  show: (item: Watched) => string,
): Promise<undefined> {
  const interval = wholeNumber(options.interval, '--interval', 1)
  const limit =
    options.count === undefined
      ? Number.POSITIVE_INFINITY
      : wholeNumber(options.count, '--count', 1)
  const done = new AbortController()
  const note = (text: string) => terminal.error(`ethgate: ${text}`)
  let shown = 0
  await untilInterrupt(async (interrupted) => {
    const signal = AbortSignal.any([interrupted, done.signal])
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
    }
    if (interrupted.aborted && shown < limit)
      throw new CommandError('', { exitCode: EXIT.interrupted })
  })
}

function headLine(terminal: Terminal, header: RpcHeader): string {
  const at = time(Number(header.timestamp) * 1000)
  return `${terminal.bold(`#${grouped(BigInt(header.number))}`)} ${terminal.dim(header.hash)} ${at} ${grouped(BigInt(header.gasUsed))} energy by ${withChecksum(header.miner)}`
}
