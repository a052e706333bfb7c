import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

import { plural } from '../../codec/coin.ts'
import { loadOptionalPart } from '../../lib/optionalPart.ts'
import { CommandError, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import { searchFilter, type SearchOptions } from '../node/search.ts'
import { blocksText } from '../output/blocksText.ts'
import type { Result } from '../output/result.ts'
import { wholeNumber } from '../text/number.ts'
import { type IndexOptions, requireFacts, withIndex } from '../words/indexOptions.ts'

/** The options of `ethgate index export`. */
export type ExportOptions = IndexOptions &
  SearchOptions & { out?: string; from: string; to?: string }

/** Rows of one search, and of one row group of a Parquet file. */
const ROWS = 20_000

/** Milliseconds that one search may take. No client waits for it. */
const DEADLINE = 3_600_000

/** A log as a row of a table. */
type Row = {
  block_number: number
  block_hash: string
  block_timestamp: number
  transaction_hash: string
  transaction_index: number
  log_index: number
  address: string
  topic0: string | null
  topic1: string | null
  topic2: string | null
  topic3: string | null
  data: string
}

const COLUMNS = [
  ['block_number', 'INT64'],
  ['block_hash', 'STRING'],
  ['block_timestamp', 'INT64'],
  ['transaction_hash', 'STRING'],
  ['transaction_index', 'INT32'],
  ['log_index', 'INT32'],
  ['address', 'STRING'],
  ['topic0', 'STRING'],
  ['topic1', 'STRING'],
  ['topic2', 'STRING'],
  ['topic3', 'STRING'],
  ['data', 'STRING'],
] as const satisfies [keyof Row, string][]

/** `ethgate index export`: writes the logs of a range in order. The file gets its name when it is complete. */
export async function exportIndex(io: Io, options: ExportOptions): Promise<Result> {
  const { out = '' } = options
  const isParquet = out.endsWith('.parquet')
  if (!isParquet && !out.endsWith('.csv'))
    throw usageError('--out needs a file name that ends in .parquet or .csv')
  const from = wholeNumber(options.from, '--from')
  const wanted = options.to === undefined ? undefined : wholeNumber(options.to, '--to')
  const filter = searchFilter(options)
  return withIndex(io, options, async (engine) => {
    const facts = await requireFacts(engine)
    const { readCoverage } = await import('../../logIndex/store/coverage.ts')
    const { createSearcher } = await import('../../logIndex/search/search.ts')
    const covered = await engine.read(readCoverage)
    const to = wanted ?? covered.at(-1)?.to ?? -1
    const isWhole = covered.some((range) => range.from <= from && range.to >= to)
    if (!isWhole)
      throw new CommandError(
        `blocks ${from} to ${to} are not all in the index; see "ethgate index status"`,
      )
    const searcher = createSearcher({ deadline: DEADLINE, engine, facts })
    const bare = (hex: string) => hex.slice(2).toLowerCase()
    const listOf = (choice: string | readonly string[] | null | undefined) =>
      (typeof choice === 'string' ? [choice] : (choice ?? [])).map(bare)
    const addresses = listOf(filter.address)
    const topics = ((filter.topics ?? []) as (string | string[] | null)[]).map(listOf)
    const { addresses: kept } = facts
    if (kept && !(addresses.length > 0 && addresses.every((address) => kept.includes(address))))
      throw new CommandError(
        'the index stores the logs of some contracts only: select them with --address',
      )
    const search = { addresses, topics, from, to }
    let count = 0
    async function* rows(): AsyncGenerator<Row[]> {
      const { readRows } = await import('../../logIndex/search/rows.ts')
      for await (const part of readRows(searcher, search, ROWS)) {
        count += part.length
        yield part.map(toRow)
      }
    }
    const part = `${out}.part`
    await (isParquet ? writeParquet(part, rows()) : writeCsv(part, rows()))
    await rename(part, out)
    return {
      value: { file: out, from, to, logs: count },
      text: () => `${plural(count, 'log')} of ${blocksText({ from, to })} written to ${out}.`,
    }
  })
}

function toRow(log: Record<string, string> & { topics: string[] }): Row {
  const [topic0 = null, topic1 = null, topic2 = null, topic3 = null] = log.topics
  return {
    block_number: Number(log['blockNumber']),
    block_hash: log['blockHash'] ?? '',
    block_timestamp: Number(log['blockTimestamp']),
    transaction_hash: log['transactionHash'] ?? '',
    transaction_index: Number(log['transactionIndex']),
    log_index: Number(log['logIndex']),
    address: log['address'] ?? '',
    topic0,
    topic1,
    topic2,
    topic3,
    data: log['data'] ?? '',
  }
}

async function writeCsv(file: string, rows: AsyncIterable<Row[]>): Promise<void> {
  async function* lines() {
    yield `${COLUMNS.map(([name]) => name).join(',')}\n`
    // Hex and numbers need no quotes.
    for await (const part of rows)
      yield part.map((row) => `${COLUMNS.map(([name]) => row[name] ?? '').join(',')}\n`).join('')
  }
  await pipeline(lines, createWriteStream(file))
}

async function writeParquet(file: string, rows: AsyncIterable<Row[]>): Promise<void> {
  const { fileWriter, ParquetWriter, schemaFromColumnData } = await loadOptionalPart(
    () => import('hyparquet-writer'),
  )
  const columns = (part: readonly Row[]) =>
    COLUMNS.map(([name, type]) => ({
      name,
      type,
      nullable: name.startsWith('topic'),
      data: part.map((row) => (type === 'INT64' ? BigInt(row[name]) : row[name])),
    }))
  const schema = schemaFromColumnData({ columnData: columns([]) })
  const writer = new ParquetWriter({ writer: fileWriter(file), schema })
  for await (const part of rows)
    await writer.write({
      columnData: columns(part).map(({ data, name }) => ({ data, name })),
      rowGroupSize: ROWS,
    })
  await writer.finish()
}
