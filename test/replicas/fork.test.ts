import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

import type { Hash } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import type { RpcHeader, RpcLog } from '../../src/codec/types.ts'
import { realNode, startGateway } from '../support/gateway.ts'
import { emitEvents, kitchen } from '../support/kitchen.ts'
import { hasNodeScript, nodeScript } from '../support/nodeScript.ts'

// Ports are 8090 + offset: nodes of other tests have other offsets.
const WINNER = 300
const LOSER = 350
/** Another port in each run, because a connection of the run before may still be forwarded. */
const BRIDGE = 600 + (process.pid % 100)

/** The last block of the recorded chain. The nodes may have made more before the gateway starts. */
const FORK = 223

const on = (offset: number) => ['--offset', String(offset)]
const urlOf = (offset: number) => `http://127.0.0.1:${8_090 + offset}`

type Native = { blockID: string; block_header: { raw_data: { number: number } } }
const headOf = async (offset: number) => {
  const response = await fetch(`${urlOf(offset)}/wallet/getblock`, { method: 'POST', body: '{}' })
  const { block_header, blockID } = (await response.json()) as Native
  return { number: block_header.raw_data.number, hash: `0x${blockID}` satisfies Hash }
}

/** The logs that the node's own JSON-RPC names. */
async function ownLogs(offset: number, filter: object): Promise<RpcLog[]> {
  const response = await fetch(`http://127.0.0.1:${8_545 + offset}/jsonrpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }),
  })
  return ((await response.json()) as { result: RpcLog[] }).result
}

describe.skipIf(!hasNodeScript)('a real fork', () => {
  beforeAll(async () => {
    for (const offset of [WINNER, LOSER]) await nodeScript('reset', ...on(offset))
    await Promise.all([
      nodeScript('start', ...on(WINNER), '--producers', 'sr1,sr2,sr3', '--connect', String(BRIDGE)),
      nodeScript('start', ...on(LOSER), '--producers', 'sr4,sr5'),
    ])
  }, 240_000)
  afterAll(async () => {
    for (const offset of [WINNER, LOSER]) await nodeScript('reset', ...on(offset))
  }, 120_000)

  test('behavior: filters and sockets end with exactly the canonical branch', async () => {
    const gateway = await startGateway({ config: realNode(urlOf(LOSER)) })
    const socket = await gateway.socket()
    const heads = await socket.rpc<string>('eth_subscribe', 'newHeads')
    const logs = await socket.rpc<string>('eth_subscribe', 'logs', { address: kitchen })
    const filter = await gateway.rpc<string>('eth_newFilter', { address: kitchen })
    const blocks = await gateway.rpc<string>('eth_newBlockFilter')
    const fromFilter: RpcLog[] = []
    const fromBlocks: Hash[] = []
    async function poll() {
      fromFilter.push(...(await gateway.rpc<RpcLog[]>('eth_getFilterChanges', filter)))
      fromBlocks.push(...(await gateway.rpc<Hash[]>('eth_getFilterChanges', blocks)))
    }

    // A transaction expires by the time of the head, which is old until the first block is made.
    await vi.waitFor(
      async () => {
        for (const offset of [LOSER, WINNER])
          expect((await headOf(offset)).number).toBeGreaterThan(FORK)
      },
      { interval: 500, timeout: 90_000 },
    )
    await Promise.all([
      emitEvents(urlOf(LOSER), 5),
      emitEvents(urlOf(WINNER), 9, 100),
      vi.waitFor(
        async () => {
          await poll()
          expect(fromFilter).toHaveLength(5)
          expect((await headOf(LOSER)).number).toBeGreaterThan(FORK + 4)
          expect((await headOf(WINNER)).number).toBeGreaterThan((await headOf(LOSER)).number + 1)
        },
        { interval: 500, timeout: 150_000 },
      ),
    ])
    const losing = fromFilter.map(({ blockHash }) => blockHash)
    await nodeScript('join', String(BRIDGE), String(LOSER), '120')
    await vi.waitFor(
      async () => {
        await poll()
        const { hash } = await headOf(WINNER)
        expect(await gateway.rpc('eth_getWork')).toContain(hash)
        // Busy nodes may disagree again for some blocks, so more logs can be removed.
        expect(fromFilter.filter(({ removed }) => removed).length).toBeGreaterThanOrEqual(5)
      },
      { interval: 200, timeout: 120_000 },
    )
    await sleep(4_000)
    await poll()
    const end = Number(await gateway.rpc('eth_blockNumber'))
    const range = { fromBlock: `0x${(FORK + 1).toString(16)}`, toBlock: `0x${end.toString(16)}` }
    const canonical = await gateway.rpc<RpcLog[]>('eth_getLogs', { address: kitchen, ...range })
    await poll()

    const fromSocket = socket.of<RpcLog>(logs)
    for (const seen of [fromFilter, fromSocket]) {
      const removed = seen.filter((log) => log.removed).map(({ blockHash }) => blockHash)
      expect(removed.slice(0, losing.length)).toEqual(losing.toReversed())
      expect(applyAll(seen).slice(0, canonical.length)).toEqual(canonical)
    }
    // Every log of the winning branch: the node names the same ones. A busy node leaves some transactions out of its blocks.
    const places = (found: readonly RpcLog[]) =>
      found.map(({ blockHash, logIndex }) => `${blockHash} ${Number(logIndex)}`)
    const own = await ownLogs(WINNER, { address: kitchen, ...range })
    expect(own.length).toBeGreaterThan(0)
    expect(places(canonical)).toEqual(places(own))
    const lost = new Set(losing)
    expect(canonical.some(({ blockHash }) => lost.has(blockHash))).toBe(false)
    // Heads: the losing branch, then the winning one from the fork on, without a hole. The nodes may disagree once more.
    const seen = socket.of<RpcHeader>(heads)
    const byHash = new Map(seen.map((head) => [head.hash, head]))
    expect(fromBlocks.filter((hash) => !byHash.has(hash))).toEqual([])
    // The filter has all of them but those that were removed before a poll: so at least the branch of its last block.
    const polled: Hash[] = []
    for (let head = byHash.get(fromBlocks.at(-1)!); head; head = byHash.get(head.parentHash))
      polled.push(head.hash)
    expect(polled.length).toBeGreaterThan(0)
    expect(fromBlocks).toEqual(expect.arrayContaining(polled))
    const depth = seen.findIndex(
      ({ number }, index) => Number(number) <= Number(seen[index - 1]?.number ?? 0),
    )
    process.stdout.write(`the losing branch had ${depth} blocks\n`)
    const branch = seen.slice(depth)
    expect(Number(branch[0]?.number)).toBe(FORK + 1)
    const parents = branch.slice(1).map(({ number }, index) => {
      const earlier = branch.slice(0, index + 1)
      return earlier.findLast((head) => Number(head.number) < Number(number))?.hash
    })
    expect(branch.slice(1).map(({ parentHash }) => parentHash)).toEqual(parents)
    await socket.close()
    await gateway.close()
  }, 400_000)
})

/** The logs of a client that applies every notification. A removed log must be the last one that it has. */
function applyAll(logs: readonly RpcLog[]): RpcLog[] {
  const kept: RpcLog[] = []
  for (const log of logs)
    if (!log.removed) kept.push(log)
    else if (!isDeepStrictEqual({ ...kept.pop(), removed: true }, log))
      throw new Error(`a log of block ${log.blockHash} is removed that is not the last one`)
  return kept
}
