import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { type Block, createPublicClient, type Hash, type Hex, http } from 'viem'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import type { RpcHeader, RpcLog } from '../../src/codec/types.ts'
import { createDevChain } from '../../src/devchain/index.ts'
import { openSocket } from '../support/client.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { height, startForkedChain } from '../support/forkedChain.ts'
import { until } from '../support/until.ts'

const MILLION = 1_000_000
const hex = (value: number): Hex => `0x${value.toString(16)}`

/** Code that makes a log, and code that returns BLOCKHASH of its argument. */
const LOGGING = '0x602a5f5fa100'
const HASHING = '0x5f35405f5260205ff3'
const CONTRACT: Hex = `0x${'c1'.repeat(20)}`
const OTHER: Hex = `0x${'c2'.repeat(20)}`

const dev = await startDevGateway({ rules: { decimals: 18 } })
afterAll(() => dev.close())
beforeEach(() => dev.rpc('hardhat_reset'))
const client = createPublicClient({ transport: http(dev.url, { timeout: 60_000 }), cacheTime: 0 })
const blockAt = (number: number) => client.getBlock({ blockNumber: BigInt(number) })

/** A transaction that makes a log. */
async function log(node: DevGateway = dev): Promise<void> {
  await node.rpc('hardhat_setCode', CONTRACT, LOGGING)
  await node.rpc('eth_sendTransaction', { from: node.accountOf(0), to: CONTRACT })
}

/** The base fees after blocks that used no gas, by EIP-1559. */
function feesAfter(fee: bigint, count: number): bigint[] {
  return Array.from({ length: count }, () => (fee -= fee / 8n))
}

