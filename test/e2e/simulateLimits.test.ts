import { text } from 'node:stream/consumers'

import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { createSimulator } from '../../src/devchain/simulator/simulator.ts'
import { createHeldBytes } from '../../src/lib/heldBytes.ts'
import { callRequest } from '../../src/rpc/params/callParam.ts'
import { stateOverride } from '../../src/rpc/params/overrides.ts'
import type { ClientCall } from '../../src/rpc/request.ts'
import { post } from '../support/client.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { startGateway } from '../support/gateway.ts'
import { serveInTest } from '../support/serve.ts'
import { until } from '../support/until.ts'

const WHO: Hex = `0x${'ab'.repeat(20)}`

/** Returns its own balance. */
const BALANCE = '0x4760005260206000f3'

/** From the slot in the input on, reads slots up to the next multiple of 128. */
const READS = '0x6000355b80545060010180607f1660035700'

/** Uses 256 KiB of memory, then runs without end. */
const ENDLESS = '0x600162040000525b600756'

/** Multiplies a point of bn254 without end. It takes many seconds to use the energy of a block. */
const LOOP = '0x60015f5260026020525f196040525b6040606060605f60075afa50600e56'
const ENDLESS_ACCOUNT: Hex = `0x${'cd'.repeat(20)}`

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Creates a contract without code of note. A node has storage of contracts only. */
const CREATION = '0x6001600c60003960016000f300'

let node: DevGateway
let contract: Hex

