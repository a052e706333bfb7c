import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { Ajv } from 'ajv'
import { createPublicClient, encodeFunctionData, type Hex, http, parseAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import type { Config } from '../../src/config/config.ts'
import { createSimulator } from '../../src/devchain/simulator/simulator.ts'
import { post } from '../support/client.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { startGateway } from '../support/gateway.ts'
import { compareCalls, randomCalls, randomOf } from '../support/randomCalls.ts'
import { artifacts } from '../support/recordedChain.ts'
import { serve, serveInTest } from '../support/serve.ts'

const token = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address who) view returns (uint256)',
])
const kitchen = parseAbi([
  'function env() view returns (uint256,uint256,uint256,address,uint256,uint256,address)',
  'function bal(address a) view returns (uint256)',
  'function set(uint256 v)',
  'function n() view returns (uint256)',
  'function sendTo(address t, uint256 v)',
])

const WHO: Hex = `0x${'ab'.repeat(20)}`

const word = (value: bigint | number): Hex => `0x${value.toString(16).padStart(64, '0')}`

let node: DevGateway
let tokenAt: Hex
/** The JSON-RPC of the node. */
let rpcAddress: string
let kitchenAt: Hex
/** A gateway in front of the chain. */
let front: Front

type Front = Awaited<ReturnType<typeof openFront>>

const env = () => ({
  to: kitchenAt,
  data: encodeFunctionData({ abi: kitchen, functionName: 'env' }),
})
const bal = (who: Hex) => ({
  to: kitchenAt,
  data: encodeFunctionData({ abi: kitchen, functionName: 'bal', args: [who] }),
})
const balanceOf = (who: Hex) => ({
  to: tokenAt,
  data: encodeFunctionData({ abi: token, functionName: 'balanceOf', args: [who] }),
})
const transfer = (value: bigint) => ({
  from: node.accountOf(0),
  to: tokenAt,
  data: encodeFunctionData({ abi: token, functionName: 'transfer', args: [WHO, value] }),
})

