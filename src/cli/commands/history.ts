import type { Command } from 'commander'

import type { RpcHistory } from '../../codec/types.ts'
import { withChecksum } from '../../lib/address.ts'
import { usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import { scalar } from '../base/json.ts'
import type { Terminal } from '../base/terminal.ts'
import type { Result } from '../output/result.ts'
import { renderRows, time } from '../output/table.ts'
import { parseAddress } from '../text/address.ts'
import { wholeNumber } from '../text/number.ts'
import type { Unit } from '../text/unit.ts'
import { addWord, type Task } from '../words/command.ts'

type HistoryOptions = {
  kind?: string
  before?: string
  after?: string
  limit: string
  all?: boolean
  csv?: boolean
}

type Row = RpcHistory['transactions'][number]

/** Transactions of one request with --all. */
const PAGE = 500

const COLUMNS = ['block', 'time', 'kinds', 'from', 'to', 'value', 'status', 'hash'] as const

/** `ethgate history`: the transactions of an account. */
export function addHistoryCommand(program: Command, io: Io): void {
  addWord<HistoryOptions>(program, io, {
    usage: 'history <address>',
    summary: 'list the transactions that concern an account, newest first',
    description:
      'Lists the transactions that concern an account: sent, received, in calls inside them, and in transfers of tokens. A development ' +
      'chain knows all of them, and so does a gateway with a log index (--index). Without an index, the newest blocks are searched.',
    options: [
      ['--kind <kind>', 'only sent, received, internal, tokens or creation'],
      ['--before <position>', 'older than a position of an earlier answer, or than a block'],
      ['--after <position>', 'the next ones that are newer'],
      ['--limit <n>', 'maximum number of transactions', '25'],
      ['--all', 'the whole history, in many requests'],
      ['--csv', 'print CSV'],
    ],
    examples: [
      ['ethgate history TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp', 'the newest 25 transactions'],
      ['ethgate history TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp --all --csv', 'everything, as CSV'],
    ],
    calls: 'rpc',
    hasFields: true,
    run: (task, [text = '']) => history(task, text),
  })
}

async function history(
  { options, target, terminal }: Task<HistoryOptions>,
  text: string,
): Promise<Result> {
  const { after, all = false, before, csv = false, kind } = options
  if (after !== undefined && (before !== undefined || all))
    throw usageError('--after goes with neither --before nor --all')
  const address = parseAddress(text, 'history').eth
  const unit = await target.unit()
  const wanted = all ? Infinity : wholeNumber(options.limit, '--limit', 1)
  const result: RpcHistory = {
    transactions: [],
    older: null,
    newer: null,
    searched: { from: '0x', to: '0x' },
    complete: true,
  }
  const bound = { before: blockOf(before), after: blockOf(after) }
  if (csv) await terminal.print(COLUMNS.join())
  let count = 0
  for (;;) {
    const limit = Math.min(wanted - count, PAGE)
    const page = (await target.rpc.call('ethgate_getTransactions', [
      { address, kind, limit, ...bound },
    ])) as RpcHistory
    count += page.transactions.length
    if (csv) for (const row of page.transactions) await terminal.print(cellsOf(row, String).join())
    else result.transactions.push(...page.transactions)
    const { complete, newer, older, searched } = page
    const { to } = result.searched.to === '0x' ? searched : result.searched
    Object.assign(result, { complete, older, searched: { from: searched.from, to } })
    result.newer ??= newer
    if (older === null || count >= wanted || after !== undefined) break
    bound.before = older
  }
  const note = noteOf(result)
  if (note !== undefined && (csv || terminal.mode === 'table')) terminal.error(note)
  return csv ? undefined : { value: result, text: (terminal) => table(terminal, result, unit) }
}

/** A block number as a quantity; a position as it is. */
const blockOf = (text: string | undefined) =>
  text !== undefined && /^\d{1,15}$/.test(text) ? `0x${Number(text).toString(16)}` : text

function table(terminal: Terminal, { transactions }: RpcHistory, unit: Unit): string {
  if (transactions.length === 0) return terminal.dim('no transactions')
  return renderRows(
    terminal,
    COLUMNS,
    transactions.map((row) => cellsOf(row, (sun) => unit.text(sun))),
    [5],
  )
}

/** The texts of a row. Only those of amounts may have a comma. */
function cellsOf(
  { kinds, receipt, timestamp, transaction }: Row,
  amountOf: (amount: bigint) => string,
): string[] {
  const { blockNumber, from, hash, to, value } = transaction
  return [
    String(Number(scalar(blockNumber))),
    time(Number(scalar(timestamp)) * 1_000),
    kinds.join(' '),
    withChecksum(from),
    withChecksum(to ?? receipt.contractAddress ?? ''),
    amountOf(BigInt(scalar(value) ?? 0)),
    receipt.status === '0x1' ? 'success' : 'failed',
    hash,
  ]
}

/** What is not in the answer. */
function noteOf({ complete, older, searched }: RpcHistory): string | undefined {
  const next = older === null ? '' : `; older ones: --before ${older}`
  if (complete) return older === null ? undefined : `There are more${next}`
  return `Only blocks from ${Number(searched.from)} on were searched, because the gateway has no index of accounts below (serve with --index DIR)${next}`
}
