import { inUnit } from '../../codec/amounts.ts'
import type { BlockId } from '../../codec/blockRef.ts'
import type { RpcBlock, RpcHeader } from '../../codec/types.ts'
import { SUN, type Unit } from '../../codec/unit.ts'
import type { Call } from '../../lib/call.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { fromWire } from '../../lib/wire.ts'
import type { Chain, LogMatch } from '../blocks/chainTypes.ts'
import { createLogMatcher } from '../blocks/logMatch.ts'
import { readHistory } from '../filters/history.ts'
import { idAt, recentLogTexts } from '../filters/page.ts'
import type { RecentBlock } from '../head/headTypes.ts'
import { recentHeaderText } from '../head/recentText.ts'

/** What a subscription delivers. `from` and `to` are heights: logs of blocks outside of them are not delivered. */
export type TopicSpec =
  | { kind: 'newHeads'; unit?: Unit }
  | ({ kind: 'logs'; from?: number; to?: number } & LogMatch)

/** The payloads of one subscription, as JSON text. */
export type Topic = {
  /** The payloads of a recent block that a chain update added or removed. */
  texts(block: RecentBlock, removed: boolean): string[]
  /**
   * The payloads of final blocks, starting at a height, in one batch. `at` is the last block of the batch. The reads belong to the
   * caller of the call.
   */
  history(
    chain: HistoryChain,
    from: number,
    to: number,
    call?: Call,
  ): Promise<{ texts: string[]; at: BlockId }>
}

type HistoryChain = Pick<Chain, 'block' | 'logRows' | 'resolve'>

/** Headers read at a time. */
const HEADERS = 16

/** Maximum number of logs in a batch, unless its first block alone has more. */
const MAX_LOGS = 10_000

/** Target number of logs in a batch: about 300 KB of text. It decides how many blocks the next batch has. */
const WANTED_LOGS = 500
const MAX_SPAN = 1_000

/** Headers are announced once. Logs are announced again with `removed: true` when their block is removed. */
export function createTopic(spec: TopicSpec, resumeFrom = 0): Topic {
  return spec.kind === 'newHeads'
    ? headersFrom(resumeFrom, spec.unit ?? SUN)
    : logsOf(spec, resumeFrom)
}

function headersFrom(lowest: number, unit: Unit): Topic {
  const textOf = (header: RpcHeader) =>
    JSON.stringify(inUnit({ baseFeePerGas: 'amount' }, header, unit))
  return {
    texts(block, removed) {
      if (removed || block.number < lowest) return []
      return [unit === SUN ? recentHeaderText(block) : textOf(block.header)]
    },
    async history(chain, from, to, call) {
      const last = Math.min(to, from + HEADERS - 1)
      const blocks = await Promise.all(
        Array.from({ length: last - from + 1 }, (_, index) =>
          readHeader(chain, from + index, call),
        ),
      )
      return {
        texts: blocks.map(textOf),
        at: { number: last, hash: (blocks.at(-1) as { hash: BlockId['hash'] }).hash },
      }
    },
  }
}

async function readHeader(chain: HistoryChain, number: number, call: Call | undefined) {
  const block = await chain.block(number, false, call)
  if (!block) throw new UpstreamError(`the node does not have block ${number}`)
  const { transactions: _, uncles: __, ...header } = fromWire<RpcBlock>(block)
  return header
}

function logsOf(spec: LogMatch & { from?: number; to?: number }, resumeFrom: number): Topic {
  const matcher = createLogMatcher(spec)
  const lowest = Math.max(resumeFrom, spec.from ?? 0)
  const highest = spec.to ?? Infinity
  let span = 4
  return {
    texts(block, removed) {
      if (block.number < lowest || block.number > highest) return []
      return recentLogTexts(block, removed, matcher)
    },
    async history(chain, from, to, call) {
      const first = Math.max(from, lowest)
      const last = Math.min(to, highest)
      if (first > last) return { texts: [], at: await idAt(chain, to, call) }
      const found = await readHistory(chain, spec, {
        from: first,
        limit: MAX_LOGS,
        call,
        span,
        to: last,
      })
      span = nextSpan(found.to - first + 1, found.texts.length)
      return { texts: found.texts, at: await idAt(chain, found.to, call) }
    },
  }
}

/** How many blocks probably have the target number of logs; at most twice as many blocks as before. */
function nextSpan(blocks: number, logs: number): number {
  const fitting = Math.floor((WANTED_LOGS * blocks) / Math.max(logs, 1))
  return Math.max(1, Math.min(fitting, 2 * blocks, MAX_SPAN))
}
