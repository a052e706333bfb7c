import { encodeFunctionData, type Hex, pad, toHex } from 'viem'
import { sign } from 'viem/accounts'
import { describe, expect, test } from 'vitest'

import { createReplayNative } from '../../../test/support/native.ts'
import { artifacts, keys, labels } from '../../../test/support/recordedChain.ts'
import type { StateSource } from '../blocks/chainTypes.ts'
import { type Call, runCall } from './call.ts'

const ZERO = `0x${'0'.repeat(40)}` as const
const KITCHEN = `0x${labels.contracts.Kitchen.address.slice(2)}` as const
const LATEST: StateSource = { at: 'latest' }
const SOLID: StateSource = { at: 'solid' }

function kitchen(functionName: string, args: unknown[] = [], call: Partial<Call> = {}): Call {
  const data = encodeFunctionData({ abi: artifacts.Kitchen.abi, functionName, args })
  return { from: ZERO, to: KITCHEN, data, value: 0n, ...call }
}

async function run(call: Call, source = LATEST) {
  const { native } = await createReplayNative()
  return runCall(call, { native, source })
}

test('default', async () => {
  expect(await run(kitchen('n'))).toEqual({ data: toHex(2, { size: 32 }), energy: 271n })
})

test('args: the solidified state', async () => {
  expect(await run(kitchen('n'), SOLID)).toEqual({ data: toHex(2, { size: 32 }), energy: 271n })
})

test('args: value', async () => {
  const result = await run(kitchen('pay', [], { from: keys.bob.eth, value: 1n }))
  expect(result).toEqual({ data: '0x', energy: 2494n })
})

test('args: creation code', async () => {
  const { abi, bytecode, runtime } = artifacts.Child
  expect(abi).toBeDefined()
  const data: Hex = `0x${bytecode.replace('0x', '')}${'64'.padStart(64, '0')}`
  const result = await run({ from: keys.bob.eth, data, value: 0n })
  expect(result?.data).toBe(`0x${runtime.replace('0x', '')}`)
})

test('behavior: an account without code returns undefined', async () => {
  expect(await run({ from: ZERO, to: keys.bob.eth, data: '0x11', value: 0n })).toBeUndefined()
})