async function deploy(name: 'Kitchen' | 'Token', args = ''): Promise<Hex> {
  const data = `0x${artifacts[name].bytecode.replace('0x', '')}${args}`
  const hash = await node.rpc('eth_sendTransaction', { from: node.accountOf(0), data })
  const receipt = (await node.rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
  return receipt.contractAddress
}

/** What a node answers that has no eth_simulateV1, as no real node has. */
const LACKING = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'

const servers: Awaited<ReturnType<typeof serve>>[] = []

/** The JSON-RPC of the chain with another eth_simulateV1. Returns its address. */
async function startRpc(simulate: (body: string) => Promise<string>): Promise<string> {
  const server = await serve(async (request, response) => {
    const body = await text(request)
    const forward = async () => (await fetch(node.url, { method: 'POST', body })).text()
    response.end(await (body.includes('eth_simulateV1') ? simulate(body) : forward()))
  })
  servers.push(server)
  return server.url
}

/** A gateway over sockets in front of the chain, as in front of a real node. It ends with the running test. */
async function openFront(config: Partial<Config> = {}) {
  const { gateway, url } = await startGateway({
    config: { simulate: 'on', upstream: node.url, upstreamRpc: rpcAddress, ...config },
    host: { createSimulator },
  })
  const rpcAt =
    (path: string) =>
    async (method: string, ...params: unknown[]) => {
      const { error, result } = await post(`${url}${path}`, method, params)
      if (error) throw Object.assign(new Error(error.message), error)
      return result
    }
  return { gateway, rpc: rpcAt('/'), rpcAt, url }
}

beforeAll(async () => {
  node = await startDevGateway({
    rules: { parameters: { getAllowDynamicEnergy: 1n }, profile: 'native' },
    mining: { blockTime: 0 },
  })
  tokenAt = await deploy('Token', 1_000n.toString(16).padStart(64, '0'))
  kitchenAt = await deploy('Kitchen')
  await node.rpc('anvil_setBalance', kitchenAt, '0xffffff')
  // A change of the state is not a block, and a node shows it only after one.
  await node.rpc('evm_mine')
  rpcAddress = await startRpc(() => Promise.resolve(LACKING))
  front = await openFront()
})
afterAll(async () => {
  await front.gateway.stop()
  for (const server of servers) await server.close()
  await node.close()
})

describe('overrides give what the same changes of the chain give', () => {
  let snapshot: unknown

  beforeEach(async () => {
    snapshot = await node.rpc('evm_snapshot')
    return () => node.rpc('evm_revert', snapshot)
  })

  const cases: [string, () => object, () => object, () => [string, ...unknown[]][]][] = [
    [
      'balance',
      () => bal(WHO),
      () => ({ [WHO]: { balance: '0x7b' } }),
      () => [['anvil_setBalance', WHO, '0x7b']],
    ],
    [
      'code',
      () => ({ to: WHO, data: env().data }),
      () => ({ [WHO]: { code: `0x${artifacts.Kitchen.runtime.replace('0x', '')}` } }),
      () => [['anvil_setCode', WHO, `0x${artifacts.Kitchen.runtime.replace('0x', '')}`]],
    ],
    [
      'stateDiff',
      () => ({
        to: kitchenAt,
        data: encodeFunctionData({ abi: kitchen, functionName: 'n' }),
      }),
      () => ({ [kitchenAt]: { stateDiff: { [word(0)]: word(9), [word(1)]: word(8) } } }),
      () => [
        ['anvil_setStorageAt', kitchenAt, word(0), word(9)],
        ['anvil_setStorageAt', kitchenAt, word(1), word(8)],
      ],
    ],
  ]
  test.each(cases)('default: %s', async (_, call, overrides, changes) => {
    const unchanged = await node.rpc('eth_call', call())
    const answer = await front.rpc('eth_call', call(), 'latest', overrides())
    const gas = await front.rpc('eth_estimateGas', call(), 'latest', overrides())
    const ownGas = await node.rpc('eth_estimateGas', call(), 'latest', overrides())
    for (const [method, ...params] of changes()) await node.rpc(method, ...params)
    expect(answer).toBe(await node.rpc('eth_call', call()))
    expect(answer).not.toBe(unchanged)
    expect(gas).toBe(ownGas)
  })

  test('default: number and time of the block', async () => {
    const answer = (await front.rpc('eth_call', env(), 'latest', null, {
      number: '0x1234',
      time: '0x77777777',
    })) as Hex
    const seen = (answer.slice(2).match(/.{64}/g) ?? []).map((text) => BigInt(`0x${text}`))
    expect(seen).toEqual(expect.arrayContaining([0x1234n, 0x77777777n]))
  })

  test('behavior: amounts at /wei have 18 decimals', async () => {
    const amount = (10n ** 12n * 5n).toString(16)
    const answer = await front.rpcAt('/wei')('eth_call', bal(WHO), 'latest', {
      [WHO]: { balance: `0x${amount}` },
    })
    expect(answer).toBe(word(5))
    const overridden = { [WHO]: { balance: `0x${amount}` } }
    const blockStateCalls = [{ calls: [bal(WHO)], stateOverrides: overridden }]
    expect(await front.rpcAt('/wei')('eth_simulateV1', { blockStateCalls })).toMatchObject([
      { calls: [{ returnData: word(5) }] },
    ])
  })
})

test('default: random calls have the result, the revert data and the energy that the node has', async () => {
  const contracts = [
    { address: kitchenAt, abi: artifacts.Kitchen.abi },
    { address: tokenAt, abi: artifacts.Token.abi },
  ]
  const native = (path: string, body: unknown) => node.native(path, body)
  const calls = randomCalls(contracts, randomOf(7), 60)
  const counts = await compareCalls(calls, native, front.rpc)
  expect(counts).toMatchObject({ success: expect.any(Number), revert: expect.any(Number) })
})

test('default: viem simulates blocks and calls', async () => {
  const client = createPublicClient({ transport: http(front.url) })
  const number = (await client.getBlockNumber()) + 2n
  const [first, second] = await client.simulateBlocks({
    blocks: [
      {
        calls: [{ ...transfer(5n), account: node.accountOf(0) }, balanceOf(WHO)],
        stateOverrides: [{ address: WHO, balance: 1n }],
      },
      { calls: [balanceOf(WHO), transfer(10n ** 6n)], blockOverrides: { number } },
    ],
  })
  expect(first?.calls).toMatchObject([
    { status: 'success', logs: [{ address: tokenAt }] },
    { status: 'success', data: word(5) },
  ])
  expect(second?.number).toBe(number)
  expect(second?.calls).toMatchObject([{ status: 'success', data: word(5) }, { status: 'failure' }])
  const { results } = await client.simulateCalls({ calls: [balanceOf(node.accountOf(0))] })
  expect(results).toMatchObject([{ status: 'success', data: word(1_000) }])
})

test('default: traces of calls and access lists', async () => {
  const call = transfer(5n)
  const calls = await front.rpc('debug_traceCall', call, 'latest', { tracer: 'callTracer' })
  expect(calls).toMatchObject({ to: tokenAt, output: word(1), type: 'CALL' })
  const diff = await front.rpc('debug_traceCall', call, 'latest', {
    tracer: 'prestateTracer',
    tracerConfig: { diffMode: true },
  })
  expect(diff).toMatchObject({ post: { [tokenAt]: { storage: expect.anything() } } })
  expect(await front.rpc('debug_traceCall', call, 'latest', { tracer: '4byteTracer' })).toEqual({
    '0xa9059cbb-64': 1,
  })
  expect(await front.rpc('debug_traceCall', call)).toMatchObject({
    structLogs: expect.arrayContaining([expect.objectContaining({ op: 'SSTORE' })]),
  })
  const tracer = `{ slots: [], fault() {}, result(ctx) { return { slots: this.slots, to: toHex(ctx.to) } }, step(log, db) {
    if (log.op.toString() !== 'SSTORE') return
    this.slots.push(toHex(db.getState(log.contract.getAddress(), toWord(log.stack.peek(0).toString(16)))))
  } }`
  const own = (await front.rpc('debug_traceCall', call, 'latest', { tracer })) as {
    slots: string[]
  }
  expect(own).toMatchObject({ slots: expect.arrayContaining([word(1_000)]), to: tokenAt })
  await expect(
    front.rpc('debug_traceCall', call, 'latest', {
      tracer: '{ step() { for (;;); }, fault() {}, result() {} }',
    }),
  ).rejects.toMatchObject({ code: -32000, message: 'execution timeout' })
  const replay = await front.rpc('trace_call', call, ['trace', 'vmTrace'])
  expect(replay).toMatchObject({
    output: word(1),
    stateDiff: null,
    trace: [{ action: { to: tokenAt } }],
    vmTrace: { ops: expect.arrayContaining([expect.objectContaining({ op: 'SSTORE' })]) },
  })
  // The second call runs on the state after the first one, which moved the tokens.
  const moves = [
    [call, ['trace']],
    [call, ['stateDiff']],
  ]
  const replays = (await front.rpc('trace_callMany', moves)) as Record<string, unknown>[]
  expect(replays).toMatchObject([
    { stateDiff: null, trace: [{ action: { to: tokenAt } }] },
    { stateDiff: { [tokenAt]: expect.anything() as unknown }, trace: [] },
  ])
  const list = await front.rpc('eth_createAccessList', call)
  expect(list).toMatchObject({ accessList: [{ address: tokenAt }] })
})

test('behavior: answers of ethgate_* and of simulations fit their schemas in the OpenRPC document', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'ethgate-schemas-'))
  onTestFinished(() => rm(dataDir, { force: true, recursive: true }))
  const { rpc } = await openFront({ dataDir })
  const { methods } = (await rpc('rpc.discover')) as {
    methods: { name: string; result: { schema: object } }[]
  }
  const [from, call] = [node.accountOf(0), transfer(1n)]
  const sent = { from, to: node.accountOf(1), value: '0x1' }
  const hash = await node.rpc('eth_sendTransaction', sent)
  const change = { [WHO]: { balance: '0x1' } }
  const filter = { fromBlock: '0x0', toBlock: 'latest' }
  const name = { name: 'schemas' }
  const moves = { calls: [{ from, to: WHO, value: '0x1' }, call, transfer(10n ** 9n)] }
  const simulation = { blockStateCalls: [moves, { calls: [] }], traceTransfers: true }
  await rpc('ethgate_openCursor', { name: 'page', filter: {}, from: 'earliest' })
  const { cursor } = (await rpc('ethgate_next', { name: 'page', limit: 10 })) as { cursor: string }
  const calls: [string, ...unknown[]][] = [
    ['eth_call', env(), 'latest', change],
    ['eth_estimateGas', env(), 'latest', change],
    ['eth_simulateV1', simulation],
    ['eth_simulateV1', { ...simulation, returnFullTransactions: true }],
    ['debug_traceCall', call, 'latest', {}],
    ['debug_traceCall', call, 'latest', { tracer: 'callTracer' }],
    ['debug_traceCall', call, 'latest', { tracer: 'prestateTracer' }],
    ['eth_createAccessList', call, 'latest'],
    ['ethgate_ack', { name: 'page', cursor }],
    ['ethgate_closeCursor', { name: 'page' }],
    ['ethgate_countLogs', filter],
    ['ethgate_explain', { method: 'eth_getLogs', params: [filter] }],
    ['ethgate_feeQuote', call],
    ['ethgate_feeQuote', { from, to: WHO, value: '0x1' }],
    ['ethgate_getLogs', { filter, limit: 1 }],
    ['ethgate_getTransactions', { address: from, limit: 3 }],
    ['ethgate_limits'],
    ['ethgate_openCursor', { ...name, filter: {}, from: 'earliest' }],
    ['ethgate_next', { ...name, limit: 10 }],
    ['ethgate_transactionStatus', hash],
    ['ethgate_transactionStatus', word(1)],
  ]
  const ajv = new Ajv({ allErrors: true, strict: false })
  for (const [method, ...params] of calls) {
    const validate = ajv.compile(methods.find(({ name }) => name === method)?.result.schema ?? {})
    validate(await rpc(method, ...params))
    expect({ method, params, errors: validate.errors }).toMatchObject({ errors: null })
  }
  const own = methods.map(({ name }) => name).filter((name) => name.startsWith('ethgate_'))
  expect(own.filter((name) => !calls.some(([method]) => method === name))).toEqual([])
})