describe('blocks', () => {
  test('default: ten million blocks are one chain with the interval between them', async () => {
    await dev.rpc('evm_mine')
    const start = await blockAt(1)
    expect(await dev.rpc('hardhat_mine', hex(10 * MILLION), '0xc')).toBe(true)
    const newest = 10 * MILLION + 1
    expect(await height(dev)).toBe(newest)
    for (const number of [3, 4, 5, 500, 5 * MILLION, newest - 128, newest - 127, newest]) {
      const [before, block] = [await blockAt(number - 1), await blockAt(number)]
      expect(block).toMatchObject({ number: BigInt(number), parentHash: before.hash, gasUsed: 0n })
      expect(block.timestamp - before.timestamp).toBe(12n)
      expect(await client.getBlock({ blockHash: block.hash })).toEqual(block)
    }
    const fees = feesAfter(start.baseFeePerGas ?? 0n, 300)
    const seen = await Promise.all(fees.map((_, index) => blockAt(index + 2)))
    expect(seen.map(({ baseFeePerGas }) => baseFeePerGas)).toEqual(fees)
    expect(await blockAt(9 * MILLION)).toMatchObject({ baseFeePerGas: fees.at(-1) })
    expect(await blockAt(newest)).toMatchObject({ baseFeePerGas: fees.at(-1) })
    const history = await client.getFeeHistory({ blockCount: 10, rewardPercentiles: [50] })
    expect(history.oldestBlock).toBe(BigInt(newest - 9))
    expect(new Set(history.baseFeePerGas)).toEqual(new Set([fees.at(-1)]))
    await expect(blockAt(newest + 1)).rejects.toThrow('could not be found')
  })

  test('behavior: an unknown hash of a height in a run is not found', async () => {
    await dev.rpc('hardhat_mine', hex(MILLION))
    const { hash } = await blockAt(5_000)
    const other: Hash = `${hash.slice(0, -2) as Hex}${hash.endsWith('00') ? '01' : '00'}`
    await expect(client.getBlock({ blockHash: other })).rejects.toThrow('could not be found')
  })

  test('behavior: state in a run is that before it, and contracts see its blocks', async () => {
    await dev.rpc('hardhat_setCode', OTHER, HASHING)
    await dev.rpc('hardhat_setBalance', CONTRACT, '0x7')
    await dev.rpc('hardhat_mine', hex(MILLION), '0x1')
    await dev.rpc('hardhat_setBalance', CONTRACT, '0x8')
    const balance = (block: number) => dev.rpc('eth_getBalance', CONTRACT, hex(block))
    expect(await balance(MILLION - 1)).toBe('0x7')
    expect(await balance(500_000)).toBe('0x7')
    expect(await balance(MILLION)).toBe('0x8')
    const hashIn = async (number: number, at: string) =>
      dev.rpc('eth_call', { to: OTHER, data: `0x${number.toString(16).padStart(64, '0')}` }, at)
    for (const [number, at] of [
      [MILLION - 200, 'latest'],
      [MILLION - 100, 'latest'],
      [499_990, hex(500_000)],
    ] as const)
      expect(await hashIn(number, at)).toBe((await blockAt(number)).hash)
    expect(await hashIn(MILLION - 257, 'latest')).toBe(`0x${'0'.repeat(64)}`)
  })

  test('behavior: the native interface, the explorer and traces have its blocks', async () => {
    await log()
    await dev.rpc('hardhat_mine', hex(MILLION))
    await log()
    const at = { num: 700_000 }
    const block = (await dev.native('/wallet/getblockbynum', at)) as { blockID: string }
    expect(`0x${block.blockID}`).toBe((await blockAt(at.num)).hash)
    expect(await dev.native('/walletsolidity/getblockbynum', at)).toEqual(block)
    expect(await dev.native('/wallet/getblockbyid', { value: block.blockID })).toEqual(block)
    const range = { startNum: 699_999, endNum: 700_002 }
    const { block: blocks } = (await dev.native('/wallet/getblockbylimitnext', range)) as {
      block: { blockID: string; block_header: { raw_data: { parentHash: string } } }[]
    }
    expect(blocks[2]?.block_header.raw_data.parentHash).toBe(blocks[1]?.blockID)
    expect(blocks[1]).toEqual(block)
    const page = (await dev.rpc('ots_searchTransactionsBefore', dev.accountOf(0), 0, 5)) as {
      txs: { blockNumber: Hex }[]
    }
    expect(page.txs.map(({ blockNumber }) => Number(blockNumber))).toEqual([MILLION + 2, 1])
    expect(await dev.rpc('ots_getTransactionBySenderAndNonce', dev.accountOf(0), 0)).toMatch('0x')
    expect(await dev.rpc('ots_getContractCreator', CONTRACT)).toBeNull()
    expect(await dev.rpc('debug_traceBlockByNumber', hex(at.num))).toEqual([])
    const events = await fetch(`${dev.url}/v1/contracts/41${CONTRACT.slice(2)}/events`)
    expect(events.status).toBe(200)
    expect(await dev.rpc('evm_mine_detailed', { blocks: 2 })).toHaveLength(2)
    await expect(dev.rpc('evm_mine_detailed', { blocks: 100_001 })).rejects.toMatchObject({
      code: -32602,
    })
  })

  test('behavior: up to 1,000 blocks are stored, and so are the first and the last of more', async () => {
    await dev.rpc('anvil_mine', '0x3e8')
    expect(dev.chain.ledger.nextRun(0)).toBeUndefined()
    await dev.rpc('evm_mine', { blocks: 1_001 })
    expect(dev.chain.ledger.nextRun(0)).toMatchObject({ from: 1_002, to: 2_001 - 128 })
  })

  test('error: so many blocks that the last would be too late', async () => {
    for (const count of ['0xffffffffffff', `0x${'f'.repeat(64)}`])
      await expect(dev.rpc('hardhat_mine', count)).rejects.toMatchObject({ code: -32602 })
    expect(await height(dev)).toBe(0)
  })
})

test('behavior: the clock continues after a run', async () => {
  await dev.rpc('evm_increaseTime', 1_000)
  await dev.rpc('hardhat_mine', hex(MILLION), hex(3_600))
  const newest = await client.getBlock()
  await dev.rpc('evm_increaseTime', 50)
  await dev.rpc('evm_mine')
  const after = await client.getBlock()
  expect(Number(after.timestamp - newest.timestamp)).toBeGreaterThanOrEqual(50)
  expect(Number(after.timestamp - newest.timestamp)).toBeLessThan(100)
  await dev.rpc('evm_setNextBlockTimestamp', Number(after.timestamp) + 7)
  await dev.rpc('hardhat_mine', hex(MILLION))
  const next = await blockAt(MILLION + 2)
  expect(next.timestamp).toBe(after.timestamp + 7n)
  expect((await client.getBlock()).timestamp).toBe(next.timestamp + BigInt(MILLION) - 1n)
})

