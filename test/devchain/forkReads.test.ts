import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

import { noFaults } from '../../src/devchain/api/faults.ts'
import { connectFork } from '../../src/devchain/index.ts'
import { startDevGateway } from '../support/devGateway.ts'
import { coins, NOBODY, WHO, startForkedChain } from '../support/forkedChain.ts'
import { serveInTest } from '../support/serve.ts'

const { balanceOf, point, real, startFork } = await startForkedChain()

afterAll(() => real.close())

describe('how it reads', () => {
  test('args: the cache keeps read values after restarts', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'ethgate-fork-'))
    const { during, url } = await startCounter()
    const first = await startFork({ cache, url })
    expect(await coins(first, WHO)).toBe(100_000_000)
    expect(readdirSync(cache)).toEqual([
      expect.stringMatching(new RegExp(`^[\\da-f]{8}-${point}-`)),
    ])
    const second = await startFork({ cache, url })
    expect(await during(() => coins(second, WHO))).toBe(0)
    expect(await coins(second, WHO)).toBe(100_000_000)
    expect(await during(() => coins(second, NOBODY))).toBeGreaterThan(0)
  })

  test('behavior: a cache without some settings, as an earlier version wrote it, is completed', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'ethgate-fork-'))
    const first = await startFork({ cache })
    const price = await first.rpc('eth_gasPrice')
    const [file = ''] = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    )
    const text = readFileSync(join(cache, file), 'utf8')
    writeFileSync(join(cache, file), text.replace(/^.*"parameter:getEnergyFee".*\n/m, ''))
    const second = await startFork({ cache })
    expect(await second.rpc('eth_gasPrice')).toBe(price)
    expect(await balanceOf(second, WHO)).toBe(7n)
    expect(readFileSync(join(cache, file), 'utf8').split('\n').toSorted()).toEqual(
      expect.arrayContaining(text.split('\n')),
    )
  })

  test('behavior: concurrent requests share one read', async () => {
    const { during, url } = await startCounter()
    const fork = await startFork({ url })
    const once = await during(() => coins(fork, `0x${'01'.repeat(20)}`))
    const many = await during(() =>
      Promise.all(Array.from({ length: 9 }, () => coins(fork, `0x${'02'.repeat(20)}`))),
    )
    expect(many).toBe(once)
  })

  test('behavior: calls at many earlier blocks at once', async () => {
    await real.rpc('hardhat_mine', '0x64')
    const number = Number(await real.rpc('eth_blockNumber'))
    const fork = await startFork({ number })
    const heights = Array.from(
      { length: 70 },
      (_, index) => `0x${(number - 1 - index).toString(16)}`,
    )
    const found = await Promise.all(heights.map((height) => balanceOf(fork, WHO, height)))
    expect(new Set(found)).toEqual(new Set([107n]))
  })

  test('error: a failing node is an error, never an empty account', async () => {
    const fork = await startFork()
    expect(await balanceOf(fork, WHO)).toBe(7n)
    real.chain.setFaults({ ...noFaults, errorRate: 1 })
    onTestFinished(() => void real.rpc('dev_setFaults', {}))
    await expect(fork.rpc('eth_getBalance', NOBODY)).rejects.toMatchObject({ code: -32603 })
    await expect(
      fork.native('/wallet/getaccount', { address: `41${NOBODY.slice(2)}` }),
    ).resolves.toMatchObject({ Error: expect.stringContaining('503') })
    expect(await balanceOf(fork, WHO)).toBe(7n)
    await fork.rpc('hardhat_impersonateAccount', WHO)
    await expect(
      fork.rpc('eth_sendTransaction', { from: WHO, to: NOBODY, value: '0x1' }),
    ).rejects.toMatchObject({ code: -32603 })
    await real.rpc('dev_setFaults', {})
    await fork.rpc('eth_sendTransaction', { from: WHO, to: NOBODY, value: '0x1' })
    expect(await coins(fork, NOBODY)).toBe(1)
  })

  test('error: an unknown block, a JSON-RPC of another chain, no address', async () => {
    const other = await startDevGateway({ time: { seed: 'other' }, accounts: { count: 3 } })
    onTestFinished(() => other.close())
    const open = (options: Partial<connectFork.Options>) =>
      connectFork({ url: real.url, cache: 'off', ...options })
    await expect(open({ number: 1_000_000 })).rejects.toThrow('no block 1000000')
    await expect(open({ rpcUrl: other.url })).rejects.toThrow('not that of the forked chain')
    await expect(open({ url: 'somewhere' })).rejects.toThrow('expected an address')
    await expect(open({ url: 'http://127.0.0.1:1' })).rejects.toThrow('unreachable')
  })
})

/** Stands in front of the real chain and counts reads of accounts. Returns its address. */
async function startCounter(): Promise<{
  url: string
  during: (work: () => Promise<unknown>) => Promise<number>
}> {
  let count = 0
  const url = await serveInTest(async (request, response) => {
    if (request.url === '/wallet/getaccount') count++
    const answer = await fetch(`${real.url}${request.url}`, {
      method: request.method ?? 'POST',
      headers: { 'content-type': 'application/json' },
      ...(request.method === 'POST' && { body: await text(request) }),
    })
    response.writeHead(answer.status).end(await answer.text())
  })
  return {
    url,
    async during(work) {
      const before = count
      await work()
      return count - before
    },
  }
}
