import type { RpcBlock, RpcHeader, RpcLog } from '../../codec/types.ts'
import { CommandError } from '../command.ts'
import { pause } from './interrupt.ts'
import { type LogFilter, readLogs } from './logRange.ts'
import { withRetry } from './retry.ts'
import { type Rpc, RpcFailure } from './rpc.ts'
import { readMark } from './search.ts'
import { createWindow, takenBack } from './window.ts'

/** What a watch delivers: headers, or the logs that a filter matches. */
export type Watched = { header: RpcHeader } | { log: RpcLog }

/** What to watch, and where it goes. */
export type Watch = {
  rpc: Rpc
  /** Logs that match this; without it headers. */
  filter?: LogFilter
  /** First block; without it the one after the head. */
  from?: number
  signal: AbortSignal
  /** Called in order, one after the other. */
  deliver: (item: Watched) => Promise<void>
  /** Trouble that passes. */
  note: (text: string) => void
}

/**
 * Follows the chain by polling: reads every block once, compares parent hashes, takes logs back when their block left
 * the chain. A server that is away for a while costs time, not blocks. Works with any Ethereum JSON-RPC.
 */
export async function followByPolling(watch: Watch, interval: number): Promise<void> {
  const { rpc, filter, signal, deliver, note } = watch
  const window = createWindow()
  const steady = <value>(ask: () => Promise<value>) =>
    withRetry(ask, {
      retries: Number.POSITIVE_INFINITY,
      signal,
      onRetry: (error, delay) => note(`${error.message}; again in ${delay / 1000} s`),
    })

  let next = watch.from ?? (await steady(() => requireHead())).number + 1
  while (!signal.aborted) {
    const head = await steady(() => requireHead())
    await catchUp(head.number)
    while (next <= head.number && !signal.aborted) if (!(await step(next))) break
    // The head may have been replaced without growing.
    const last = window.newest()
    if (last && last.number === head.number && last.hash !== head.hash) await takeBack()
    else await pause(interval, signal)
  }

  async function requireHead() {
    const head = await readMark(rpc, 'latest', 'head', signal)
    if (!head) throw new CommandError('eth_getBlockByNumber: the server has no latest block')
    return head
  }

  /** Reads one block. False when it is not there, or not any more, so that the head must be asked again. */
  async function step(number: number): Promise<boolean> {
    const block = (await steady(() =>
      rpc.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false], signal),
    )) as RpcBlock | null
    if (!block) return false
    const last = window.newest()
    if (last && last.number === number - 1 && last.hash !== block.parentHash) {
      await takeBack()
      return false
    }
    const logs = filter ? await logsOf(block.hash) : []
    if (logs === undefined) return false
    window.push({ number, hash: block.hash, logs })
    next = number + 1
    if (filter) for (const log of logs) await deliver({ log })
    else await deliver({ header: headerOf(block) })
    return true
  }

  /** By hash, so that the answer cannot belong to another branch; undefined when the block just left the chain. */
  async function logsOf(blockHash: string): Promise<RpcLog[] | undefined> {
    try {
      return (await steady(() =>
        rpc.call('eth_getLogs', [{ ...filter, blockHash }], signal),
      )) as RpcLog[]
    } catch (error) {
      if (!(error instanceof RpcFailure) || signal.aborted) throw error
      const now = await steady(() => readMark(rpc, String(next), 'block', signal))
      if (now?.hash === blockHash) throw error
      return undefined
    }
  }

  async function takeBack(): Promise<void> {
    const block = window.pop()
    if (!block) return
    next = block.number
    for (const log of takenBack(block)) await deliver({ log })
  }

  /** Far behind, confirmed logs come range by range instead of block by block. */
  async function catchUp(head: number): Promise<void> {
    if (!filter || head - next < FAR) return
    const last = window.newest()
    if (
      last &&
      (await steady(() => readMark(rpc, String(last.number), 'block', signal)))?.hash !== last.hash
    )
      return takeBack()
    const solid = await steady(() => readMark(rpc, 'finalized', 'block', signal)).catch(
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
    window.push({ number: solid.number, hash: solid.hash, logs: [] })
  }
}

/** Blocks behind the head from which ranges are cheaper than single blocks. */
const FAR = 100

function headerOf(block: RpcBlock): RpcHeader {
  const { transactions: _transactions, uncles: _uncles, ...header } = block
  return header
}
