import type { Hex } from 'viem'
import { keccak256, serializeTransaction } from 'viem/utils'

import type { ChainTransaction } from '../transaction.ts'

/** Client units in one unit of the chain. A client may count in 10^-18 of the coin while the chain counts in 10^-6. */
const SCALES = [1n, 10n ** 12n]

/**
 * The signed bytes of an Ethereum transaction; undefined for a natively signed one, which has none. The chain keeps only
 * the fields, so the bytes are serialized again and their hash is checked.
 */
export function rawEthereum({ ethereum, id }: ChainTransaction): Hex | undefined {
  if (!ethereum) return undefined
  for (const scale of SCALES) {
    const raw = serialize(ethereum.fields, scale)
    if (keccak256(raw) === `0x${id}`) return raw
  }
  throw new Error(`the bytes of transaction ${id} cannot be serialized again`)
}

type Fields = Readonly<Record<string, unknown>>

function serialize(fields: Fields, scale: bigint): Hex {
  const whole = (name: string) => BigInt(fields[name] as Hex)
  const common = {
    nonce: Number(whole('nonce')),
    gas: whole('gas'),
    value: whole('value') * scale,
    data: fields['input'] as Hex,
    ...(fields['to'] !== null && { to: fields['to'] as Hex }),
    ...(fields['chainId'] !== undefined && { chainId: Number(whole('chainId')) }),
  }
  const signature = {
    r: fields['r'] as Hex,
    s: fields['s'] as Hex,
    v: whole('v'),
    ...(fields['yParity'] !== undefined && { yParity: Number(whole('yParity')) }),
  }
  return serializeTransaction({ ...common, ...pricesOf(fields, scale) }, signature)
}

function pricesOf(fields: Fields, scale: bigint): object {
  const price = (name: string) => BigInt(fields[name] as Hex) * scale
  if (fields['type'] === '0x2')
    return {
      type: 'eip1559',
      accessList: fields['accessList'],
      maxFeePerGas: price('maxFeePerGas'),
      maxPriorityFeePerGas: price('maxPriorityFeePerGas'),
    }
  return fields['type'] === '0x1'
    ? { type: 'eip2930', accessList: fields['accessList'], gasPrice: price('gasPrice') }
    : { type: 'legacy', gasPrice: price('gasPrice') }
}
