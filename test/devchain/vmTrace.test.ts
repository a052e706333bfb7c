import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { sendCases, traceeCall, TRACEE } from '../support/traceCases.ts'

let dev: DevGateway
let hashes: Map<string, `0x${string}`>

beforeAll(async () => {
  dev = await startDevGateway({ rules: { decimals: 18 } })
  hashes = await sendCases((...call) => dev.rpc(...call))
}, 120_000)

afterAll(() => dev.close())

const replay = async (name: string): Promise<VmTrace> => {
  const answer = await dev.rpc('trace_replayTransaction', hashes.get(name), ['vmTrace'])
  return (answer as { vmTrace: VmTrace }).vmTrace
}

/** All operations in the order of execution. */
const operationsOf = ({ ops }: VmTrace): Operation[] =>
  ops.flatMap((op) => [op, ...(op.sub ? operationsOf(op.sub) : [])])

test('default: the operations of debug_traceTransaction', { timeout: 300_000 }, async () => {
  for (const name of hashes.keys()) {
    const { structLogs } = (await dev.rpc('debug_traceTransaction', hashes.get(name))) as {
      structLogs: { gasCost: number; op: string; pc: number }[]
    }
    expect(operationsOf(await replay(name)).map(({ cost, op, pc }) => [pc, op, cost])).toEqual(
      structLogs.map(({ gasCost, op, pc }) => [pc, op, gasCost]),
    )
  }
})

test('default: what operations did', async () => {
  // PUSH1 7, PUSH1 3, DUP2, SWAP1, PUSH1 1, SSTORE (key 1, value 3), PUSH1 0, MSTORE, STOP
  const code = '0x60076003819060015560005200'
  const call = { from: dev.accountOf(0), to: TRACEE }
  await dev.rpc('anvil_setCode', TRACEE, code)
  const { vmTrace } = (await dev.rpc('trace_call', call, ['vmTrace'])) as { vmTrace: VmTrace }
  expect(vmTrace.code).toBe(code)
  const done = vmTrace.ops.map(({ ex, op }) => ({ op, ...ex }))
  expect(done.map(({ op, push }) => [op, push])).toEqual([
    ['PUSH1', ['0x7']],
    ['PUSH1', ['0x3']],
    // As Parity: all values down to the one that the operation used.
    ['DUP2', ['0x7', '0x3', '0x7']],
    ['SWAP1', ['0x7', '0x3']],
    ['PUSH1', ['0x1']],
    ['SSTORE', []],
    ['PUSH1', ['0x0']],
    ['MSTORE', []],
    ['STOP', []],
  ])
  expect(done[5]?.store).toEqual({ key: '0x1', val: '0x3' })
  expect(done[7]?.mem).toEqual({ data: `0x${'7'.padStart(64, '0')}`, off: 0 })
  expect(done.filter(({ store }) => store)).toHaveLength(1)
  const [first, second] = vmTrace.ops
  expect(first?.ex?.used).toBe((second?.ex?.used ?? 0) + (second?.cost ?? 0))
})

test('behavior: the operations of a failed call, whose last one did nothing', async () => {
  const undone = operationsOf(await replay('undefinedByte')).filter(({ ex }) => ex === null)
  expect(undone).toHaveLength(1)
  expect((await replay('revertsAfterLog')).ops.at(-1)).toMatchObject({ op: 'REVERT', ex: {} })
})

test('behavior: with the other parts', async () => {
  const call = { from: dev.accountOf(0), to: TRACEE, data: traceeCall('storageWork') }
  const all = (await dev.rpc('trace_call', call, ['trace', 'stateDiff', 'vmTrace'])) as {
    trace: unknown[]
    vmTrace: VmTrace
  }
  expect(all).toMatchObject({ stateDiff: {}, trace: [{ type: 'call' }] })
  expect(all.vmTrace.ops.length).toBeGreaterThan(0)
})

type VmTrace = { code: string; ops: Operation[] }
type Operation = {
  cost: number
  ex: {
    mem: object | null
    push: string[]
    store: object | null
    used: number
  } | null
  op: string
  pc: number
  sub: VmTrace | null
}
