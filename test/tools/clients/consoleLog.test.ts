import { createRequire } from 'node:module'

import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem/utils'
import { expect, test } from 'vitest'

import { consoleText } from '../../../src/devchain/node/terminal/consoleLog.ts'

type Logger = { CONSOLE_LOG_SIGNATURES: Record<number, string[]> }
const { CONSOLE_LOG_SIGNATURES } = createRequire(import.meta.url)(
  'hardhat/internal/hardhat-network/stack-traces/logger',
) as Logger

const toBytes = (data: string) => Uint8Array.from(Buffer.from(data.replace('0x', ''), 'hex'))

const VALUES: Record<string, [value: unknown, text: string]> = {
  uint256: [2n ** 200n, (2n ** 200n).toString()],
  int256: [-5n, '-5'],
  string: ['text', 'text'],
  bool: [true, 'true'],
  address: [`0x${'11'.repeat(20)}`, `0x${'11'.repeat(20)}`],
  bytes: ['0x0102', '0x0102'],
}

/** Value and text of a type as Hardhat spells types. */
function valueOf(type: string): [value: unknown, text: string] {
  const name = type.toLowerCase().replace(/^(u?int)$/, '$1256')
  const size = /^bytes(\d+)$/.exec(name)?.[1]
  const bytes = `0x${'ab'.repeat(Number(size))}`
  return size ? [bytes, bytes] : (VALUES[name] as [unknown, string])
}

test('default: prints every signature that Hardhat knows', () => {
  const signatures = Object.entries(CONSOLE_LOG_SIGNATURES)
  expect(signatures.length).toBeGreaterThan(370)
  for (const [selector, types] of signatures) {
    const values = types.map(valueOf)
    const inputs = types.map((type) => ({ type: type.toLowerCase().replace(/^(u?int)$/, '$1256') }))
    const body = encodeAbiParameters(
      inputs,
      values.map(([value]) => value),
    )
    const data = Number(selector).toString(16).padStart(8, '0') + body.slice(2)
    expect(consoleText(toBytes(data))).toBe(values.map(([, text]) => text).join(' '))
  }
})

test('behavior: the first text is a pattern; numbers of any size keep their digits', () => {
  const abi = parseAbi(['function log(string, uint256, string)'])
  const args = ['%d of %s, 100%%', 2n ** 255n, 'it'] as const
  expect(consoleText(toBytes(encodeFunctionData({ abi, args })))).toBe(`${2n ** 255n} of it, 100%`)
})

test('error: other data is not printed', () => {
  expect(consoleText(toBytes('0x12345678'))).toBeUndefined()
  expect(consoleText(toBytes('0x41304facff'))).toBeUndefined()
  expect(consoleText(new Uint8Array(0))).toBeUndefined()
})
