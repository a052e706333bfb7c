import { text } from 'node:stream/consumers'

import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { createSimulator } from '../../src/devchain/simulator/simulator.ts'
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

/** Runs without end. */
const LOOP = '0x5b600056'

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Creates a contract without code of note. A node has storage of contracts only. */
const CREATION = '0x6001600c60003960016000f300'

let node: DevGateway
let contract: Hex

beforeAll(async () => {
  node = await startDevGateway({ profile: 'native', blockTime: 0 })
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
    createSimulator: (options) => createSimulator({ ...options, ...limits }),
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

/** Simulates code in a thread that is ended when it does not answer at once. */
async function openStrict() {
  const { url: rpc } = await startRpc()
  const simulator = createSimulator({
    feeSignal: 'eip1559',
    log: { warn() {} },
    node: () => ({ headers: {}, rpc, timeout: 10_000, wallet: node.url }),
    pingTimeout: 0,
    time: 120_000,
  })
  onTestFinished(() => simulator.stop())
  const chainId = Number(await node.rpc('eth_chainId'))
  return (code: Hex, { signal } = new AbortController()) => {
    const overrides = { [WHO]: { code, balance: '0x7b' } }
    const params = [{ to: WHO, gas: '0xffffffffff' }, 'latest', overrides]
    const scope = { chainId, floor: 0, signal }
    return simulator.simulate({ method: 'eth_call', params, unit: 'sun' }, scope)
  }
}

test('behavior: a client that leaves while the thread starts does not end it', async () => {
  const simulate = await openStrict()
  const leaving = new AbortController()
  const [left, stays] = [simulate(BALANCE, leaving), simulate(BALANCE)]
  leaving.abort(new Error('the client has left'))
  await expect(left).rejects.toThrow('the client has left')
  expect(await stays).toBe(word(0x7b))
})

test('error: a thread that does not answer is ended, and its other simulations may be made again', async () => {
  const simulate = await openStrict()
  await simulate(BALANCE)
  // On a busy machine the client may leave before the thread runs the loop. Then the thread still answers.
  await until(async () => {
    const leaving = new AbortController()
    const [left, waits] = [simulate(LOOP, leaving), simulate(LOOP)]
    setImmediate(() => leaving.abort(new Error('the client has left')))
    const [first, second] = await Promise.allSettled([left, waits])
    expect(first).toMatchObject({ reason: { message: 'the client has left' } })
    expect(second).toMatchObject({
      reason: { code: -32603, message: 'simulations are not ready yet, try again later' },
    })
  })
  expect(await simulate(BALANCE)).toBe(word(0x7b))
})
