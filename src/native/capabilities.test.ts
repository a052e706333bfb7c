import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { type ReplayNode, startReplayNode } from '../../test/support/node.ts'
import {
  CONSTANT_CALLS_OFF,
  createCapabilities,
  hasBalancesOf,
  requireConstantCalls,
} from './capabilities.ts'
import { createNodeClient, type NativeClient } from './client.ts'
import { createHttpTransport } from './transport/transport.ts'

const LITE = 'this API is closed because this node is a lite fullnode'
const DISABLED = '{"Error":"this API is unavailable due to config"}'
const NO_SUCH_BLOCK =
  '{"Error":"class org.tron.core.exception.ItemNotFoundException : This block does not exist"}\n'
const refusal = (text: string) =>
  `{"result":{"code":"CONTRACT_VALIDATE_ERROR","message":"${Buffer.from(text).toString('hex')}"}}`

let node: ReplayNode
let native: NativeClient
/** Answers by operation, in place of the recorded ones. */
let replaced: Record<string, string | undefined> = {}

beforeEach(async () => {
  replaced = {}
  node = await startReplayNode({
    intercept({ path }) {
      const text = replaced[path.split('/').at(-1) ?? '']
      return text === undefined ? undefined : { text, status: text === DISABLED ? 404 : 200 }
    },
  })
  native = createNodeClient({ transport: createHttpTransport({ upstream: node.url }) })
})

afterEach(async () => {
  await native.close()
  await node.close()
})

/** The facts that a node reports about itself. */
async function probe() {
  const capabilities = createCapabilities({ native })
  const names = [
    'balanceHistory',
    'blockHistory',
    'constantCalls',
    'estimateEnergy',
    'infoHistory',
    'solidity',
  ] as const
  const has = await Promise.all(names.map(async (name) => [name, await capabilities.has(name)]))
  return {
    ...(await capabilities.identity()),
    ...(Object.fromEntries(has) as Record<(typeof names)[number], boolean>),
    version: await capabilities.version(),
  }
}

describe('what a node tells of itself', () => {
  test('default', async () => {
    expect(await probe()).toMatchInlineSnapshot(`
      {
        "balanceHistory": true,
        "blockHistory": true,
        "chainId": 2991466444,
        "constantCalls": true,
        "estimateEnergy": true,
        "genesis": "00000000000000005ac47ecd0b7e9c5161ebb99d00a95c91a95aeef7b24e27cc",
        "infoHistory": true,
        "solidity": true,
        "version": "4.8.0",
      }
    `)
  })

  test('behavior: a node with everything switched off', async () => {
    replaced = {
      triggerconstantcontract: refusal('this node does not support constant'),
      estimateenergy: refusal(
        'this node does not support constant, so estimate energy cannot work',
      ),
      getblockbalance: NO_SUCH_BLOCK,
      gettransactioninfobyid: '{}',
      getnodeinfo: DISABLED,
    }
    expect(await probe()).toMatchObject({
      balanceHistory: false,
      blockHistory: true,
      constantCalls: false,
      estimateEnergy: false,
      infoHistory: false,
      version: undefined,
    })
  })

  test('behavior: a lite node', async () => {
    for (const name of ['getblockbynum', 'getblockbylatestnum', 'gettransactioninfobyid'])
      replaced[name] = LITE
    expect(await probe()).toMatchObject({
      blockHistory: false,
      chainId: 0xb24e27cc,
      infoHistory: false,
    })
  })

  test('error: a node that cannot be asked', async () => {
    await node.close()
    await expect(probe()).rejects.toMatchObject({ code: -32603 })
    node = await startReplayNode()
  })
})

describe('createCapabilities', () => {
  test('default', async () => {
    const capabilities = createCapabilities({ native })
    expect(await capabilities.identity()).toEqual({
      chainId: 0xb24e27cc,
      genesis: '00000000000000005ac47ecd0b7e9c5161ebb99d00a95c91a95aeef7b24e27cc',
    })
    expect(await capabilities.version()).toBe('4.8.0')
    expect(await capabilities.has('estimateEnergy')).toBe(true)
  })

  test('behavior: each is probed when it is first needed, and again when the answer is old', async () => {
    let time = 0
    const capabilities = createCapabilities({ native, now: () => time })
    await capabilities.has('constantCalls')
    await capabilities.has('constantCalls')
    expect(node.requests.paths()).toEqual(['/wallet/triggerconstantcontract'])
    replaced['triggerconstantcontract'] = refusal('this node does not support constant')
    time = 59_999
    expect(await capabilities.has('constantCalls')).toBe(true)
    time = 60_000
    expect(await capabilities.has('constantCalls')).toBe(false)
  })

  test('error: a failure is not cached', async () => {
    const capabilities = createCapabilities({ native })
    replaced['triggerconstantcontract'] = '<html>'
    await expect(capabilities.has('constantCalls')).rejects.toMatchObject({ code: -32603 })
    replaced = {}
    expect(await capabilities.has('constantCalls')).toBe(true)
  })
})

describe('hasBalancesOf', () => {
  test('default', async () => {
    const block = await native.wallet.getBlock({ id_or_num: '100' })
    expect(await hasBalancesOf(native, { hash: block?.blockID ?? '', number: 100 })).toBe(true)
    replaced['getblockbalance'] = NO_SUCH_BLOCK
    expect(await hasBalancesOf(native, { hash: block?.blockID ?? '', number: 100 })).toBe(false)
  })
})

describe('requireConstantCalls', () => {
  test('default', async () => {
    await expect(requireConstantCalls(native)).resolves.toBeUndefined()
  })

  test('error: switched off; the message says what to change', async () => {
    replaced['triggerconstantcontract'] = refusal('this node does not support constant')
    await expect(requireConstantCalls(native)).rejects.toThrow(CONSTANT_CALLS_OFF)
    expect(CONSTANT_CALLS_OFF).toContain('vm.supportConstant = true')
  })
})