describe('what waits for a block', () => {
  const waiting = async () => {
    const { pending } = (await dev.rpc('txpool_status')) as { pending: Hex }
    return Number(pending)
  }

  test('behavior: waiting transactions are in the first blocks, when the base fee has fallen', async () => {
    await dev.rpc('evm_setAutomine', false)
    onTestFinished(() => void dev.rpc('evm_setAutomine', true))
    const fee = (await client.getBlock()).baseFeePerGas ?? 0n
    const send = (more: object) =>
      dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), to: OTHER, gas: '0x5208', ...more })
    const first = (await send({ gasPrice: hex(Number(fee) * 20) })) as Hash
    const low = (await send({ from: dev.accountOf(1), gasPrice: hex(Number(fee)) })) as Hash
    const far = (await send({ gasPrice: hex(Number(fee)), nonce: '0x9' })) as Hash
    await dev.rpc('hardhat_setNextBlockBaseFeePerGas', hex(Number(fee) * 10))
    await dev.rpc('hardhat_mine', hex(MILLION))
    const numberOf = async (hash: Hash) =>
      Number((await client.getTransactionReceipt({ hash })).blockNumber)
    expect(await numberOf(first)).toBe(1)
    const found = await numberOf(low)
    expect(found).toBeGreaterThan(10)
    expect((await blockAt(found - 1)).baseFeePerGas).toBeGreaterThan(fee)
    expect((await blockAt(found)).baseFeePerGas).toBeLessThanOrEqual(fee)
    expect(await height(dev)).toBe(MILLION)
    await expect(client.getTransactionReceipt({ hash: far })).rejects.toThrow('could not be found')
    expect(await waiting()).toBe(0)
    // The rest is a run all the same.
    expect(dev.chain.ledger.nextRun(0)?.from).toBeLessThan(300)
  })

  test('behavior: chosen values of the next block are those of the first block only', async () => {
    await dev.rpc('hardhat_setNextBlockBaseFeePerGas', '0x123456')
    await dev.rpc('hardhat_setPrevRandao', `0x${'05'.repeat(32)}`)
    await dev.rpc('hardhat_mine', hex(MILLION))
    expect(await blockAt(1)).toMatchObject({ baseFeePerGas: 0x123456n })
    const [fee] = feesAfter(0x123456n, 1)
    expect((await blockAt(2)).baseFeePerGas).toBe(fee)
    expect((await blockAt(MILLION)).mixHash).not.toBe((await blockAt(1)).mixHash)
  })
})

