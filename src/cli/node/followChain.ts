import type { RpcBlock, RpcHeader, RpcLog } from '../../codec/types.ts'
import { CommandError } from '../base/errors.ts'
import { pause } from '../base/interrupt.ts'
import { withRetry } from '../base/retry.ts'
import { type Rpc, RpcFailure } from '../base/rpcClient.ts'
import { type LogFilter, readLogs } from './logRange.ts'
import type { NewHeads } from './newHeads.ts'
import { readMark } from './search.ts'

/** One item of a watch: a header, or a log that the filter matches. */
export type Watched = { header: RpcHeader } | { log: RpcLog }

/** What to watch, and the function that gets it. */
export type Watch = {
  rpc: Rpc
  /** Logs that match this; without it headers. */
  filter?: LogFilter
  /** First block; without it the one after the head. */
  from?: number
  heads: NewHeads
  signal: AbortSignal
  /** Called in order, one after the other. */
  deliver: (item: Watched) => Promise<void>
  /** Called with temporary problems. */
  note: (text: string) => void
}

/**
 * Follows the chain: reads every block once and compares parent hashes. Logs of blocks that a reorg removed are delivered
 * again with `removed: true`, newest first. Waits for a server that is down, without missing blocks. Works with any
 * Ethereum JSON-RPC.
 */
export async function followChain(watch: Watch): Promise<void> {
  const { deliver, filter, heads, note, rpc, signal } = watch
  /** The blocks that were delivered last, oldest first: what a reorg may remove. */
  const delivered: Delivered[] = []
  const retrying = <value>(ask: () => Promise<value>) =>
    withRetry(ask, {
      retries: Number.POSITIVE_INFINITY,
      signal,
      onRetry: (error, delay) => note(`${error.message}; retrying in ${delay / 1000} s`),
    })

  let next = watch.from ?? (await retrying(() => requireHead())).number + 1
  while (!signal.aborted) {
    const head = await retrying(() => requireHead())
    await catchUp(head.number)
    let outcome: Outcome = 'delivered'
    while (next <= head.number && outcome === 'delivered' && !signal.aborted)
      outcome = await deliverBlock(next)
    if (outcome === 'missing') await pause(MISSING_MS, signal)
    if (outcome !== 'delivered') continue
    // The head may have been replaced without growing.
    const last = delivered.at(-1)
    if (last && last.number === head.number && last.hash !== head.hash) await removeNewest()
    else await heads.next()
  }

  async function requireHead() {
    const head = await readMark(rpc, 'latest', 'head', signal)
    if (!head) throw new CommandError('eth_getBlockByNumber: the server has no latest block')
    return head
  }

  /** Reads and delivers one block. Removes the delivered block below it if that is not its parent. */
  async function deliverBlock(number: number): Promise<Outcome> {
    const block = (await retrying(() =>
      rpc.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false], signal),
    )) as RpcBlock | null
    if (!block) return 'missing'
    const last = delivered.at(-1)
    if (last && last.number === number - 1 && last.hash !== block.parentHash) {
      await removeNewest()
      return 'removed'
    }
    const logs = filter ? await logsOf(block.hash) : []
    if (logs === undefined) return 'missing'
    record({ number, hash: block.hash, logs })
    next = number + 1
    if (filter) for (const log of logs) await deliver({ log })
    else await deliver({ header: headerOf(block) })
    return 'delivered'
  }

  /** Logs by block hash, so that they are of this branch; undefined when a reorg has removed the block. */
  async function logsOf(blockHash: string): Promise<RpcLog[] | undefined> {
    try {
      return (await retrying(() =>
        rpc.call('eth_getLogs', [{ ...filter, blockHash }], signal),
      )) as RpcLog[]
    } catch (error) {
      if (!(error instanceof RpcFailure) || signal.aborted) throw error
      const now = await retrying(() => readMark(rpc, String(next), 'block', signal))
      if (now?.hash === blockHash) throw error
      return undefined
    }
  }

  function record(block: Delivered): void {
    delivered.push(block)
    if (delivered.length > KEPT) delivered.shift()
  }

  /** Removes the newest delivered block: its logs are delivered again, newest first, with `removed: true`. */
  async function removeNewest(): Promise<void> {
    const block = delivered.pop()
    if (!block) return
    next = block.number
    for (const log of block.logs.toReversed()) await deliver({ log: { ...log, removed: true } })
  }

  /** Far behind the head, reads the logs of solidified blocks by ranges instead of block by block. */
  async function catchUp(head: number): Promise<void> {
    if (!filter || head - next < FAR) return
    const last = delivered.at(-1)
    if (
      last &&
      (await retrying(() => readMark(rpc, String(last.number), 'block', signal)))?.hash !==
        last.hash
    )
      return removeNewest()
    const solid = await retrying(() => readMark(rpc, 'finalized', 'block', signal)).catch(
      () => undefined,
    )
    if (!solid || solid.number <= next) return
    const pages = readLogs({
      rpc,
      filter,
      from: next,
      to: solid.number,
      concurrency: 2,
      retries: Number.POSITIVE_INFINITY,
      signal,
    })
    for await (const page of pages) {
      for (const log of page.logs) await deliver({ log })
      next = page.to + 1
    }
    record({ number: solid.number, hash: solid.hash, logs: [] })
  }
}

/** The result for one block: missing when the chain does not have it, so that the head must be read again. */
type Outcome = 'delivered' | 'missing' | 'removed'

/** Milliseconds until the head is read again after a missing block. */
const MISSING_MS = 200

/** A block that was delivered, with its logs. */
type Delivered = { number: number; hash: string; logs: RpcLog[] }

/** More blocks than a reorg removes: the solidified block is about 20 blocks below the head. */
const KEPT = 256

/** Blocks behind the head from which ranges are cheaper than single blocks. */
const FAR = 100

function headerOf(block: RpcBlock): RpcHeader {
  const { transactions: _transactions, uncles: _uncles, ...header } = block
  return header
}
