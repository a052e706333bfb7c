import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { sendCases, traceeCall, TRACEE } from '../support/traceCases.ts'

let dev: DevGateway
let hashes: Map<string, `0x${string}`>

beforeAll(async () => {
  dev = await startDevGateway({ rules: { decimals: 18 } })
  hashes = await sendCases((...call) => dev.rpc(...call))
}, 120_000)

afterAll(() => dev.close())

const REST = 'fault(){}, result(){ return null }'

const trace = (name: string, tracer: string, tracerConfig?: object) =>
  dev.rpc('debug_traceTransaction', hashes.get(name), { tracer, tracerConfig, timeout: '60s' })

const traceCall = (tracer: string, options: object = {}) =>
  dev.rpc(
    'debug_traceCall',
    { from: dev.accountOf(0), to: TRACEE, data: traceeCall('storageWork') },
    'latest',
    { tracer, ...options },
  )

describe('compared with the tracers of this chain', { timeout: 300_000 }, () => {
  test('default: each operation of each transaction', async () => {
    const tracer = `{
      steps: [],
      step(log) {
        const size = log.stack.length()
        const top = size > 0 ? log.stack.peek(0).toString(16).padStart(64, '0') : undefined
        this.steps.push([log.getPC(), log.op.toString(), log.getGas(), log.getDepth(), size, top, log.memory.length() / 32])
      },
      fault() {},
      result() { return this.steps },
    }`
    for (const name of hashes.keys()) {
      // It has an endless loop, and takes as long as all others together.
      if (name === 'catches') continue
      const { structLogs } = (await dev.rpc('debug_traceTransaction', hashes.get(name), {
        disableStorage: true,
        enableMemory: true,
      })) as { structLogs: Operation[] }
      const steps = structLogs.map(({ depth, gas, memory, op, pc, stack }) => [
        pc,
        op,
        gas,
        depth,
        stack.length,
        ...(stack.length > 0 ? [stack.at(-1)] : [null]),
        memory?.length ?? 0,
      ])
      expect(await trace(name, tracer)).toEqual(steps)
    }
  })

  test('default: each frame of each transaction', async () => {
    const tracer = `{
      open: [[]],
      enter(frame) {
        const value = frame.getValue()
        this.open.push([])
        this.open.at(-1).frame = {
          type: frame.getType(), from: toHex(frame.getFrom()), to: toHex(frame.getTo()), input: toHex(frame.getInput()),
          gas: frame.getGas(), value: value === undefined ? undefined : '0x' + value.toString(16),
        }
      },
      exit(outcome) {
        const calls = this.open.pop()
        const output = toHex(outcome.getOutput())
        this.open.at(-1).push({
          ...calls.frame, gasUsed: outcome.getGasUsed(), error: outcome.getError(), output: output === '0x' ? undefined : output,
          calls: calls.length ? calls : undefined,
        })
      },
      fault() {},
      result() { return this.open[0] },
    }`
    for (const name of hashes.keys()) {
      const { calls = [] } = (await trace(name, 'callTracer')) as { calls?: Call[] }
      const made = (await trace(name, tracer)) as Call[]
      expect(made.map(comparable)).toEqual(calls.map(comparable))
    }
  })

  test('default: the selectors, as geth counts them in JavaScript', async () => {
    const tracer = `{
      ids: {},
      count(selector, size) { const key = selector + '-' + size; this.ids[key] = this.ids[key] + 1 || 1 },
      step(log) {
        const name = log.op.toString()
        if (!['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'].includes(name)) return
        if (isPrecompiled(toAddress(log.stack.peek(1).toString(16)))) return
        const at = name === 'CALL' || name === 'CALLCODE' ? 3 : 2
        const size = log.stack.peek(at + 1).valueOf()
        if (size < 4) return
        const start = log.stack.peek(at).valueOf()
        this.count(toHex(log.memory.slice(start, start + 4)), Number(size) - 4)
      },
      fault() {},
      result(ctx) {
        if (ctx.type === 'CALL' && ctx.input.length >= 4) this.count(toHex(slice(ctx.input, 0, 4)), ctx.input.length - 4)
        return this.ids
      },
    }`
    for (const name of ['call', 'staticCall', 'delegate', 'builtIns'])
      expect(await trace(name, tracer)).toEqual(await trace(name, '4byteTracer'))
  })
})