describe('followers', () => {
  const numbersOf = (hashes: readonly Hash[]) =>
    hashes.map((hash) => Number.parseInt(hash.slice(2, 18), 16))

  test('behavior: a block filter announces the stored blocks, before and after a run', async () => {
    const filter = await client.createBlockFilter()
    await dev.rpc('hardhat_mine', hex(MILLION))
    const tail = Array.from({ length: 128 }, (_, index) => MILLION - 127 + index)
    const changes = (id: Hex) => dev.rpc('eth_getFilterChanges', id) as Promise<Hash[]>
    expect(numbersOf(await changes(filter.id))).toEqual([1, ...tail])
    expect(await changes(filter.id)).toEqual([])
    await dev.rpc('evm_mine')
    expect(numbersOf(await changes(filter.id))).toEqual([MILLION + 1])
  })

  test('behavior: logs around runs are found once, by searches and filters', async () => {
    const filter = (await dev.rpc('eth_newFilter', { fromBlock: '0x0' })) as Hex
    const changes = async (id: Hex) => {
      const logs = (await dev.rpc('eth_getFilterChanges', id)) as { blockNumber: Hex }[]
      return logs.map(({ blockNumber }) => Number(blockNumber))
    }
    await log()
    await dev.rpc('hardhat_mine', hex(MILLION))
    await log()
    await dev.rpc('hardhat_mine', hex(MILLION))
    const places = [1, MILLION + 2]
    expect(await changes(filter)).toEqual(places)
    await log()
    expect(await changes(filter)).toEqual([2 * MILLION + 3])
    const logs = await client.getLogs({ address: CONTRACT, fromBlock: 0n, toBlock: 'latest' })
    expect(logs.map(({ blockNumber }) => Number(blockNumber))).toEqual([...places, 2 * MILLION + 3])
    const inside = { fromBlock: 5_000n, toBlock: 900_000n }
    expect(await client.getLogs(inside)).toEqual([])
    expect(await dev.rpc('eth_getFilterLogs', filter)).toHaveLength(3)
  })

  test('behavior: subscriptions continue after a run, and after a return to before it', async () => {
    const socket = await openSocket(dev.url.replace('http', 'ws'))
    onTestFinished(() => socket.close())
    const newHeads = await socket.rpc<string>('eth_subscribe', 'newHeads')
    const newLogs = await socket.rpc<string>('eth_subscribe', 'logs', {})
    const heads = () => socket.of<RpcHeader>(newHeads).map(({ number }) => Number(number))
    const logs = () =>
      socket.of<RpcLog>(newLogs).map((found) => [Number(found.blockNumber), found.removed])
    const filter = (await dev.rpc('eth_newFilter', {})) as Hex
    const snapshot = await dev.rpc('evm_snapshot')
    await log()
    await dev.rpc('hardhat_mine', hex(MILLION))
    const tail = Array.from({ length: 128 }, (_, index) => MILLION - 126 + index)
    await until(() => expect(heads()).toEqual([1, 2, ...tail]))
    expect(await dev.rpc('eth_getFilterChanges', filter)).toHaveLength(1)
    await dev.rpc('evm_revert', snapshot)
    await dev.rpc('evm_mine')
    await dev.rpc('evm_mine')
    await log()
    await until(() => expect(heads()).toEqual([1, 2, ...tail, 1, 2, 3]))
    await until(() =>
      expect(logs()).toEqual([
        [1, false],
        [1, true],
        [3, false],
      ]),
    )
    expect(await dev.rpc('eth_getFilterChanges', filter)).toMatchObject([
      { blockNumber: '0x1', removed: true },
      { blockNumber: '0x3', removed: false },
    ])
  })
})

test('property: filters and subscriptions deliver each log once, across runs and returns', async () => {
  const step = fc.constantFrom('log', 'log', 'mine', 'run', 'run', 'mark', 'return', 'poll')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      await dev.rpc('hardhat_reset')
      await dev.rpc('hardhat_setCode', CONTRACT, LOGGING)
      const socket = await openSocket(dev.url.replace('http', 'ws'))
      const filter = await dev.rpc('eth_newFilter', {})
      const subscription = await socket.rpc<string>('eth_subscribe', 'logs', {})
      const marks: unknown[] = []
      const polled: RpcLog[] = []
      const poll = async () => {
        const found = (await dev.rpc('eth_getFilterChanges', filter)) as RpcLog[]
        polled.push(...found)
        return found.length
      }
      for (const one of steps) {
        if (one === 'log')
          await dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), to: CONTRACT })
        if (one === 'mine') await dev.rpc('evm_mine')
        if (one === 'run') await dev.rpc('hardhat_mine', '0x1388')
        if (one === 'mark') marks.push(await dev.rpc('evm_snapshot'))
        if (one === 'return' && marks.length > 0) await dev.rpc('evm_revert', marks.pop())
        if (one === 'poll') await poll()
      }
      while ((await poll()) > 0);
      const logs = (await dev.rpc('eth_getLogs', { fromBlock: '0x0' })) as RpcLog[]
      const wanted = logs.map(({ blockHash }) => blockHash)
      expect(remaining(polled)).toEqual(wanted)
      const kept = () => remaining(socket.of<RpcLog>(subscription))
      await until(() => expect(kept()).toEqual(wanted))
      await socket.close()
    }),
    { numRuns: 10 },
  )
})

/** The blocks of the logs that a client has, after those that were removed again. Each removal is that of its newest log. */
function remaining(delivered: readonly RpcLog[]): Hash[] {
  const kept: Hash[] = []
  for (const { blockHash, removed } of delivered)
    if (!removed) kept.push(blockHash)
    else if (kept.pop() !== blockHash) throw new Error(`${blockHash} was removed out of order`)
  return kept
}

