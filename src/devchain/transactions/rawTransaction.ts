import type { Hex } from 'viem'
import { keccak256, serializeTransaction } from 'viem/utils'

import type { printAuthorization } from './authorization.ts'
import type { ChainTransaction, EthereumTransaction } from './transaction.ts'

/** Client units in one unit of the chain. A client may count in 10^-18 of the coin while the chain counts in 10^-6. */
const SCALES = [1n, 10n ** 12n]

/**
 * The signed bytes of an Ethereum transaction; undefined for a natively signed one, which has none. The chain keeps only
 * the fields, so the bytes are serialized again and their hash is checked.
 */
export function rawEthereum({ ethereum, id }: ChainTransaction): Hex | undefined {
  if (!ethereum) return undefined
  for (const scale of SCALES) {
    const raw = serialize(ethereum, scale)
    if (keccak256(raw) === `0x${id}`) return raw
  }
  throw new Error(`the bytes of transaction ${id} cannot be serialized again`)
}

const authorizationsIn = ({ authorizationList }: Fields) =>
  (authorizationList as ReturnType<typeof printAuthorization>[]).map(
    ({ chainId, nonce, yParity, ...same }) => ({
      ...same,
      chainId: Number(chainId),
      nonce: Number(nonce),
      yParity: Number(yParity),
    }),
  )

type Fields = EthereumTransaction['fields']

function serialize(transaction: EthereumTransaction, scale: bigint): Hex {
  const { fields } = transaction
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
  return serializeTransaction({ ...common, ...pricesOf(transaction, scale) }, signature)
}

function pricesOf({ fields, lost, maxPrice }: EthereumTransaction, scale: bigint): object {
  // In a block, the field gasPrice is the price that was paid. It can be lower than the signed one.
  const gasPrice = maxPrice * scale + (lost?.price ?? 0n)
  if (fields['type'] === '0x2' || fields['type'] === '0x4')
    return {
      ...(fields['type'] === '0x2'
        ? { type: 'eip1559' }
        : { type: 'eip7702', authorizationList: authorizationsIn(fields) }),
      accessList: fields['accessList'],
      maxFeePerGas: gasPrice,
      maxPriorityFeePerGas:
        BigInt(fields['maxPriorityFeePerGas'] as Hex) * scale + (lost?.tip ?? 0n),
    }
  return fields['type'] === '0x1'
    ? { type: 'eip2930', accessList: fields['accessList'], gasPrice }
    : { type: 'legacy', gasPrice }
}