beforeAll(async () => {
  node = await startDevGateway({ rules: { profile: 'native' }, mining: { blockTime: 0 } })
  const creation = { from: node.accountOf(0), data: CREATION }
  const hash = await node.rpc('eth_sendTransaction', creation)
  const receipt = (await node.rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
  contract = receipt.contractAddress
})
afterAll(() => node.close())

/** What a node answers that has no eth_simulateV1, as no real node has. */
const LACKING = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'

/** The JSON-RPC of the chain, and the methods that it was asked. */
async function startRpc() {
  const asked: string[] = []
  const url = await serveInTest(async (request, response) => {
    const body = await text(request)
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    asked.push(method)
    const zero = JSON.stringify({ jsonrpc: '2.0', id, result: word(0) })
    const forward = async () => (await fetch(node.url, { method: 'POST', body })).text()
    if (method === 'eth_getStorageAt') response.end(zero)
    else response.end(method === 'eth_simulateV1' ? LACKING : await forward())
  })
  return { asked, url }
}

/** A gateway in front of the chain, whose simulations have these limits: MB and milliseconds. */
async function open(limits: { memory?: number; time?: number }) {
  const { asked, url: upstreamRpc } = await startRpc()
  const { url } = await startGateway({
    config: { simulate: 'on', upstream: node.url, upstreamRpc },
    host: { createSimulator: (options) => createSimulator({ ...options, ...limits }) },
  })
  /** Whether a simulation is answered. */
  const isServing = async () => {
    const overrides = { [WHO]: { code: BALANCE, balance: '0x7b' } }
    const { result } = await post(url, 'eth_call', [{ to: WHO }, 'latest', overrides])
    expect(result).toBe(word(0x7b))
  }
  return { asked, isServing, url }
}

test('error: more than 2,000 reads of the node, and the next simulation is answered', async () => {
  const { asked, isServing, url } = await open({ time: 120_000 })
  const calls = Array.from({ length: 20 }, (_, index) => ({
    to: contract,
    data: word(128 * index + 1),
  }))
  const blocks = [{ calls, stateOverrides: { [contract]: { code: READS } } }]
  const { error } = await post(url, 'eth_simulateV1', [{ blockStateCalls: blocks }])
  expect(error).toEqual({
    code: -32005,
    message: 'a simulation may read at most 2000 values of the node',
  })
  const reads = asked.filter((method) => method === 'eth_getStorageAt').length
  expect(reads).toBeGreaterThan(1_900)
  expect(reads).toBeLessThanOrEqual(2_000)
  await isServing()
})

test('error: more memory than it may use, and the next simulation is answered', async () => {
  const { isServing, url } = await open({ memory: 64 })
  await isServing()
  const { error } = await post(url, 'debug_traceCall', [
    { to: WHO, gas: '0xffffffffff' },
    'latest',
    { enableMemory: true, stateOverrides: { [WHO]: { code: ENDLESS } } },
  ])
  expect(error).toEqual({
    code: -32005,
    message: 'the simulations need more memory than they may use',
  })
  await isServing()
})

/** A power that takes about a second and cannot be interrupted: lengths, then base, exponent and modulus. */
const POWER: Hex = `0x${[1_024, 500, 1_024].map((length) => word(length).slice(2)).join('')}${'ff'.repeat(1_524)}${'fd'.repeat(1_024)}`

/** Simulates calls in a thread of its own, whose turns have a limit in milliseconds. */
async function openAlone({ responseLimit = 1_000_000, stuck = 10_000 } = {}) {
  const { url: rpc } = await startRpc()
  const simulator = createSimulator({
    feeSignal: 'eip1559',
    held: createHeldBytes(),
    log: { warn() {} },
    node: () => ({ headers: {}, rpc, timeout: 10_000, wallet: node.url }),
    responseLimit,
    stuck,
    time: 120_000,
  })
  onTestFinished(() => simulator.stop())
  const chainId = Number(await node.rpc('eth_chainId'))
  const call = (request: object, owner = 'a', { signal } = new AbortController()) => {
    const meter = { charged: 0, cost: 0 }
    const accounts = stateOverride({
      [WHO]: { code: BALANCE, balance: '0x7b' },
      [ENDLESS_ACCOUNT]: { code: LOOP },
    })
    const subject = callRequest({ to: WHO, ...request })
    const asked = { caller: { id: owner, limits: {} }, meter, signal }
    const scope = { call: asked as unknown as ClientCall, chainId, floor: 0 }
    const result = simulator.simulate(
      { name: 'call', subject, asked: { accounts, block: {} }, unit: 'sun' },
      scope,
    )
    return { meter, result }
  }
  /** The balance of an account, which its code answers. */
  const balance = (owner?: string, leaving?: AbortController) => call({}, owner, leaving).result
  /** Runs without end. */
  const loop = (owner: string) => call({ to: ENDLESS_ACCOUNT }, owner)
  return { balance, call, loop }
}

test('behavior: a client that leaves while the thread starts does not end it', async () => {
  const { balance } = await openAlone()
  const leaving = new AbortController()
  const [left, stays] = [balance('a', leaving), balance('a')]
  leaving.abort(new Error('the client has left'))
  await expect(left).rejects.toThrow('the client has left')
  expect(await stays).toBe(word(0x7b))
})

test('behavior: a long run delays no other caller, and only its own caller pays', async () => {
  const { balance, loop } = await openAlone()
  await balance()
  const long = Array.from({ length: 6 }, () => loop('a'))
  const ends = Promise.allSettled(long.map(({ result }) => result))
  let isOver = false
  void ends.then(() => (isOver = true))
  expect(await balance('b')).toBe(word(0x7b))
  expect(isOver).toBe(false)
  for (const end of await ends)
    expect(end).toMatchObject({
      reason: { message: expect.stringMatching(/timed out|CPU timeout/i) },
    })
  // Each has computed for five seconds, however long it took beside the others.
  for (const { meter } of long) {
    expect(meter.cost).toBeGreaterThan(190)
    expect(meter.cost).toBeLessThan(230)
  }
})

test('error: work that cannot be interrupted ends only its own call', async () => {
  const power = { to: `0x${'5'.padStart(40, '0')}`, data: POWER }
  const patient = await openAlone()
  await patient.balance()
  const began = performance.now()
  await patient.call(power).result
  const { balance, call } = await openAlone({ stuck: (performance.now() - began) / 3 })
  // The first runs of a thread are slow.
  await until(() => balance())
  // On a busy machine the work may begin before the others are there. Then they are not interrupted.
  const long = call(power, 'a')
  const others = Array.from({ length: 4 }, (_, index) => balance(`b${index}`))
  await expect(long.result).rejects.toMatchObject({ code: -32000, message: 'execution timed out' })
  expect(await Promise.all(others)).toEqual(others.map(() => word(0x7b)))
})

test('error: a result that is too large is not copied', async () => {
  const { balance, call } = await openAlone({ responseLimit: 1_000 })
  await expect(call({ to: undefined, data: '0x6110006000f3' }).result).rejects.toMatchObject({
    code: -32005,
    message: 'the result of the simulation exceeds the limit of 1000 bytes',
  })
  expect(await balance()).toBe(word(0x7b))
})

test('behavior: a call may not use more gas than a block has, however much it asks for', async () => {
  const { call } = await openAlone()
  // Returns GAS.
  const { result } = call({ to: undefined, data: '0x5a60005260206000f3', gas: '0xffffffffffff' })
  expect(Number(await result)).toBeLessThan(100_000_000)
})
