import type { Command } from 'commander'
import pLimit from 'p-limit'
import { numberToHex } from 'viem/utils'

import { grouped, plural } from '../../codec/coin.ts'
import { compareResults } from '../../rpc/compare/compare.ts'
import { CommandError, EXIT, reworded, usageError } from '../base/errors.ts'
import { untilInterrupt } from '../base/interrupt.ts'
import type { Io } from '../base/io.ts'
import { stringify } from '../base/json.ts'
import { type Rpc, RpcFailure } from '../base/rpcClient.ts'
import { resolveTarget } from '../node/target.ts'
import { createProgress } from '../output/progress.ts'
import { wholeNumber } from '../text/number.ts'
import { addWord, type Task } from '../words/command.ts'

type Options = { against?: string; from: string; to?: string; blocks?: string; quiet?: boolean }

/** Differences that are printed for each answer. */
const SHOWN = 3

/** Comparisons in flight. */
const CONCURRENCY = 8

/** `ethgate verify`: compares two JSON-RPC servers over a range of blocks. */
export function addVerifyCommand(program: Command, io: Io): void {
  addWord<Options>(program, io, {
    usage: 'verify',
    summary: 'compare a gateway with another JSON-RPC server, block by block',
    description:
      'Reads every block of a range with its transactions, receipts and logs from both servers and prints the differences. ' +
      'It ignores known differences of the node’s own JSON-RPC. Exit code 1 when an answer differs.',
    options: [
      ['--against <url>', 'the other server'],
      ['--from <block>', 'first block', '1'],
      ['--to <block>', 'last block (default: the newest that both have)'],
      ['--blocks <count>', 'only this many blocks, spread evenly over the range'],
      ['--quiet', 'do not show progress'],
    ],
    examples: [
      [
        'ethgate verify --rpc-url http://127.0.0.1:8545 --against http://127.0.0.1:8555/jsonrpc --from 1 --to 200',
        'compare with a node’s own JSON-RPC',
      ],
    ],
    calls: 'rpc',
    run: verify,
  })
}

async function verify({ options, target, terminal }: Task<Options>): Promise<undefined> {
  if (options.against === undefined)
    throw usageError('the other server is missing: give --against URL')
  // The headers of the gateway are not for the other server.
  const { against: rpcUrl, timeout = '30' } = options
  const other = resolveTarget({ rpcUrl, timeout }, { env: {} }, '--against')
  const [ours, theirs] = [target.rpc, other.rpc]
  const heads = await Promise.all([ours, theirs].map((server) => server.call('eth_blockNumber')))
  const head = Math.min(...heads.map(Number))
  const from = wholeNumber(options.from, '--from')
  const to = options.to === undefined ? head : Math.min(wholeNumber(options.to, '--to'), head)
  if (from > to) throw usageError(`--from ${from} is after the last block, ${to}`)
  const heights = spread(from, to, options.blocks)
  const quiet = options.quiet === true
  const progress = createProgress(terminal, { quiet, from, to, at: from, unit: 'answer' })
  const total = { blocks: 0, answers: 0, mismatches: 0, refused: 0 }
  const failure = await untilInterrupt(async (signal) => {
    try {
      while (total.blocks < heights.count) {
        const number = heights.at(total.blocks)
        const compared = await compareBlock(number, ours, theirs, signal)
        total.blocks++
        total.answers += compared.answers
        total.mismatches += compared.lines.length - compared.refused
        total.refused += compared.refused
        for (const line of compared.lines) await terminal.print(line)
        progress.update(number + 1, total.answers)
      }
      return undefined
    } catch (error) {
      return signal.aborted ? undefined : error
    } finally {
      progress.stop()
    }
  })
  const left = total.refused > 0 ? `, ${grouped(total.refused)} refused by the other server` : ''
  await terminal.print(
    `${plural(total.blocks, 'block')}, ${plural(total.answers, 'answer')} compared, ${plural(total.mismatches, 'differs', 'differ')}${left}`,
  )
  if (total.blocks < heights.count) throw stoppedBefore(heights.at(total.blocks), failure)
  if (total.mismatches > 0) throw new CommandError('')
  return undefined
}

/** What ended the command before a block: a failure, or Ctrl-C. */
function stoppedBefore(number: number, failure: unknown): unknown {
  const text = `stopped before block ${number}`
  if (failure === undefined) return new CommandError(text, { exitCode: EXIT.interrupted })
  if (!(failure instanceof CommandError)) return failure
  return reworded(failure, `${text}: ${failure.message}`)
}

/** All heights from `from` to `to`, or `blocks` of them, evenly spaced. Two or more include both ends. */
function spread(from: number, to: number, blocks: string | undefined) {
  const range = to - from + 1
  const count = Math.min(range, blocks === undefined ? range : wholeNumber(blocks, '--blocks', 1))
  const last = Math.max(1, count - 1)
  return { count, at: (index: number) => from + Math.floor((index * (range - 1)) / last) }
}

/**
 * The block, its logs and its receipts, from both servers; a line for each answer that differs, or that the other server
 * refused, as a node refuses a block with more than 10,000 logs. An answer that only the gateway refuses differs.
 *
 * @throws RpcFailure when the gateway does not answer the block.
 */
async function compareBlock(number: number, ours: Rpc, theirs: Rpc, signal: AbortSignal) {
  const limited = pLimit(CONCURRENCY)
  const lines: string[] = []
  let answers = 0
  let refused = 0
  const compare = (method: string, params: unknown[]) =>
    limited(async () => {
      const [mine, other] = await Promise.all(
        [ours, theirs].map((server) => server.call(method, params, signal).catch(refusalOf)),
      )
      const call = `${method} ${JSON.stringify(params)}`
      if (other instanceof RpcFailure) {
        refused++
        lines.push(stringify({ call, refused: other.rpcMessage }))
        return mine
      }
      answers++
      if (mine instanceof RpcFailure) lines.push(stringify({ call, differs: mine.rpcMessage }))
      else {
        const differences = compareResults(mine, other).slice(0, SHOWN)
        if (differences.length > 0) lines.push(stringify({ call, differences }))
      }
      return mine
    })
  const height = numberToHex(number)
  const block = await compare('eth_getBlockByNumber', [height, true])
  if (block instanceof RpcFailure) throw block
  const { transactions = [] } = (block ?? {}) as { transactions?: { hash: string }[] }
  await Promise.all([
    compare('eth_getLogs', [{ fromBlock: height, toBlock: height }]),
    ...transactions.map(({ hash }) => compare('eth_getTransactionReceipt', [hash])),
  ])
  return { answers, lines, refused }
}

/** The error that a server answered. */
function refusalOf(error: unknown): RpcFailure {
  if (error instanceof RpcFailure) return error
  throw error
}
