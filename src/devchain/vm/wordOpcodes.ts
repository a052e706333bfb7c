import type { Common } from '@ethereumjs/common'
import { getOpcodesForHF } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { LRUCache } from 'lru-cache'

import type { AddOpcode } from './opcode.ts'

type GasFunction = NonNullable<AddOpcode['gasFunction']>

/** Reads a slot, given as 64 hex characters, of a contract. */
export type LoadSlot = (contract: Address, slot: string) => bigint | Promise<bigint>

/**
 * MLOAD, MSTORE and SLOAD with the prices and results of the EVM, in a fraction of its time. The EVM makes a promise and a list of bytes
 * for each word, and these were a third of the memory that a suite of tests allocated.
 */
export function wordOpcodes(common: Common, load: LoadSlot): AddOpcode[] {
  const { dynamicGasHandlers } = getOpcodesForHF(common)
  const gasOf = (opcode: number) => dynamicGasHandlers.get(opcode) as GasFunction
  /** The price of memory that the frame has already; the EVM computes that of more. */
  const memoryGas = (opcode: number): GasFunction => {
    const grow = gasOf(opcode)
    const price: (...of: Parameters<GasFunction>) => bigint | Promise<bigint> = (
      run,
      gas,
      common,
    ) => {
      const [offset] = run.stack.peek(1)
      const isThere = Number(offset) + 32 <= Number(run.memoryWordCount) * 32
      return isThere ? gas : grow(run, gas, common)
    }
    return price as GasFunction
  }
  return [
    {
      opcode: 0x51,
      opcodeName: 'MLOAD',
      baseFee: Number(common.param('mloadGas')),
      gasFunction: memoryGas(0x51),
      logicFunction({ memory, stack }) {
        stack.push(wordIn(memory.read(Number(stack.pop()), 32, true)))
      },
    },
    {
      opcode: 0x52,
      opcodeName: 'MSTORE',
      baseFee: Number(common.param('mstoreGas')),
      gasFunction: memoryGas(0x52),
      logicFunction({ memory, stack }) {
        const [offset, word] = stack.popN(2) as [bigint, bigint]
        memory.write(Number(offset), 32, bytesOf(word))
      },
    },
    {
      opcode: 0x54,
      opcodeName: 'SLOAD',
      baseFee: Number(common.param('sloadGas')),
      gasFunction: gasOf(0x54),
      logicFunction({ interpreter, stack }) {
        const value = load(interpreter.getAddress(), hexOf(stack.pop()))
        if (typeof value === 'bigint') return stack.push(value)
        return value.then((loaded) => stack.push(loaded))
      },
    },
  ]
}

const hexOf = (word: bigint): string => word.toString(16).padStart(64, '0')

/** One buffer for all words, because the memory copies the bytes at once. */
const scratch = Buffer.alloc(32)

function bytesOf(word: bigint): Uint8Array {
  if (word > 0xffff_ffffn) scratch.write(hexOf(word), 'hex')
  else scratch.fill(0, 0, 28).writeUInt32BE(Number(word), 28)
  return scratch
}

/** The word of 32 bytes. Most are pointers and flags, which are small. */
function wordIn(bytes: Uint8Array): bigint {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, 32)
  for (let index = 0; index < 28; index++)
    if (bytes[index] !== 0) return BigInt(`0x${buffer.toString('hex')}`)
  return BigInt(buffer.readUInt32BE(28))
}

/** Bytes of the longest input whose hash is kept: two words, as of a place in a mapping. */
const LONGEST_KEPT = 64

/** Most hashes that are kept. */
const MOST_KEPT = 10_000

const hashes = new LRUCache<string, bigint>({ max: MOST_KEPT })

/** Keccak-256 as a word. Contracts hash the same few keys of their mappings in every call. */
export function hashWord(data: Uint8Array): bigint {
  if (data.length > LONGEST_KEPT) return hashed(data)
  const key = Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1')
  let hash = hashes.get(key)
  if (hash === undefined) hashes.set(key, (hash = hashed(data)))
  return hash
}

const hashed = (data: Uint8Array) => BigInt(`0x${Buffer.from(keccak_256(data)).toString('hex')}`)
