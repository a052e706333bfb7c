import type { Command } from 'commander'
import pLimit from 'p-limit'
import { numberToHex } from 'viem/utils'

import { grouped } from '../../codec/coin.ts'
import { compareResults } from '../../rpc/compare/compare.ts'
import { addWord, type Task } from '../support/command.ts'
import { CommandError, usageError } from '../support/errors.ts'
import type { Io } from '../support/io.ts'
import { stringify } from '../support/json.ts'
import { wholeNumber } from '../support/number.ts'
import { createProgress } from '../support/progress.ts'
import { type Rpc, RpcFailure } from '../support/rpc.ts'
import { resolveTarget } from '../support/target.ts'

type Options = { against?: string; from: string; to?: string; quiet?: boolean }

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
  const other = resolveTarget({ rpcUrl: options.against }, { env: {} })
  const [ours, theirs] = [target.rpc, other.rpc]
  const heads = await Promise.all([ours, theirs].map((server) => server.call('eth_blockNumber')))
  const head = Math.min(...heads.map(Number))
  const from = wholeNumber(options.from, '--from')
  const to = options.to === undefined ? head : Math.min(wholeNumber(options.to, '--to'), head)
  const progress = createProgress(terminal, { quiet: options.quiet === true, from, to, at: from })
  let mismatches = 0
  let refused = 0
  let logs = 0
  try {
    for (let number = from; number <= to; number++) {
      const compared = await compareBlock(number, ours, theirs)
      logs += compared.logs
      mismatches += compared.lines.length - compared.refused
      refused += compared.refused
      for (const line of compared.lines) await terminal.print(line)
      progress.update(number + 1, logs)
    }
  } finally {
    progress.stop()
  }
  const blocks = Math.max(0, to - from + 1)
  const left = refused > 0 ? `, ${grouped(refused)} refused by the other server` : ''
  await terminal.print(
    `${grouped(blocks)} blocks compared, ${grouped(mismatches)} answers differ${left}`,
  )
  if (mismatches > 0) throw new CommandError('')
  return undefined
}

/**
 * The block, its logs and its receipts, from both servers; a line for each answer that differs, or that the other server
 * refused, as a node refuses a block with more than 10,000 logs.
 */
async function compareBlock(number: number, ours: Rpc, theirs: Rpc) {
  const limited = pLimit(CONCURRENCY)
  const lines: string[] = []
  let refused = 0
  const compare = (method: string, params: unknown[]) =>
    limited(async () => {
      const [mine, other] = await Promise.all([
        ours.call(method, params),
        theirs.call(method, params).catch((error: unknown) => {
          if (error instanceof RpcFailure) return error
          throw error
        }),
      ])
      const call = `${method} ${JSON.stringify(params)}`
      if (other instanceof RpcFailure) {
        refused++
        lines.push(stringify({ call, refused: other.rpcMessage }))
        return mine
      }
      const differences = compareResults(mine, other).slice(0, SHOWN)
      if (differences.length > 0) lines.push(stringify({ call, differences }))
      return mine
    })
  const height = numberToHex(number)
  const block = (await compare('eth_getBlockByNumber', [height, true])) as {
    transactions: { hash: string }[]
  } | null
  const [logs] = await Promise.all([
    compare('eth_getLogs', [{ fromBlock: height, toBlock: height }]),
    ...(block?.transactions ?? []).map(({ hash }) => compare('eth_getTransactionReceipt', [hash])),
  ])
  return { lines, logs: (logs as unknown[]).length, refused }
}