describe('behavior: precompiled contracts have no code but return a result', () => {
  const at = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`

  test('sha256', async () => {
    const result = await run({ from: ZERO, to: at(2), data: '0x616263', value: 0n })
    expect(result?.data).toBe('0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test('identity, on the solidified state', async () => {
    const result = await run({ from: ZERO, to: at(4), data: '0xc0ffee', value: 0n }, SOLID)
    expect(result?.data).toBe('0xc0ffee')
  })

  test('ecrecover', async () => {
    const hash = 'a1'.repeat(32)
    const { r, s, v } = await sign({ hash: `0x${hash}`, privateKey: `0x${keys.bob.pk}` })
    const data: Hex = `0x${hash}${v?.toString(16).padStart(64, '0')}${r.slice(2)}${s.slice(2)}`
    const result = await run({ from: ZERO, to: at(1), data, value: 0n })
    // The virtual machine of this chain keeps the prefix byte of the address in the word.
    expect(result?.data).toBe(pad(`0x${keys.bob.hex}`, { size: 32 }))
  })

  test('a number without a contract', async () => {
    expect(await run({ from: ZERO, to: at(0xffff), data: '0x', value: 0n })).toMatchObject({
      data: '0x',
    })
  })
})

describe('error: reverts have their exact data', () => {
  test.each([
    [
      'rString',
      [],
      'execution reverted: the reason',
      '0x08c379a00000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000000a74686520726561736f6e00000000000000000000000000000000000000000000',
    ],
    [
      'rCustom',
      [],
      'execution reverted',
      '0xf988f737000000000000000000000000000000000000000000000000000000000000002a0000000000000000000000000000000000000000000000000000000000000040000000000000000000000000000000000000000000000000000000000000000a637573746f6d2077687900000000000000000000000000000000000000000000',
    ],
    [
      'rPanic',
      [],
      'execution reverted: assert(false)',
      '0x4e487b710000000000000000000000000000000000000000000000000000000000000001',
    ],
    [
      'rDiv',
      [0n],
      'execution reverted: division or modulo by zero',
      '0x4e487b710000000000000000000000000000000000000000000000000000000000000012',
    ],
    ['rEmpty', [], 'execution reverted', '0x'],
    ['rRaw', [], 'execution reverted', '0xdeadbeef'],
  ])('%s', async (name, args, message, data) => {
    await expect(run(kitchen(name, args))).rejects.toMatchObject({ code: 3, data, message })
    await expect(run(kitchen(name, args), SOLID)).rejects.toMatchObject({ code: 3, data, message })
  })

  test('a constructor', async () => {
    const data: Hex = `0x${artifacts.BadCtor.bytecode.replace('0x', '')}`
    await expect(run({ from: ZERO, data, value: 0n })).rejects.toMatchObject({
      code: 3,
      message: 'execution reverted: ctor says no',
    })
  })
})

describe('error: other failures of a call', () => {
  test.each<[string, Call, string]>([
    ['invalid opcode', kitchen('invalid'), 'invalid opcode: Invalid operation code: opCode[fe];'],
    [
      'stack',
      { from: ZERO, data: '0x50', value: 0n },
      'stack underflow: Expected stack size 1 but actual 0;',
    ],
    [
      'jump',
      { from: ZERO, data: '0x600056', value: 0n },
      "invalid jump destination: Operation with pc isn't 'JUMPDEST': PC[0];",
    ],
    [
      'code that begins with ef',
      { from: ZERO, data: '0x60ef60005360016000f3', value: 0n },
      'invalid code: must not begin with 0xef',
    ],
    [
      'more value than the caller has',
      kitchen('pay', [], { from: keys.bob.eth, value: 9_000_000_000_000_000n }),
      'insufficient funds for gas * price + value',
    ],
    [
      'value without a sender',
      kitchen('pay', [], { from: `0x${'11'.repeat(20)}`, value: 1n }),
      'insufficient funds for gas * price + value',
    ],
    [
      'more value than any account can have',
      kitchen('pay', [], { value: 2n ** 63n }),
      'insufficient funds for gas * price + value',
    ],
    [
      'more value than the caller has, to an account without code',
      { from: keys.bob.eth, to: keys.dave.eth, data: '0x', value: 9_000_000_000_000_000n },
      'insufficient funds for gas * price + value',
    ],
    [
      'no target and no code',
      { from: ZERO, data: '0x', value: 0n },
      'contract creation without any data provided',
    ],
  ])('%s', async (_, call, message) => {
    await expect(run(call)).rejects.toMatchObject({ code: -32000, message })
  })

  test('an endless loop', async () => {
    await expect(run(kitchen('burn'))).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^(?:out of gas: Not enough energy|execution timed out: CPU)/),
    })
  })

  /** Runs a call on a node whose virtual machine stops with an exception. */
  async function runWith(call: Call, exception: string) {
    const message = Buffer.from(`class ${exception}`).toString('hex')
    const text = JSON.stringify({ result: { code: 'OTHER_ERROR', message } })
    const { native } = await createReplayNative({ intercept: () => ({ text }) })
    return runCall(call, { native, source: LATEST })
  }

  test.each([
    [
      'an exception in the code of the node, whose text is not for clients',
      'java.lang.ArrayIndexOutOfBoundsException : Index 2 out of bounds for length 2',
      'execution failed in the virtual machine of the node',
    ],
    [
      'a reason that the virtual machine gives',
      'org.tron.core.vm.program.Program$BytecodeExecutionException : transfer failure',
      'transfer failure',
    ],
  ])('%s', async (_, exception, message) => {
    await expect(runWith(kitchen('n'), exception)).rejects.toMatchObject({ code: -32000, message })
  })

  test('a past state', async () => {
    const source: StateSource = {
      at: 'historic',
      block: { number: 5, hash: `0x${'00'.repeat(32)}` },
    }
    await expect(run(kitchen('n'), source)).rejects.toMatchObject({
      code: -32000,
      message: 'historical state of block 5 is not available',
    })
  })

  test.each([
    ['the call fails', 'org.tron.core.vm.program.Program$IllegalOperationException : opCode[fe];'],
    ['0x0a', 'java.lang.ArrayIndexOutOfBoundsException : Index 0 out of bounds for length 0'],
  ])('input that a precompiled contract refuses: %s', async (_, exception) => {
    const refusals: [code: string, message: string][] = [
      ['CONTRACT_VALIDATE_ERROR', 'Smart contract is not exist.'],
      ['OTHER_ERROR', `class ${exception}`],
    ]
    const { native } = await createReplayNative({
      intercept() {
        const [code, message = ''] = refusals.shift() ?? []
        const result = { code, message: Buffer.from(message).toString('hex') }
        return { text: JSON.stringify({ result }) }
      },
    })
    const to: Hex = `0x${'a'.padStart(40, '0')}`
    const call = runCall({ from: ZERO, to, data: '0x01', value: 0n }, { native, source: LATEST })
    await expect(call).rejects.toMatchObject({
      code: -32000,
      message: 'precompiled contract failed: invalid input',
    })
  })

  test('a node that runs no contract calls', async () => {
    const message = Buffer.from('this node does not support constant').toString('hex')
    const text = JSON.stringify({ result: { code: 'CONTRACT_VALIDATE_ERROR', message } })
    const { native } = await createReplayNative({ intercept: () => ({ text }) })
    await expect(runCall(kitchen('n'), { native, source: LATEST })).rejects.toMatchObject({
      code: -32000,
      message:
        'the upstream node does not run contract calls: set vm.supportConstant = true in its configuration',
    })
  })
})
