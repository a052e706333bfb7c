import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { concatHex, type Hex, size, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../../../test/support/devGateway.ts'

const CALLED: Hex = `0x${'c1'.repeat(20)}`
const CALLER: Hex = `0x${'c2'.repeat(20)}`

/** The metadata of Solidity 0.5.16, which has no receive functions. */
const OLD = '0x64736f6c63430005100032'

/** The code of contracts that revert, with the functions of their artifacts. `old` has no receive functions. */
const codes = {
  strict: '0x5f5ffd00',
  open: '0x5f5ffd0000',
  payable: '0x5f5ffd000000',
  old: concatHex(['0x5f5ffd00', OLD]),
} as const

const artifacts: Record<keyof typeof codes, object[]> = {
  strict: [fn('known', 'nonpayable'), fn('paid', 'payable')],
  open: [{ type: 'fallback', stateMutability: 'nonpayable' }],
  payable: [
    { type: 'fallback', stateMutability: 'payable' },
    { type: 'receive', stateMutability: 'payable' },
  ],
  old: [fn('known', 'nonpayable')],
}

function fn(name: string, stateMutability: string) {
  return { type: 'function', name, stateMutability, inputs: [], outputs: [] }
}

let folder: string
let dev: DevGateway

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'artifacts-'))
  for (const [contractName, abi] of Object.entries(artifacts)) {
    const deployedBytecode = codes[contractName as keyof typeof codes]
    const file = join(folder, `${contractName}.json`)
    writeFileSync(file, JSON.stringify({ abi, contractName, deployedBytecode }))
  }
  dev = await startDevGateway({ rules: { decimals: 18 }, artifacts: folder })
})
afterAll(async () => {
  await dev.close()
  rmSync(folder, { recursive: true })
})

/** The message of a call that fails, as a call and as a transaction. */
async function failing(to: Hex, data: Hex, value: Hex, code: Hex, called: Hex): Promise<string> {
  await dev.rpc('anvil_setCode', to, code)
  if (to !== CALLED) await dev.rpc('anvil_setCode', CALLED, called)
  const call = { from: dev.accountOf(0), to, data, value, gas: '0x30d40' }
  const messageOf = (method: string) =>
    dev.rpc(method, call).then(
      () => 'it passed',
      (error: unknown) => (error as Error).message,
    )
  const message = await messageOf('eth_call')
  expect(await messageOf('eth_sendTransaction')).toBe(message)
  const estimated = dev.rpc('eth_estimateGas', call)
  await expect(estimated).rejects.toMatchObject({ message })
  return message
}

const KNOWN = '0xc445c938'
const PAID = '0x295b4e17'
const UNKNOWN = '0x12345678'

test.each<[keyof typeof codes, Hex, Hex, string]>([
  [
    'strict',
    UNKNOWN,
    '0x0',
    ": function selector was not recognized and there's no fallback function",
  ],
  [
    'strict',
    '0x',
    '0x0',
    ": function selector was not recognized and there's no fallback nor receive function",
  ],
  ['old', '0x', '0x0', ": function selector was not recognized and there's no fallback function"],
  ['open', UNKNOWN, '0x0', ' without a reason string'],
  ['open', UNKNOWN, '0x5', ': fallback function is not payable and was called with value 5'],
  [
    'open',
    '0x',
    '0x5',
    ": there's no receive function, fallback function is not payable and was called with value 5",
  ],
  ['payable', UNKNOWN, '0x5', ' without a reason string'],
  ['payable', '0x', '0x5', ' without a reason string'],
])('behavior: %s called with %s and value %s', async (name, data, value, words) => {
  expect(await failing(CALLED, data, value, codes[name], '0x')).toBe(`Transaction reverted${words}`)
})

test.each([
  ['strict', KNOWN, '0x5', 'non-payable function was called with value 5'],
  ['strict', KNOWN, '0x0', undefined],
  ['strict', PAID, '0x5', undefined],
] as const)(
  'behavior: the function of %s with selector %s and value %s',
  async (name, data, value, words) => {
    const text = words === undefined ? ' without a reason string' : `: ${words}`
    expect(await failing(CALLED, data, value, codes[name], '0x')).toBe(
      `Transaction reverted${text}`,
    )
  },
)

/** Code that goes on after `skipped` if the value on the stack after `before` is not zero. */
const jumpOver = (before: Hex, skipped: Hex) =>
  concatHex([before, '0x60', toHex(size(before) + size(skipped) + 3), '0x57', skipped, '0x5b'])

/** A call of the called contract as Solidity compiles it: it checks for code first, and passes a failure on. */
function calling({ selector = UNKNOWN, value = '0x5f' }: { selector?: Hex; value?: Hex } = {}) {
  const checked = jumpOver(concatHex(['0x73', CALLED, '0x803b158015']), '0x5f80fd')
  return jumpOver(concatHex([checked, ...call(selector, value), '0x158015']), '0x3d5f803e3d5ffd')
}

/** CALL with the selector as input and all gas. */
const call = (selector: Hex, value: Hex): Hex[] => [
  ...(['0x63', selector, '0x5f525f5f6004601c'] as Hex[]),
  ...([value, '0x73', CALLED, '0x5af1'] as Hex[]),
]

const COIN = '0x670de0b6b3a7640000'

test.each<[title: string, words: string, caller: Hex, called: Hex, value?: Hex]>([
  ['there is no contract', ': function call to a non-contract account', calling(), '0x'],
  [
    'there are too few coins',
    ': function call failed to execute',
    calling({ value: COIN }),
    '0x00',
  ],
  [
    'the called contract runs out of gas',
    ': contract call run out of gas and made the transaction revert',
    calling(),
    '0x5b5f56',
  ],
  [
    'a value is read from an empty answer',
    ': function returned an unexpected amount of data',
    jumpOver(concatHex([calling(), '0x60203d1015']), '0x5f80fd'),
    '0x00',
  ],
  [
    'the called contract has no such function',
    ": function selector was not recognized and there's no fallback function",
    calling(),
    codes.strict,
  ],
  [
    'the called function takes no coins',
    ': non-payable function was called with value 1',
    calling({ selector: KNOWN, value: '0x6001' }),
    codes.strict,
    '0x1',
  ],
  [
    'the caller does not pass the failure on',
    ' without a reason string',
    concatHex([...call(UNKNOWN, '0x5f'), '0x5f5ffd']),
    codes.strict,
  ],
  [
    'the caller reverts after an answer that it does not read',
    ' without a reason string',
    concatHex([calling(), '0x5f5ffd']),
    '0x00',
  ],
])('behavior: inside a call, when %s', async (_, words, caller, called, value = '0x0') => {
  expect(await failing(CALLER, '0x', value, caller, called)).toBe(`Transaction reverted${words}`)
})
