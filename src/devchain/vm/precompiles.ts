import type { Common } from '@ethereumjs/common'
import { EVMError, type EVMOpts, getActivePrecompiles } from '@ethereumjs/evm'
import { Address, bytesToBigInt, setLengthLeft, setLengthRight } from '@ethereumjs/util'
import { sha256 } from '@noble/hashes/sha2.js'

import type { BlockContext } from './blockContext.ts'
import { PrecompileError } from './failure.ts'

type Precompile = NonNullable<EVMOpts['customPrecompiles']>[number]

const at = (number: number) => new Address(setLengthLeft(Uint8Array.of(number), 20))

/** The last byte of an address whose other bytes are zero, as those of precompiled contracts are. */
export function smallAddress({ bytes }: Address): number | undefined {
  return bytes.subarray(0, -1).every((byte) => byte === 0) ? bytes.at(-1) : undefined
}

/** Whether the node has a precompiled contract at an address, simulated here or not. */
export function isPrecompiled(address: Address): boolean {
  const number = smallAddress(address) ?? 0
  return number >= 0x01 && number <= 0x0a
}

/** The energy of ECRECOVER. */
const RECOVER_ENERGY = 3_000n

/**
 * The precompiled contracts that differ from Ethereum's. 0x03 hashes with SHA-256, keeps 20 bytes and hashes these again; the
 * answer is the whole second hash. 0x09 and 0x0a are not BLAKE2F and the KZG check: on the real chain they validate batches of
 * signatures and multi-signatures. This is not simulated, so they are accounts without code here. 0x01 returns the account
 * that `signerOf` has for a signature. 0x05 returns nothing for a modulus of zero, where Ethereum returns zeros.
 */
export function precompiles(
  common: Common,
  signerOf: NonNullable<BlockContext['signerOf']>,
): Precompile[] {
  const standard = (number: number) => standardPrecompile(common, number)
  const power = standard(0x05)
  return [
    recoverPrecompile(common, signerOf),
    {
      address: at(0x03),
      function({ data, gasLimit }) {
        const energy = 600n + 120n * BigInt(Math.ceil(data.length / 32))
        if (energy > gasLimit) return { executionGasUsed: gasLimit, returnValue: new Uint8Array(0) }
        return {
          executionGasUsed: energy,
          returnValue: sha256(sha256(data).subarray(0, 20)),
        }
      },
    },
    {
      address: at(0x05),
      async function(input) {
        const result = await power(input)
        return result.returnValue.length > 0 && isModulusZero(input.data)
          ? { ...result, returnValue: new Uint8Array(0) }
          : result
      },
    },
    ...[0x06, 0x07, 0x08].map((number) => {
      const curve = standard(number)
      return {
        address: at(number),
        // The EVM says that these revert, without data, or that a length is wrong.
        async function(input: Parameters<typeof curve>[0]) {
          const result = await curve(input)
          const { exceptionError } = result
          return !exceptionError || exceptionError.error === EVMError.errorMessages.OUT_OF_GAS
            ? result
            : { ...result, exceptionError: new PrecompileError() }
        },
      }
    }),
    { address: at(0x09) },
    { address: at(0x0a) },
  ]
}

/**
 * The precompiled contracts of Ethereum that differ here: 0x01 returns the account that `signerOf` has for a signature, and
 * 0x0a refuses every proof, because the chain has no blobs.
 */
export function ethereumPrecompiles(
  common: Common,
  signerOf: NonNullable<BlockContext['signerOf']>,
): Precompile[] {
  const recover = recoverPrecompile(common, signerOf)
  return common.isActivatedEIP(4844) ? [recover, refusingProofs] : [recover]
}

/** Before Cancun its address is an ordinary one. */
const refusingProofs: Precompile = {
  address: at(0x0a),
  function: ({ gasLimit }) => ({
    executionGasUsed: gasLimit,
    returnValue: new Uint8Array(0),
    exceptionError: new PrecompileError(),
  }),
}

function recoverPrecompile(
  common: Common,
  signerOf: NonNullable<BlockContext['signerOf']>,
): Precompile {
  const recover = standardPrecompile(common, 0x01)
  return {
    address: at(0x01),
    function(input) {
      const { data, gasLimit } = input
      // The words of the input are the hash, v, r and s.
      const signer =
        data.length >= 128 && gasLimit >= RECOVER_ENERGY
          ? signerOf(Buffer.from([...data.subarray(64, 128), data[63] ?? 0]).toString('hex'))
          : undefined
      if (signer === undefined) return recover(input)
      return {
        executionGasUsed: RECOVER_ENERGY,
        returnValue: Uint8Array.from(Buffer.from(signer.slice(2).padStart(64, '0'), 'hex')),
      }
    },
  }
}

function standardPrecompile(common: Common, number: number) {
  const precompile = getActivePrecompiles(common).get(number.toString(16).padStart(40, '0'))
  if (!precompile) throw new Error(`the EVM has no precompiled contract ${number}`)
  return precompile
}

/** Whether the modulus in an input of MODEXP is zero. The input is three lengths, then base, exponent and modulus. */
function isModulusZero(data: Uint8Array): boolean {
  const lengthAt = (word: number) =>
    Number(bytesToBigInt(setLengthRight(data.subarray(32 * word, 32 * word + 32), 32)))
  const start = 96 + lengthAt(0) + lengthAt(1)
  return data.subarray(start, start + lengthAt(2)).every((byte) => byte === 0)
}