describe('the interface of geth', { timeout: 300_000 }, () => {
  test('default: what result gets, and the configuration', async () => {
    const hash = hashes.get('call')
    const receipt = (await dev.rpc('eth_getTransactionReceipt', hash)) as Record<string, string>
    const tracer = `{
      setup(config) { this.config = JSON.parse(config) },
      fault() {},
      result({ block, blockHash, from, gasUsed, input, to, txHash, txIndex, type, value }) {
        return { config: this.config, block, blockHash: toHex(blockHash), from: toHex(from), gasUsed, input: toHex(input), to: toHex(to),
          txHash: toHex(txHash), txIndex, type, value: value.toString() }
      },
    }`
    expect(await trace('call', tracer, { deep: true })).toEqual({
      config: { deep: true },
      block: Number(receipt['blockNumber']),
      blockHash: receipt['blockHash'],
      from: receipt['from'],
      gasUsed: Number(receipt['gasUsed']),
      input: traceeCall('call', [5]),
      to: TRACEE,
      txHash: hash,
      txIndex: 0,
      type: 'CALL',
      value: '10',
    })
  })

  test('default: what a bundler collects of a call', async () => {
    // The parts of the interface that the tracers of ERC-4337 bundlers use: storage by account, the size of called code, hashes, logs.
    const tracer = `{
      slots: {}, sizes: {}, hashed: [], logs: [], faults: [],
      step(log, db) {
        op = log.op.toString()
        who = toHex(log.contract.getAddress())
        if (op === 'SLOAD' || op === 'SSTORE') {
          slot = toWord(log.stack.peek(0).toString(16))
          this.slots[who] ??= {}
          this.slots[who][toHex(slot)] ??= toHex(db.getState(log.contract.getAddress(), slot))
        }
        if (/^(EXTCODE.*|CALL|DELEGATECALL|STATICCALL)$/.test(op)) {
          called = toAddress(log.stack.peek(op.startsWith('EXT') ? 0 : 1).toString(16))
          this.sizes[toHex(called)] = db.getCode(called).length
        }
        if (op === 'KECCAK256') {
          start = parseInt(log.stack.peek(0).toString())
          this.hashed.push(toHex(log.memory.slice(start, start + parseInt(log.stack.peek(1).toString()))))
        }
        if (op.startsWith('LOG')) this.logs.push(log.stack.peek(2).toString(16))
      },
      fault(log) { this.faults.push(log.getError()) },
      result(ctx, db) { return { ...this, exists: db.exists(ctx.to), nonce: db.getNonce(ctx.from), balance: db.getBalance(ctx.from).gt(0) } },
    }`
    const stored = (await trace('storageWork', tracer)) as Collected
    const before = (await trace('storageWork', 'prestateTracer')) as Record<
      string,
      { storage?: Record<string, string> }
    >
    const zero = `0x${'0'.repeat(64)}`
    for (const [slot, value] of Object.entries(stored.slots[TRACEE] ?? {}))
      expect(before[TRACEE]?.storage?.[slot] ?? zero).toBe(value)
    expect(stored).toMatchObject({ balance: true, exists: true, faults: [] })
    const called = (await trace('call', tracer)) as Collected
    expect(Object.keys(called.sizes).length).toBeGreaterThan(0)
    for (const [address, size] of Object.entries(called.sizes))
      expect(((await dev.rpc('eth_getCode', address, 'latest')) as string).length / 2 - 1).toBe(
        size,
      )
    const reverted = (await trace('revertsAfterLog', tracer)) as Collected
    expect(reverted.faults).toEqual(['execution reverted'])
    expect(reverted.logs.length).toBeGreaterThan(0)
  })

  test('behavior: all transactions of a block, and each has its own tracer', async () => {
    const tracer = `{ count: 0, step() { this.count++ }, fault() {}, result() { return this.count } }`
    const { number } = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as {
      number: string
    }
    const [traced] = (await dev.rpc('debug_traceBlockByNumber', number, { tracer })) as Traced[]
    expect(traced?.result).toBe(await trace([...hashes.keys()].at(-1) as string, tracer))
  })
})

