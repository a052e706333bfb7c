import type { Address, Hash, Hex } from 'viem'
import { keccak256, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils'

import { EMPTY_RLP_LIST, joinRlpList, splitRlpList } from '../codec/rlp.ts'
import type { Unit } from '../codec/unit.ts'
import { InvalidParamsError, RpcError } from '../lib/errors.ts'
import { assertSize } from './refusals.ts'

/** Largest Ethereum transaction in bytes: the limit of Geth's pool. */
const MAX_BYTES = 128 * 1024

/** A transaction that a wallet signed for Ethereum: legacy, EIP-2930 or EIP-1559. Amounts in sun. */
export type EthereumTransaction = {
  /** Keccak-256 of the signed bytes: the hash that the wallet knows. */
  hash: Hash
  /** Recovered from the signature. */
  from: Address
  /** Absent for a contract creation. */
  to?: Address
  value: bigint
  data: Hex
  gas: bigint
  /** The gas price; for EIP-1559 the maximum, `maxFeePerGas`. */
  gasPrice: bigint
  nonce: number
}

/** Whether bytes begin like an Ethereum transaction: with a type byte or with an RLP list. */
export function looksLikeEthereum(raw: Hex): boolean {
  const first = Number.parseInt(raw.slice(2, 4), 16)
  return (first >= 0x01 && first <= 0x04) || first >= 0xc0
}

/**
 * Reads a signed Ethereum transaction and recovers its sender. Ignores access lists.
 *
 * @param unit - the unit of its amounts, which is the unit of the endpoint that the wallet uses.
 * @throws InvalidParamsError when the value is not a whole number of sun; RpcError `-32000` when the transaction is too
 * large, unreadable, unsigned, of another type, without replay protection or for another chain.
 */
export async function readEthereumTransaction(
  raw: Hex,
  chainId: number,
  unit: Unit,
): Promise<EthereumTransaction> {
  assertSize(raw, MAX_BYTES)
  const { parsed, signed } = parse(raw)
  if (parsed.type === 'eip4844' || parsed.type === 'eip7702')
    throw new RpcError(-32000, `transaction type not supported: ${parsed.type}`)
  if (parsed.chainId === undefined)
    throw new RpcError(-32000, 'only replay-protected (EIP-155) transactions allowed over RPC')
  if (parsed.chainId !== chainId)
    throw new RpcError(
      -32000,
      `invalid chain id for signer: have ${parsed.chainId} want ${chainId}`,
    )
  const from = await recover(parsed, signed)
  const gasPrice = 'maxFeePerGas' in parsed ? parsed.maxFeePerGas : parsed.gasPrice
  return {
    hash: keccak256(raw),
    from: from.toLowerCase() as Address,
    ...(parsed.to && { to: parsed.to.toLowerCase() as Address }),
    value: valueInSun(parsed.value ?? 0n, unit),
    data: parsed.data ?? '0x',
    gas: parsed.gas ?? 0n,
    gasPrice: unit.toPrice(gasPrice ?? 0n),
    nonce: parsed.nonce ?? 0,
  }
}

function valueInSun(amount: bigint, unit: Unit): bigint {
  try {
    return unit.toSun(amount)
  } catch (cause) {
    throw new InvalidParamsError(0, `value: ${(cause as Error).message}`)
  }
}

type Parsed = ReturnType<typeof parseTransaction>

/** Index of the access list, by type. */
const ACCESS_LIST: Readonly<Record<number, number>> = { 1: 7, 2: 8 }

/** Number of signature items at the end of a typed transaction: parity, r, s. */
const SIGNATURE_ITEMS = 3

/**
 * The fields of a transaction without its access list, and the signed hash. The access list has no effect on this chain,
 * and a long one takes most of a second to parse.
 */
function parse(raw: Hex): { parsed: Parsed; signed: Hash } {
  const bytes = Buffer.from(raw.slice(2), 'hex')
  try {
    const position = ACCESS_LIST[bytes[0] ?? 0]
    if (position === undefined) {
      const parsed = parseTransaction(raw)
      const { r: _, s: __, v: ___, yParity: ____, ...unsigned } = parsed
      return { parsed, signed: keccak256(serializeTransaction(unsigned)) }
    }
    const type = bytes.subarray(0, 1)
    const items = splitRlpList(bytes.subarray(1))
    const lean = Buffer.concat([type, joinRlpList(items.with(position, EMPTY_RLP_LIST))])
    const unsigned = Buffer.concat([type, joinRlpList(items.slice(0, -SIGNATURE_ITEMS))])
    return { parsed: parseTransaction(`0x${lean.toString('hex')}`), signed: keccak256(unsigned) }
  } catch (cause) {
    throw new RpcError(-32000, 'the signed Ethereum transaction cannot be decoded', { cause })
  }
}

async function recover({ r, s, v, yParity }: Parsed, signed: Hash): Promise<Address> {
  try {
    if (r === undefined || s === undefined) throw new Error('the transaction is not signed')
    const signature = { r, s, ...(yParity === undefined ? { v: v ?? 0n } : { yParity }) }
    return await recoverAddress({ hash: signed, signature })
  } catch (cause) {
    throw new RpcError(-32000, 'invalid sender: the signature is invalid', { cause })
  }
}
