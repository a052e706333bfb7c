import type { Engine, View } from './engine/engine.ts'
import type { BlockReader } from './fill/source.ts'
import type { IndexBlock } from './format/block.ts'
import { packKey } from './format/keys.ts'
import { packsOf } from './format/packs.ts'
import { createAccountSearcher } from './search/accounts.ts'
import { createSearcher, type Searcher } from './search/search.ts'
import { coverageOf, readCoverage, readSegments, withAccounts } from './store/coverage.ts'
import type { Facts } from './store/facts.ts'

/** Blocks that are read from the node together. */
const BATCH = 64

/** Deadline of the search for one log, in milliseconds. */
const DEADLINE = 60_000

/**
 * Compares blocks of an index with the node: the logs as they are stored, byte by byte, whether each is found by its address and topics,
 * and whether the transactions of each account are found.
 *
 * @param sample - how many blocks, spread evenly. All without it, and when the index has no more blocks.
 * @throws UpstreamError
 */
export async function verifyBlocks({
  engine,
  facts,
  random = Math.random,
  reader,
  sample: wanted,
}: verifyBlocks.Options): Promise<{ blocks: number; logs: number; wrong: number[] }> {
  const covered = await engine.read(readCoverage)
  const total = covered.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const sample = wanted !== undefined && wanted < total ? wanted : undefined
  const known = coverageOf(withAccounts(await engine.read(readSegments)))
  const accounts = createAccountSearcher({ deadline: DEADLINE, engine, facts })
  const searcher = createSearcher({ deadline: DEADLINE, engine, facts })
  const kept = facts.addresses && new Set(facts.addresses)
  const runs = sample === undefined ? 1 : Math.max(1, Math.ceil(sample / BATCH))
  const result = { blocks: 0, logs: 0, wrong: [] as number[] }
  for (const { from, to } of covered) {
    const length = to - from + 1
    const count = sample === undefined ? 1 : Math.max(1, Math.round((runs * length) / total))
    for (let run = 0; run < count; run++) {
      const span = Math.floor(length / count)
      const start =
        from +
        run * span +
        (sample === undefined ? 0 : Math.floor(random() * Math.max(1, span - BATCH)))
      // The samples do not overlap, so that no block is counted twice.
      const end = sample === undefined ? to : Math.min(from + (run + 1) * span, start + BATCH) - 1
      for (let at = start; at <= end; at += BATCH)
        for await (const block of reader.read(at, Math.min(end, at + BATCH - 1))) {
          const logs = kept ? block.logs.filter(({ address }) => kept.has(address)) : block.logs
          const own = { ...block, logs }
          const isSame =
            (await engine.read((view) => isStored(view, own, engine.logsPerPack))) &&
            (await isFound(searcher, own)) &&
            (!known.some(({ from, to }) => from <= block.number && block.number <= to) ||
              (await hasAccounts(accounts, block)))
          result.blocks += 1
          result.logs += logs.length
          if (!isSame) result.wrong.push(block.number)
        }
    }
  }
  return result
}

export declare namespace verifyBlocks {
  type Options = {
    engine: Engine
    facts: Facts
    reader: BlockReader
    sample?: number | undefined
    /** @default Math.random */
    random?: () => number
  }
}

async function isStored(view: View, block: IndexBlock, logsPerPack: number): Promise<boolean> {
  const expected = packsOf(block, logsPerPack)
  const stored = await view.range('logs', {
    from: packKey(block.number, 0),
    to: packKey(block.number + 1, 0),
  })
  return (
    stored.length === expected.length &&
    stored.every(({ key, value }, index) => {
      const pack = expected[index]
      return pack !== undefined && key.equals(pack.key) && value.equals(pack.value)
    })
  )
}

/** Whether the lists of the accounts of a block have its transactions. Those of hashes that are shared have more. */
async function hasAccounts(
  searcher: ReturnType<typeof createAccountSearcher>,
  { number, transactions }: IndexBlock,
): Promise<boolean> {
  const range = { from: number, to: number, kinds: 0, limit: Infinity, order: 'oldest' } as const
  for (const account of new Set(transactions.flatMap(({ accounts }) => [...accounts.keys()]))) {
    const { places } = await searcher.search({ ...range, account, list: 'concerns' })
    const found = new Map(places.map(({ index, kinds }) => [index, kinds]))
    for (const [index, { accounts }] of transactions.entries())
      if (accounts.has(account) && found.get(index) !== accounts.get(account)) return false
  }
  for (const [index, { created }] of transactions.entries())
    for (const { contract } of created) {
      const { places } = await searcher.search({ ...range, account: contract, list: 'created' })
      if (!places.some((place) => place.index === index)) return false
    }
  return true
}

/** Whether every kind of log of a block is found through its lists. */
async function isFound(searcher: Searcher, { logs, number }: IndexBlock): Promise<boolean> {
  const kinds = new Map<string, { count: number; address: string; topics: readonly string[] }>()
  for (const { address, topics } of logs) {
    const kind = [address, ...topics].join()
    const known = kinds.get(kind)
    if (known) known.count += 1
    else kinds.set(kind, { address, count: 1, topics })
  }
  for (const { address, count, topics } of kinds.values()) {
    const found = await searcher.search({
      addresses: [address],
      topics: topics.map((topic) => [topic]),
      from: number,
      to: number,
    })
    // Logs with the same topics and more of them match as well.
    if (found.count < count) return false
  }
  return true
}
