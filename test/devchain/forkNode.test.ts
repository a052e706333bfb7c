import type { AddressInfo } from 'node:net'

import { serve } from '@hono/node-server'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { createNativeInterface } from '../../src/devchain/api/interface.ts'
import { createNativeApp } from '../../src/devchain/api/nativeServer.ts'
import { connectFork } from '../../src/devchain/index.ts'
import { recordedGenesis, replayRecorded } from '../support/devchainRecorded.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { hasNodeScript, nodeScript } from '../support/nodeScript.ts'
import { CHAIN, keys, labels } from '../support/recordedChain.ts'

// Ports are 8090 + offset: nodes of other tests have other offsets.
const OFFSET = '420'

const abi = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address who) view returns (uint256)',
])
const NOBODY: Hex = `0x${'cd'.repeat(20)}`
const token: Hex = `0x${labels.contracts.Token.address.slice(2)}`
const { alice, bob } = keys
const coins = async (chain: DevGateway, who: Hex, block: string | number = 'latest') =>
  BigInt((await chain.rpc('eth_getBalance', who, hex(block))) as Hex)
const hex = (block: string | number) =>
  typeof block === 'number' ? `0x${block.toString(16)}` : block
const tokens = async (chain: DevGateway, who: Hex) => {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [who] })
  return BigInt((await chain.rpc('eth_call', { to: token, data })) as Hex)
}

describe('a fork of the recorded chain, made anew and served without a JSON-RPC', () => {
  let fork: DevGateway
  let stop: () => void

  beforeAll(async () => {
    const ledger = recordedGenesis()
    await replayRecorded(ledger)
    const native = createNativeInterface({
      ledger,
      now: () => ledger.head().header.timestamp,
      sleep: async () => undefined,
      submit: () => Promise.reject(new Error('this chain takes no transactions')),
    })
    const server = serve({ fetch: createNativeApp(native).fetch, hostname: '127.0.0.1', port: 0 })
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    fork = await startDevGateway({ fork: await connectFork({ url, number: 200, cache: 'off' }) })
    stop = () => server.close()
  })
  afterAll(async () => {
    await fork.close()
    stop()
  })

  test('default: it has the chain id, blocks and balances of its chain at the fork block', async () => {
    expect(await fork.rpc('eth_chainId')).toBe(hex(CHAIN.chainId))
    expect(await fork.rpc('eth_blockNumber')).toBe(hex(200))
    const { block } = fork.chain.ledger.fork ?? {}
    expect(await fork.rpc('eth_getBlockByNumber', hex(200), false)).toMatchObject({
      hash: `0x${block?.id}`,
    })
    for (const number of [100, 150, 200]) {
      const told = await fork.native('/wallet/getblockbynum', { num: number })
      const { balance } = await fork.native('/wallet/getaccountbalance', {
        account_identifier: { address: bob.hex },
        block_identifier: { hash: told['blockID'], number },
      })
      expect(await coins(fork, bob.eth, number)).toBe(BigInt(balance as number))
    }
  })

  test('default: native accounts are whole: permissions, stakes, tokens', async () => {
    const account = await fork.native('/wallet/getaccount', { address: alice.hex })
    expect(account).toMatchObject({
      assetV2: [{ key: labels.tokenId }],
      frozenV2: [{}, { type: 'ENERGY' }, { type: 'TRON_POWER' }],
      owner_permission: { keys: [{ address: alice.hex, weight: 1 }] },
    })
    const { assetIssue } = await fork.native('/wallet/getassetissuelist')
    expect(assetIssue).toMatchObject([{ id: labels.tokenId, owner_address: alice.hex }])
  })

  test('error: contract storage is refused, and says what is missing', async () => {
    await expect(tokens(fork, alice.eth)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('--fork-rpc'),
    })
    await expect(fork.rpc('eth_getCode', token, hex(100))).rejects.toMatchObject({
      message: expect.stringContaining('does not keep past state'),
    })
  })
})

describe.skipIf(!hasNodeScript)('a fork of a real node', () => {
  const node = (verb: string) => nodeScript(verb, '--offset', OFFSET)
  let fork: DevGateway

  beforeAll(async () => {
    await node('start')
    const url = `http://127.0.0.1:${8_090 + Number(OFFSET)}`
    fork = await startDevGateway({ fork: await connectFork({ url, cache: 'off' }) })
  }, 240_000)
  afterAll(async () => {
    await fork.close()
    await node('stop')
  }, 120_000)

  test('default: an impersonated account moves its tokens', async () => {
    const before = await tokens(fork, alice.eth)
    expect(before).toBeGreaterThan(5n)
    await fork.rpc('hardhat_impersonateAccount', alice.eth)
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [NOBODY, 5n] })
    const hash = await fork.rpc('eth_sendTransaction', { from: alice.eth, to: token, data })
    expect(await fork.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      blockNumber: hex(CHAIN.head + 1),
      logs: [{ address: token }],
    })
    expect([await tokens(fork, alice.eth), await tokens(fork, NOBODY)]).toEqual([before - 5n, 5n])
  })

  test('default: calls use the energy that the node says', async () => {
    const call = {
      owner_address: bob.hex,
      contract_address: labels.contracts.Token.address,
      data: encodeFunctionData({ abi, functionName: 'balanceOf', args: [bob.eth] }).slice(2),
    }
    const own = await fork.native('/wallet/triggerconstantcontract', call)
    // A node that has just started on a busy machine may exceed its own limit of CPU time.
    await vi.waitFor(
      async () => {
        const told = await fork.chain.fork?.ask('triggerconstantcontract', call)
        const { constant_result, energy_used } = own
        expect(told).toMatchObject({ constant_result, energy_used })
      },
      { timeout: 60_000, interval: 500 },
    )
  })

  test('default: an account as the node prints it', async () => {
    for (const { hex: address } of [bob, keys.carol, keys.erin, keys.dave]) {
      const own = await fork.native('/wallet/getaccount', { address })
      const told = (await fork.chain.fork?.ask('getaccount', { address })) as typeof own
      // Uses fade with the time of the newest block, and are kept with the time to which they were reckoned.
      const still = Object.entries(told).filter(([name]) => !/usage|consume|resource/.test(name))
      expect(own).toMatchObject(Object.fromEntries(still))
    }
  })

  test('behavior: balances before the fork are exact, other past state is refused', async () => {
    expect(await coins(fork, alice.eth, 100)).not.toBe(await coins(fork, alice.eth))
    await expect(fork.rpc('eth_getStorageAt', token, '0x0', hex(100))).rejects.toMatchObject({
      code: -32000,
    })
  })

  test('behavior: logs before and after the fork in one answer', async () => {
    const filter = { fromBlock: hex(0), toBlock: 'latest', address: token }
    const logs = (await fork.rpc('eth_getLogs', filter)) as { blockNumber: Hex }[]
    expect(Number(logs[0]?.blockNumber)).toBeLessThan(CHAIN.head)
    expect(Number(logs.at(-1)?.blockNumber)).toBe(CHAIN.head + 1)
  })
})
