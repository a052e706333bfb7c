import type { Hash } from 'viem'

import { inUnit } from '../../codec/amounts.ts'
import type { BlockId } from '../../codec/blockRef.ts'
import type { RpcBlock, RpcHeader } from '../../codec/types.ts'
import { SUN, type Unit } from '../../codec/unit.ts'
import type { Call } from '../../lib/call.ts'
import { NarrowRangeError, UpstreamError } from '../../lib/errors.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import type { Chain, LogMatch } from '../blocks/chainTypes.ts'
import { createLogTest } from '../blocks/logMatch.ts'
import type { RecentBlock } from '../head/headTypes.ts'
import { recentHeaderText, recentLogText } from '../head/recentText.ts'
import { TooManyBlocksError } from '../logs/logs.ts'
import type { BlockRange } from '../reads/blockRange.ts'

/** What is delivered. `from` and `to` are heights: logs of blocks outside of them are not delivered. */
export type TopicSpec =
  | { kind: 'blocks' }
  | { kind: 'newHeads'; unit?: Unit }
  | ({ kind: 'logs'; from?: number; to?: number } & LogMatch)

/** The items of a filter, a cursor or a subscription, as JSON texts. */
export type Topic = {
  /** The items of a recent block that a chain update added or removed. */
  recent(block: RecentBlock, removed: boolean): string[]
  /** The items of final blocks from the start of a range on: as many whole blocks as have `room` items, but at least one. */
  final(range: BlockRange, room: number, call?: Call): Promise<Page>
}

/** Items, and the last block whose items they are: the cursor after them. */
export type Page = { items: string[]; cursor: BlockId }

/** What topics read of a chain. */
export type TopicChain = Pick<Chain, 'block' | 'logRows' | 'resolve'>

/** Blocks whose ids or headers are read at once. */
const AT_ONCE = 64

/** Blocks of one search: a fifth of the default of `--logs-max-blocks`. */
const MAX_SPAN = 1_000

/** Hashes and headers are announced once. Logs are announced again with `removed: true` when their block is removed. */
export function createTopic(
  chain: TopicChain,
  spec: TopicSpec,
  options: createTopic.Options = {},
): Topic {
  if (spec.kind === 'logs') return logsOf(chain, spec, options)
  const { from: lowest = 0 } = options
  const { read, textOf } = spec.kind === 'blocks' ? hashes(chain) : headers(chain, spec.unit ?? SUN)
  return {
    recent: (block, removed) => (removed || block.number < lowest ? [] : [textOf(block)]),
    async final({ from, to }, room, call) {
      const blocks: { hash: Hash; text: string }[] = []
      const last = Math.min(to, from + room - 1)
      for (let first = from; first <= last; first += AT_ONCE) {
        const count = Math.min(AT_ONCE, last - first + 1)
        const numbers = Array.from({ length: count }, (_, index) => first + index)
        // Reads of one event loop tick share their calls to the node.
        blocks.push(...(await Promise.all(numbers.map((number) => read(number, call)))))
      }
      const { hash } = blocks.at(-1) as { hash: Hash }
      return { items: blocks.map(({ text }) => text), cursor: { number: last, hash } }
    },
  }
}

export declare namespace createTopic {
  type Options = {
    /** The lowest block whose items are delivered. @default 0 */
    from?: number
    /** Blocks of the first search for logs. @default 1,000 */
    span?: number
    /** Number of logs that one search should find: the next search has more or fewer blocks accordingly. @default no limit */
    wanted?: number
  }
}

function hashes(chain: TopicChain) {
  const textOf = ({ hash }: { hash: Hash }) => `"${hash}"`
  return {
    textOf,
    read: async (number: number, call?: Call) => {
      const { hash } = await idAt(chain, number, call)
      return { hash, text: textOf({ hash }) }
    },
  }
}

function headers(chain: TopicChain, unit: Unit) {
  const write = (header: RpcHeader) =>
    JSON.stringify(inUnit({ baseFeePerGas: 'amount' }, header, unit))
  return {
    textOf: (block: RecentBlock) => (unit === SUN ? recentHeaderText(block) : write(block.header)),
    read: async (number: number, call?: Call) => {
      const block = await chain.block(number, false, call)
      if (!block) throw new UpstreamError(`the node does not have block ${number}`)
      const { transactions: _, uncles: __, ...header } = fromPrepared<RpcBlock>(block)
      return { hash: header.hash, text: write(header) }
    },
  }
}

function logsOf(
  chain: TopicChain,
  spec: Extract<TopicSpec, { kind: 'logs' }>,
  { from = 0, span: firstSpan = MAX_SPAN, wanted = Infinity }: createTopic.Options,
): Topic {
  const matches = createLogTest(spec)
  const lowest = Math.max(from, spec.from ?? 0)
  const highest = spec.to ?? Infinity
  let span = firstSpan

  /** The logs of a range; undefined when it has too many, unless it is a single block. */
  async function search(range: BlockRange, room: number, call: Call | undefined) {
    const isOne = range.from === range.to
    try {
      const rows = await chain.logRows(spec, range, call)
      return isOne || rows.length <= room ? rows : undefined
    } catch (error) {
      const isTooMuch = error instanceof NarrowRangeError || error instanceof TooManyBlocksError
      if (isOne || !isTooMuch) throw error
      return undefined
    }
  }

  return {
    recent({ logs, number }, removed) {
      if (number < lowest || number > highest) return []
      const found = logs.filter(matches)
      // Those of a removed block in the reverse order of their delivery.
      return (removed ? found.toReversed() : found).map((log) => recentLogText(log, removed))
    },
    async final(range, room, call) {
      const first = Math.max(range.from, lowest)
      const end = Math.min(range.to, highest)
      if (first > end) return { items: [], cursor: await idAt(chain, range.to, call) }
      for (let tried = span; ;) {
        const last = Math.min(end, first + tried - 1)
        const blocks = last - first + 1
        const rows = await search({ from: first, to: last }, room, call)
        if (rows) {
          // A range shorter than the span, such as one between two empty runs, is no reason for a shorter span.
          span = nextSpan({ blocks, most: Math.max(tried, 2 * blocks) }, rows.length, wanted)
          const items = rows.map(({ bytes }) => bytes.toString('latin1'))
          return { items, cursor: await idAt(chain, last, call) }
        }
        tried = Math.ceil(blocks / 2)
      }
    },
  }
}

/** The blocks of the next search, which should find about the wanted number of logs. @param logs - that the last one found in its blocks */
function nextSpan(
  { blocks, most }: { blocks: number; most: number },
  logs: number,
  wanted: number,
): number {
  const fitting = Math.floor((wanted * blocks) / Math.max(logs, 1))
  return Math.max(1, Math.min(fitting, most, MAX_SPAN))
}

/** The id of a block that the chain has. @throws UpstreamError when the node does not have it */
export async function idAt(
  chain: Pick<Chain, 'resolve'>,
  number: number,
  call?: Call,
): Promise<BlockId> {
  const id = await chain.resolve(number, call)
  if (!id) throw new UpstreamError(`the node does not have block ${number}`)
  return id
}