test('behavior: a busy contract costs more by its factor, as the node says', async () => {
  const before = (await front.rpc('debug_traceCall', transfer(5n), 'latest', {
    tracer: 'callTracer',
  })) as { gasUsed: Hex }
  const native = `41${tokenAt.slice(2)}`
  await node.chain.patch((state) => {
    const contract = state.get('contract', native)
    if (contract) state.set('contract', native, { ...contract, energyFactor: 5_000n })
  })
  await node.rpc('evm_mine')
  const calls = randomCalls([{ address: tokenAt, abi: artifacts.Token.abi }], randomOf(3), 20)
  await compareCalls(calls, (path, body) => node.native(path, body), front.rpc)
  const after = (await front.rpc('debug_traceCall', transfer(5n), 'latest', {
    tracer: 'callTracer',
  })) as { gasUsed: Hex }
  // Each operation is rounded down.
  const expected = (Number(before.gasUsed) * 3) / 2
  expect(Number(after.gasUsed)).toBeGreaterThan(expected - 400)
  expect(Number(after.gasUsed)).toBeLessThanOrEqual(expected)
})

describe('a node that keeps no state of a block', () => {
  /** Mines a block before the next reads of storage. */
  let blocks = 0

  /** The chain without state of earlier blocks, as a real node. */
  function startNode(): Promise<string> {
    return serveInTest(async (request, response) => {
      const body = await text(request)
      const isRead = body.includes('eth_getStorageAt')
      if (isRead && blocks-- > 0) await node.rpc('evm_mine')
      const isOfBlock = /eth_get(StorageAt|Balance|Code|TransactionCount)/.test(body)
      if (isOfBlock && !body.includes('"latest"'))
        return response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}')
      const { method = 'POST', url = '/' } = request
      const answer = await fetch(`${node.url}${url}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'POST' && { body }),
      })
      return response.end(await answer.text())
    })
  }

  async function startBehind(): Promise<Front> {
    const url = await startNode()
    return openFront({ upstream: url, upstreamRpc: url, upstreamSolidity: url })
  }

  test('behavior: a block that arrives between the reads makes them start again', async () => {
    const { rpc } = await startBehind()
    blocks = 2
    expect(await rpc('eth_call', balanceOf(WHO), 'latest', { [WHO]: { balance: '0x1' } })).toBe(
      word(0),
    )
    expect(blocks).toBeLessThan(1)
  })

  test('error: a node that has another block after each read', async () => {
    const { rpc } = await startBehind()
    blocks = 1_000
    const running = rpc('eth_call', balanceOf(WHO), 'latest', { [WHO]: { balance: '0x1' } })
    await expect(running).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('got a new block'),
    })
    blocks = 0
  })
})

test('error: code without end and traces without end stop, and hold up nothing else', async () => {
  // JUMPDEST PUSH1 0 JUMP
  const endless = { [WHO]: { code: '0x5b600056' } }
  const running = front.rpc('eth_call', { to: WHO, gas: '0xffffffffff' }, 'latest', endless)
  const tracing = front.rpc('debug_traceCall', { to: WHO, gas: '0xffffffffff' }, 'latest', {
    stateOverrides: endless,
  })
  let ended = 0
  const failures = Promise.all(
    [running, tracing].map((one) =>
      one.then(
        () => undefined,
        ({ code }: { code: number }) => (ended++, code),
      ),
    ),
  )
  expect(await front.rpc('eth_blockNumber')).toMatch(/^0x/)
  expect(ended).toBe(0)
  expect(await failures).toEqual([-32000, -32000])
  expect(await front.rpc('eth_call', bal(WHO), 'latest', { [WHO]: { balance: '0x7b' } })).toBe(
    word(0x7b),
  )
})

describe('a node with its own eth_simulateV1', () => {
  /** A gateway in front of it, and the requests for that method. */
  async function startOwn(answer: (body: string) => Promise<string>) {
    const asked: string[] = []
    const upstreamRpc = await startRpc((body) => {
      asked.push(body)
      return answer(body)
    })
    return { asked, ...(await openFront({ upstreamRpc })) }
  }

  const blocks = () => ({ blockStateCalls: [{ calls: [balanceOf(WHO)] }] })
  const isProbe = (body: string) => body.includes('5a5a5a')
  const ofChain = async (body: string) => (await fetch(node.url, { method: 'POST', body })).text()

  test('behavior: it is used when a probe finds it right, at the unit of the node', async () => {
    const error = { code: -38013, message: 'intrinsic gas too low' }
    const refusal = JSON.stringify({ jsonrpc: '2.0', id: 1, error })
    const { asked, rpc, rpcAt } = await startOwn((body) =>
      isProbe(body) ? ofChain(body) : Promise.resolve(refusal),
    )
    for (let call = 0; call < 2; call++)
      await expect(rpc('eth_simulateV1', blocks())).rejects.toMatchObject(error)
    expect(asked.map(isProbe)).toEqual([true, false, false])
    expect(await rpcAt('/wei')('eth_simulateV1', blocks())).toMatchObject([
      { calls: [{ status: '0x1' }] },
    ])
    expect(asked).toHaveLength(3)
  })

  test('behavior: a node that runs calls wrongly does not simulate', async () => {
    const { asked, rpc } = await startOwn(() =>
      Promise.resolve('{"jsonrpc":"2.0","id":1,"result":[{"calls":[]}]}'),
    )
    expect(await rpc('eth_simulateV1', blocks())).toMatchObject([{ calls: [{ status: '0x1' }] }])
    expect(asked.map(isProbe)).toEqual([true])
  })
})

describe('who may simulate', () => {
  const overrides = { [WHO]: { balance: '0x1' } }

  test('error: without --simulate, the error names the options', async () => {
    const { rpc } = await openFront({ simulate: 'off' })
    const needs = expect.stringContaining('needs --simulate on and --upstream-rpc')
    await expect(rpc('eth_call', bal(WHO), 'latest', overrides)).rejects.toMatchObject({
      code: -32602,
      message: needs,
    })
    for (const [method, ...params] of [
      ['eth_simulateV1', { blockStateCalls: [{}] }],
      ['debug_traceCall', {}],
      ['eth_createAccessList', {}],
      ['trace_call', {}, ['trace']],
      ['trace_callMany', []],
    ] as const)
      await expect(rpc(method, ...params)).rejects.toMatchObject({ code: -32601, message: needs })
  })

  test('args: auto is on where only this machine reaches the gateway and the node has a JSON-RPC', async () => {
    const params = [bal(WHO), 'latest', overrides]
    const { rpc } = await openFront({ simulate: 'auto' })
    expect(await rpc('eth_call', ...params)).toBe(word(1))
    for (const config of [{ host: '0.0.0.0' }, { upstreamRpc: 'off' }]) {
      const other = await openFront({ simulate: 'auto', ...config })
      await expect(other.rpc('eth_call', ...params)).rejects.toMatchObject({ code: -32602 })
    }
  })

  test('error: without --upstream-rpc the gateway does not start', async () => {
    await expect(openFront({ upstreamRpc: 'off' })).rejects.toThrow(
      '--simulate: needs --upstream-rpc',
    )
  })

  test('error: callers without an API key with --simulate keys', async () => {
    const { gateway, rpc } = await openFront({ simulate: 'keys' })
    const params = [bal(WHO), 'latest', overrides]
    await expect(rpc('eth_call', ...params)).rejects.toMatchObject({ code: 4100 })
    expect(await rpc('eth_call', bal(WHO))).toBe(word(0))
    expect(await gateway.request({ method: 'eth_call', params })).toBe(word(1))
  })

  test('error: another block than the newest, the solidified state, unknown overrides', async () => {
    const { rpc, rpcAt } = await openFront({ stateWindow: 0 })
    await expect(rpc('eth_call', bal(WHO), '0x1', overrides)).rejects.toMatchObject({
      code: -32000,
    })
    await expect(
      rpcAt('/solidity')('eth_call', bal(WHO), 'latest', overrides),
    ).rejects.toMatchObject({ message: expect.stringContaining('newest state only') })
    await expect(
      rpc('eth_call', bal(WHO), 'latest', { [WHO]: { balanse: '0x1' } }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('balanse') })
    await expect(
      rpc('eth_call', bal(WHO), 'latest', {}, { blockHash: { '0x1': word(1) } }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('blockHash') })
    await expect(
      rpc('eth_call', bal(WHO), 'latest', { [WHO]: { state: {}, stateDiff: {} } }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('got both') })
  })

  test('error: reverts and failures have the words of calls that the node runs', async () => {
    for (const data of [
      encodeFunctionData({ abi: parseAbi(['function rString()']), functionName: 'rString' }),
      encodeFunctionData({ abi: parseAbi(['function rPanic()']), functionName: 'rPanic' }),
      encodeFunctionData({ abi: parseAbi(['function invalid()']), functionName: 'invalid' }),
      encodeFunctionData({ abi: kitchen, functionName: 'sendTo', args: [WHO, 2n ** 200n] }),
    ]) {
      const call = { to: kitchenAt, data }
      const failure = (running: Promise<unknown>) =>
        running.then(
          () => 'no failure',
          ({ code, data: bytes, message }: { code: number; data: unknown; message: string }) => ({
            code,
            data: bytes,
            message,
          }),
        )
      const ofNode = await failure(front.rpc('eth_call', call))
      expect(ofNode).toMatchObject({ code: expect.any(Number) })
      expect(await failure(front.rpc('eth_call', call, 'latest', overrides))).toEqual(ofNode)
    }
  })
})
