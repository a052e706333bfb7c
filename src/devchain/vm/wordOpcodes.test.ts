import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, paramsEVM } from '@ethereumjs/evm'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'

import { hashWord, wordOpcodes } from './wordOpcodes.ts'

/** The gas and the output of code, and its failure. */
async function run(code: string, isOwn: boolean) {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun })
  common.updateParams(paramsEVM)
  const customOpcodes = isOwn ? wordOpcodes(common, () => 0n) : []
  const evm = await createEVM({ common, customOpcodes })
  const bytes = Uint8Array.from(Buffer.from(code, 'hex'))
  const { exceptionError, executionGasUsed, returnValue } = await evm.runCode({ code: bytes })
  return { exceptionError, executionGasUsed, returnValue }
}

const RETURN_ALL = '595ff3'

test.each([
  ['a small word', `60ff5f52${RETURN_ALL}`],
  ['a word of four bytes', `63ffffffff600152${RETURN_ALL}`],
  ['a word of five bytes', `640123456789607f52${RETURN_ALL}`],
  ['a whole word', `7f${'fe'.repeat(32)}603d52${RETURN_ALL}`],
  ['a word over another one', `7f${'fe'.repeat(32)}5f526001600352${RETURN_ALL}`],
  ['reading beyond the memory', `600161123451${RETURN_ALL}`],
  [
    'reading words',
    `7f${'12'.repeat(32)}5f5260015160045160065160205f5260205260405260605200${RETURN_ALL}`,
  ],
  ['an empty slot', `6007545f52${RETURN_ALL}`],
  ['memory that is too far away', `60016affffffffffffffffffffff52`],
  ['no operand', '5f52'],
])('default: %s has the result and the price of the EVM', async (_, code) => {
  expect(await run(code, true)).toEqual(await run(code, false))
})

test.each([0, 1, 32, 64, 65, 300])('default: the hash of %i bytes', (length) => {
  const data = Uint8Array.from({ length }, (_, index) => 255 - (index % 256))
  const hash = BigInt(`0x${Buffer.from(keccak_256(data)).toString('hex')}`)
  expect([hashWord(data), hashWord(data)]).toEqual([hash, hash])
})