describe('going back', () => {
  test('default: a snapshot before a run, and a reset, remove it', async () => {
    await dev.rpc('evm_mine')
    const snapshot = await dev.rpc('evm_snapshot')
    await dev.rpc('hardhat_mine', hex(MILLION), '0xc')
    const { hash } = await blockAt(MILLION / 2)
    const inside = await dev.rpc('evm_snapshot')
    await dev.rpc('evm_mine')
    expect(await dev.rpc('evm_revert', inside)).toBe(true)
    expect(await height(dev)).toBe(MILLION + 1)
    expect((await blockAt(MILLION / 2)).hash).toBe(hash)
    expect(await dev.rpc('evm_revert', snapshot)).toBe(true)
    expect(await height(dev)).toBe(1)
    await expect(client.getBlock({ blockHash: hash })).rejects.toThrow('could not be found')
    await dev.rpc('hardhat_mine', hex(MILLION), '0xc')
    expect((await blockAt(MILLION / 2)).hash).not.toBe(hash)
    await dev.rpc('hardhat_reset')
    expect(await height(dev)).toBe(0)
    await dev.rpc('evm_mine')
    expect(await height(dev)).toBe(1)
  })

  test('behavior: the last 128 blocks can be replaced, and the chain can go back to before a run', async () => {
    await dev.rpc('evm_mine')
    await dev.rpc('hardhat_mine', hex(MILLION))
    const newest = MILLION + 1
    await dev.rpc('anvil_reorg', 100)
    expect(await height(dev)).toBe(newest)
    const tail = await Promise.all([-101, -100, -99].map((below) => blockAt(newest + below)))
    expect(tail[1]?.parentHash).toBe(tail[0]?.hash)
    expect(tail[2]?.parentHash).toBe(tail[1]?.hash)
    await dev.rpc('evm_reorg', { depth: 2 })
    await expect(dev.rpc('anvil_rollback', 5_000)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('is one of the empty blocks 3 to') as string,
    })
    expect(await height(dev)).toBe(newest + 1)
    await dev.rpc('anvil_rollback', newest - 1)
    expect(await height(dev)).toBe(2)
    expect(dev.chain.ledger.nextRun(0)).toBeUndefined()
  })
})

test('behavior: a state file keeps a run as one line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const state = join(folder, 'chain')
  const open = () => createDevChain({ mining: { blockTime: 0 }, rules: { decimals: 18 }, state })
  const chain = await open()
  await chain.start()
  await chain.mineMany(MILLION, 12_000)
  const { head, block, stateAt } = chain.ledger
  const [newest, inside] = [head(), block(500_000)]
  const witnesses = (of: typeof stateAt) =>
    (of(MILLION).get('list', 'witnesses') ?? []).map((one) => of(MILLION).get('witness', one))
  await chain.close()
  expect(readFileSync(state, 'utf8').split('\n').length).toBeLessThan(140)
  const again = await open()
  expect(again.ledger.head().id).toBe(newest.id)
  expect(again.ledger.block(500_000)).toEqual(inside)
  expect(witnesses(again.ledger.stateAt)).toEqual(witnesses(stateAt))
  await again.mine()
  expect(again.ledger.head().header.parentHash).toBe(newest.id)
  await again.close()
})

test('behavior: a run on a fork', async () => {
  const { point, real, startFork } = await startForkedChain()
  onTestFinished(() => real.close())
  const fork = await startFork()
  await fork.rpc('hardhat_mine', hex(MILLION))
  expect(await height(fork)).toBe(point + MILLION)
  const logs = (await fork.rpc('eth_getLogs', { fromBlock: '0x0' })) as object[]
  expect(logs).toEqual(await fork.rpc('eth_getLogs', { fromBlock: '0x0', toBlock: hex(point) }))
  const [before, block] = await Promise.all(
    [point + 4_999, point + 5_000].map(
      (number) => fork.rpc('eth_getBlockByNumber', hex(number), false) as Promise<Block>,
    ),
  )
  expect(block?.parentHash).toBe(before?.hash)
})