describe('tracers that harm', { timeout: 300_000 }, () => {
  test.for([
    ['step', `{ step() { for (;;); }, ${REST} }`],
    // The engine does not ask whether it is interrupted.
    ['step', `{ step() { Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) }, ${REST} }`],
    ['result', '{ fault() {}, result() { return { toJSON() { for (;;); } } } }'],
    ['an error', `{ step() { throw { get message() { for (;;); } } }, ${REST} }`],
    ['its code', '(() => { for (;;); })()'],
  ])('error: no end in %s', async ([, tracer]) => {
    await expect(traceCall(tracer as string)).rejects.toMatchObject({
      code: -32000,
      message: 'execution timeout',
    })
  })

  test.for([
    ['memory', `{ step() { 'x'.repeat(2 ** 29) }, ${REST} }`, /out of memory/],
    ['stack', `{ step() { (function f() { f() })() }, ${REST} }`, /stack overflow/],
    ['an invalid argument', `{ step(log, db) { db.getNonce(5) }, ${REST} }`, /invalid buffer type/],
    ['memory beyond the end', `{ step(log) { log.memory.slice(0, 1e10) }, ${REST} }`, /padding/],
    ['the stack beyond its end', `{ step(log) { log.stack.peek(1024) }, ${REST} }`, /out of bound/],
    ['no result', '{ fault() {} }', /must expose a function result/],
    ['half of the frames', `{ enter() {}, ${REST} }`, /both or none of enter\(\) and exit\(\)/],
    ['no JavaScript', '{ step() {', /SyntaxError/],
    ['a circle', '{ fault() {}, result() { return (this.own = this) } }', /circular/],
  ] as const)('error: %s', async ([, tracer, message]) => {
    await expect(traceCall(tracer)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(message) as string,
    })
  })

  test('behavior: nothing of this process is in reach', async () => {
    const names = ['process', 'require', 'fetch', 'WebAssembly', 'Atomics', 'Buffer', 'setTimeout']
    const tracer = `{ fault() {}, result() {
      return ${JSON.stringify(names)}.map((name) => this.constructor.constructor('return typeof ' + name)())
    } }`
    expect(await traceCall(tracer)).toEqual(names.map(() => 'undefined'))
  })

  test('behavior: changed prototypes stay in the sandbox', async () => {
    const tracer = `{
      setup() {
        Object.prototype.toJSON = () => ['memory', -1]
        Array.prototype.join = String.prototype.slice = () => 'zz'
      },
      fault() {},
      result(ctx, db) { return db.getNonce(ctx.from) },
    }`
    await expect(traceCall(tracer)).rejects.toMatchObject({ code: -32000 })
    expect(await traceCall('{ fault() {}, result: () => JSON.stringify([1]) }')).toBe('[1]')
  })

  test('args: a tracer that is too long, and an unknown name', async () => {
    await expect(traceCall(`{${' '.repeat(200_000)}}`)).rejects.toMatchObject({ code: -32602 })
    await expect(traceCall('opcount')).rejects.toMatchObject({ code: -32602 })
  })
})

type Operation = {
  pc: number
  op: string
  gas: number
  depth: number
  stack: string[]
  memory?: string[]
}
type Call = Record<string, unknown> & { calls?: Call[]; to?: string; input: string }
type Traced = { result: unknown }
type Collected = {
  faults: string[]
  logs: string[]
  sizes: Record<string, number>
  slots: Record<string, Record<string, string>>
}

/** The members that both have, in one format: geth gives an address to a creation that fails. */
function comparable({ calls, gas, gasUsed, to, type, ...frame }: Call): object {
  const { error, from, input, output, value } = frame
  return {
    calls: calls?.map(comparable),
    error,
    from,
    gas: Number(gas),
    gasUsed: Number(gasUsed),
    input,
    output,
    type,
    value,
    to: String(type).startsWith('CREATE') && error ? undefined : to,
  }
}
