import type { Command } from 'commander'
import pLimit from 'p-limit'
import { createPublicClient, http } from 'viem'
import { numberToHex } from 'viem/utils'

import { grouped } from '../../codec/coin.ts'
import { compareResults } from '../../rpc/compare/compare.ts'
import { addCommand } from '../support/command.ts'
import { CommandError } from '../support/errors.ts'
import type { Io } from '../support/io.ts'
import { wholeNumber } from '../support/number.ts'
import { createProgress } from '../support/progress.ts'
import { createTerminal } from '../support/terminal.ts'

type Options = { rpcUrl: string; against: string; from: string; to?: string; quiet?: boolean }

/** Differences that are printed for each answer. */
const SHOWN = 3

/** Comparisons in flight. */
const CONCURRENCY = 8

/** `ethgate verify`: compares two JSON-RPC servers over a range of blocks. */
export function addVerifyCommand(program: Command, io: Io): void {
  addCommand(program, 'verify', {
    summary: 'compare a gateway with another JSON-RPC server, block by block',
    description:
      'Reads every block of a range with its transactions, receipts and logs from both servers and prints the differences. ' +
      'It ignores known differences of the node’s own JSON-RPC. Exit code 1 when an answer differs.',
    examples: [
      [
        'ethgate verify --rpc-url http://127.0.0.1:8545 --against http://127.0.0.1:8555/jsonrpc --from 1 --to 200',
        'compare with a node’s own JSON-RPC',
      ],
    ],
  })
    .requiredOption('-r, --rpc-url <url>', 'the gateway')
    .requiredOption('--against <url>', 'the other server')
    .option('--from <block>', 'first block', '1')
    .option('--to <block>', 'last block (default: the newest that both have)')
    .option('--quiet', 'do not show progress')
    .action((options: Options) => verify(io, options))
}

async function verify(io: Io, options: Options): Promise<void> {
  const terminal = createTerminal({}, io)
  const [ours, theirs] = [caller(options.rpcUrl), caller(options.against)]
  const heads = await Promise.all([ours('eth_blockNumber', []), theirs('eth_blockNumber', [])])
  const head = Math.min(...heads.map(Number))
  const from = wholeNumber(options.from, '--from')
  const to = options.to === undefined ? head : Math.min(wholeNumber(options.to, '--to'), head)
  const progress = createProgress(terminal, { quiet: options.quiet === true, from, to, at: from })
  let mismatches = 0
  let logs = 0
  try {
    for (let number = from; number <= to; number++) {
      const compared = await compareBlock(number, ours, theirs)
      logs += compared.logs
      mismatches += compared.lines.length
      for (const line of compared.lines) await terminal.print(line)
      progress.update(number + 1, logs)
    }
  } finally {
    progress.stop()
  }
  const blocks = Math.max(0, to - from + 1)
  await terminal.print(`${grouped(blocks)} blocks compared, ${grouped(mismatches)} answers differ`)
  if (mismatches > 0) throw new CommandError('')
}

/** The block, its logs and its receipts, from both servers; a line for each answer that differs. */
async function compareBlock(number: number, ours: Caller, theirs: Caller) {
  const limited = pLimit(CONCURRENCY)
  const lines: string[] = []
  const compare = (method: string, params: unknown[]) =>
    limited(async () => {
      const [mine, other] = await Promise.all([ours(method, params), theirs(method, params)])
      const differences = compareResults(mine, other).slice(0, SHOWN)
      const call = `${method} ${JSON.stringify(params)}`
      if (differences.length > 0) lines.push(JSON.stringify({ call, differences }))
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
  return { lines, logs: (logs as unknown[]).length }
}

type Caller = (method: string, params: unknown[]) => Promise<unknown>

/** @throws CommandError when the server answers an error or cannot be reached */
function caller(url: string): Caller {
  const client = createPublicClient({ transport: http(url) })
  const request = client.request as (call: {
    method: string
    params: unknown[]
  }) => Promise<unknown>
  return async (method, params) => {
    try {
      return await request({ method, params })
    } catch (error) {
      const { details, shortMessage } = error as { details?: string; shortMessage?: string }
      throw new CommandError(`${url}: ${details ?? shortMessage ?? (error as Error).message}`, {
        cause: error,
      })
    }
  }
}
