import type { Hash } from 'viem'
import { describe, expect, test } from 'vitest'

import { createClient } from '../../../test/support/client.ts'
import { until } from '../../../test/support/until.ts'
import { log, startWatchedChain } from '../../../test/support/watchedChain.ts'

type Watched = Awaited<ReturnType<typeof startWatchedChain>>

let chain: Watched['chain']
let gateway: Watched['gateway']
let sync: Watched['sync']

const address = `0x${log.address}`

async function start(options: startWatchedChain.Options = {}) {
  ;({ chain, gateway, sync } = await startWatchedChain(options))
}

describe('other filters', () => {
  test('default: block filters have the hashes of the new branch', async () => {
    await start()
    const id = await gateway.rpc<string>('eth_newBlockFilter')
    const first = [chain.mine(), chain.mine()]
    await sync()
    const hashes = () => gateway.rpc<Hash[]>('eth_getFilterChanges', id)
    expect(await hashes()).toEqual(first.map(({ hash }) => hash))
    const branch = chain.reorg(1, [{}, {}])
    await sync()
    expect(await hashes()).toEqual(branch.map(({ hash }) => hash))
    await expect(gateway.rpc('eth_getFilterLogs', id)).rejects.toMatchObject({ code: -32000 })
  })

  test('behavior: block filters that are several pages of final blocks behind', async () => {
    await start({ config: { filterPage: 30 } })
    const id = await gateway.rpc<string>('eth_newBlockFilter')
    const blocks = Array.from({ length: 250 }, () => chain.mine())
    chain.solidify(249)
    await sync()
    const found: Hash[] = []
    while (found.length < 250)
      found.push(...(await gateway.rpc<Hash[]>('eth_getFilterChanges', id)))
    expect(found).toEqual(blocks.map(({ hash }) => hash))
  })

  test('behavior: pending filters return each transaction once, also one that no poll of the mempool saw', async () => {
    await start()
    const id = await gateway.rpc<string>('eth_newPendingTransactionFilter')
    const found: Hash[] = []
    const seen = (count: number) =>
      until(async () => {
        found.push(...(await gateway.rpc<Hash[]>('eth_getFilterChanges', id)))
        expect(found).toHaveLength(count)
      })
    const [one, two, three, four] = ['01', '02', '03', '04'].map((byte) => byte.repeat(32)) as [
      string,
      string,
      string,
      string,
    ]
    chain.pending.push(one, two)
    await seen(2)
    chain.pending.splice(0, 2, three)
    await seen(3)
    chain.pending.splice(0)
    chain.mine({ ids: [one, two, three, four], logs: [[], [], [], []] })
    await seen(4)
    // A reorg mines them again. They are not announced again.
    chain.reorg(1, [
      { ids: [four, three], logs: [[], []] },
      { ids: [two, one], logs: [[], []] },
    ])
    await sync()
    await seen(4)
    expect(found).toEqual([one, two, three, four].map((hash) => `0x${hash}`))
  })

  test('behavior: the mempool is polled only while a filter or subscription needs it', async () => {
    await start({ config: { filterTtl: 1 } })
    const path = '/wallet/gettransactionlistfrompending'
    const polls = () => chain.calls.get(path) ?? 0
    await gateway.rpc('eth_newBlockFilter')
    chain.mine({ logs: [[log]] })
    await sync()
    expect(polls()).toBe(0)
    await gateway.rpc('eth_newPendingTransactionFilter')
    await until(() => expect(polls()).toBeGreaterThan(0))
    // When the filter expires, no client needs the mempool.
    await until(() => expect(gateway.gateway.health().filters.count).toBe(0))
    const before = polls()
    chain.mine()
    await sync()
    chain.mine()
    await sync()
    expect(polls()).toBeLessThanOrEqual(before + 1)
  })

  test('behavior: pages of pending filters have at most --filter-page hashes', async () => {
    await start({ config: { filterPage: 3 } })
    const id = await gateway.rpc<string>('eth_newPendingTransactionFilter')
    const ids = Array.from({ length: 7 }, (_, index) => `${index + 1}`.repeat(64))
    chain.mine({ ids, logs: ids.map(() => []) })
    await sync()
    const pages: number[] = []
    const found: Hash[] = []
    for (let page = 0; page < 4; page++) {
      const hashes = await gateway.rpc<Hash[]>('eth_getFilterChanges', id)
      pages.push(hashes.length)
      found.push(...hashes)
    }
    expect(pages).toEqual([3, 3, 1, 0])
    expect(found).toEqual(ids.map((one) => `0x${one}`))
  })

  test('error: an unknown filter has no changes and no logs, and cannot be removed', async () => {
    await start()
    const unknown = `0x${'0'.repeat(32)}`
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs'])
      await expect(gateway.rpc(method, unknown)).rejects.toMatchObject({
        code: -32000,
        message: 'filter not found',
      })
    expect(await gateway.rpc('eth_uninstallFilter', unknown)).toBe(false)
    const id = await gateway.rpc<string>('eth_newBlockFilter')
    expect(await gateway.rpc('eth_uninstallFilter', id)).toBe(true)
    expect(await gateway.rpc('eth_uninstallFilter', id)).toBe(false)
  })

  test('behavior: the solidified view delivers only final logs', async () => {
    await start()
    const solid = createClient(`${gateway.url}/solidity`)
    const id = await solid.rpc<string>('eth_newFilter', {})
    const block = chain.mine({ logs: [[log]] })
    await sync()
    expect(await solid.rpc('eth_getFilterChanges', id)).toEqual([])
    chain.solidify(1)
    chain.mine()
    await sync()
    expect(await solid.rpc('eth_getFilterChanges', id)).toEqual([
      expect.objectContaining({ blockHash: block.hash }),
    ])
    await expect(gateway.rpc('eth_getFilterChanges', id)).rejects.toMatchObject({ code: -32000 })
  })

  test('error: more filters than a client may have', async () => {
    await start({ config: { filtersPerClient: 2 } })
    await gateway.rpc('eth_newBlockFilter')
    await gateway.rpc('eth_newFilter', {})
    await expect(gateway.rpc('eth_newFilter', {})).rejects.toMatchObject({ code: -32005 })
  })

  test('error: more filter bytes than all clients may have; health and metrics report a full store', async () => {
    await start({ config: { filterBytesTotal: 100_000 } })
    const large = { address: Array.from({ length: 1_000 }, () => address) }
    await gateway.rpc('eth_newFilter', large)
    await gateway.rpc('eth_newFilter', large)
    expect(gateway.gateway.health().reasons).toEqual([])
    await expect(gateway.rpc('eth_newFilter', large)).rejects.toMatchObject({
      code: -32005,
      message: 'exceed max filter bytes of all clients: 100000, try again later',
    })
    const { filters, reasons, status } = gateway.gateway.health()
    expect({ count: filters.count, status }).toEqual({ count: 2, status: 'degraded' })
    expect(reasons).toEqual([
      `the filter store is full, new filters are rejected: 2 of 50000 filters, ${filters.bytes} of 100000 bytes`,
    ])
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(metrics).toContain(`ethgate_filter_bytes ${filters.bytes}`)
  })
})
