import type { Chain, LogMatch } from '../chain/chainTypes.ts'
import type { RecentBlock } from '../chain/headTypes.ts'
import { createLogMatcher } from '../chain/logMatch.ts'
import type { BlockId } from '../codec/blockRef.ts'
import type { RpcBlock } from '../codec/types.ts'
import { UpstreamError } from '../errors.ts'
import { readHistory } from '../filters/history.ts'
import { fromWire } from '../lib/wire.ts'
import { headerText, logText } from './text.ts'

/** What of the chain a subscription delivers. */
export type TopicSpec = { kind: 'newHeads' } | ({ kind: 'logs' } & LogMatch)

/** The payloads of one subscription, as JSON text. */
export type Topic = {
  /** Those of one step: of a recent block that joined the chain, or left it. */
  texts(block: RecentBlock, removed: boolean): string[]
  /** Those of final blocks from a height on, as far as one portion goes; `at` is the last block of it. */
  history(chain: HistoryChain, from: number, to: number): Promise<{ texts: string[]; at: BlockId }>
}

type HistoryChain = Pick<Chain, 'block' | 'logs' | 'resolve'>

/** Headers read at a time. */
const PORTION = 16

/** Logs read at a time; a block that has more is read whole. */
const MAX_LOGS = 10_000

/** Headers are not announced again when they are taken away; logs are, with `removed: true`. */
export function createTopic(spec: TopicSpec, from: number): Topic {
  return spec.kind === 'newHeads' ? headersFrom(from) : logsFrom(spec, from)
}

function headersFrom(lowest: number): Topic {
  return {
    texts: (block, removed) => (removed || block.number < lowest ? [] : [headerText(block)]),
    async history(chain, from, to) {
      const last = Math.min(to, from + PORTION - 1)
      const blocks = await Promise.all(
        Array.from({ length: last - from + 1 }, (_, index) => readHeader(chain, from + index)),
      )
      return {
        texts: blocks.map((header) => JSON.stringify(header)),
        at: { number: last, hash: (blocks.at(-1) as { hash: BlockId['hash'] }).hash },
      }
    },
  }
}

async function readHeader(chain: HistoryChain, number: number) {
  const block = await chain.block(number, false)
  if (!block) throw new UpstreamError(`the node does not have block ${number}`)
  const { transactions: _, uncles: __, ...header } = fromWire<RpcBlock>(block)
  return header
}

function logsFrom(match: LogMatch, lowest: number): Topic {
  const matcher = createLogMatcher(match)
  return {
    texts(block, removed) {
      if (block.number < lowest) return []
      const found = block.logs.filter((log) => matcher.matches(log))
      return (removed ? found.toReversed() : found).map((log) => logText(log, removed))
    },
    async history(chain, from, to) {
      const found = await readHistory(chain, match, { from, limit: MAX_LOGS, to })
      const id = await chain.resolve(found.to)
      if (!id) throw new UpstreamError(`the node does not have block ${found.to}`)
      return { texts: found.logs.map((log) => logText(log, false)), at: id }
    },
  }
}
