import { keccak_256 } from '@noble/hashes/sha3.js'
import type { AccessList, Hex, SignedAuthorizationList, TransactionSerializable } from 'viem'
import { parseTransaction, serializeTransaction } from 'viem/utils'

import { TIP_ABOVE_FEE } from '../../codec/intrinsicGas.ts'
import { SUN, type Unit } from '../../codec/unit.ts'
import { signQuickly } from '../../native/protobuf/quickSignature.ts'
import { EthereumError } from '../state/errors.ts'
import { recoverSender } from '../vm/recover.ts'
import { printAuthorization, readAuthorizations } from './authorization.ts'
import type { EthereumTransaction } from './transaction.ts'

/** A signed Ethereum transaction: its fields, its hash, and its signature in the chain's format. */
export type SignedEthereum = {
  /** Keccak-256 of the signed bytes, hex without `0x`. */
  id: string
  /** The signed bytes. */
  raw: Hex
  /** r ‖ s ‖ v, hex. */
  signature: string
  ethereum: EthereumTransaction
}

/** An unsigned transaction of an account of the chain or of an impersonated account. */
export type UnsignedEthereum = {
  /** 42 hex characters. */
  from: string
  to?: Hex
  value: bigint
  data: Hex
  gas: bigint
  nonce: number
  chainId: number
  gasPrice?: bigint
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  accessList?: AccessList
  /** Makes an EIP-7702 transaction, which needs `to` and `maxFeePerGas`. */
  authorizationList?: SignedAuthorizationList
}

/**
 * Reads the bytes of a signed transaction: legacy (also without replay protection), EIP-2930, EIP-1559 or EIP-7702.
 *
 * @param unit - the signer's unit of amounts. @default the chain's
 * @throws EthereumError when they are unreadable, unsigned, of another type or for another chain.
 */
export async function readEthereum(
  raw: Hex,
  chainId: number,
  unit: Unit = SUN,
): Promise<SignedEthereum> {
  const parsed = parse(raw)
  if (parsed.type === 'eip4844')
    throw new EthereumError('transaction type not supported: blobs do not exist on this chain')
  if (parsed.type === 'eip7702') {
    if (!parsed.authorizationList?.length)
      throw new EthereumError('EIP-7702 transaction with empty auth list')
    if (!parsed.to)
      throw new EthereumError('EIP-7702 transaction cannot be used to create contract')
  }
  if (parsed.chainId !== undefined && parsed.chainId !== chainId)
    throw new EthereumError(`invalid chain id for signer: have ${parsed.chainId} want ${chainId}`)
  const { r, s, v, yParity, ...unsigned } = parsed
  if (r === undefined || s === undefined) throw new EthereumError('the transaction is not signed')
  const parity = yParity ?? Number((v ?? 27n) >= 35n ? ((v ?? 0n) - 35n) % 2n : (v ?? 27n) - 27n)
  const signature = { r, s, v: v ?? BigInt(parity), yParity: parity }
  // The sender is recovered from the fields. Other bytes with the same fields, such as a zero byte for 0, would give a wrong one.
  if (serializeTransaction(unsigned, signature) !== raw.toLowerCase())
    throw new EthereumError(UNREADABLE)
  const from = recover(unsigned, { parity, r, s })
  const read = signed(raw, from, converted(unsigned, unit), {
    r,
    s,
    v: v ?? BigInt(parity),
    parity,
  })
  const lost = lostPrices(unsigned, unit)
  return lost ? { ...read, ethereum: { ...read.ethereum, lost } } : read
}

/**
 * Signs for an account. Without a key, as for an impersonated account, the signature is derived from the sender.
 *
 * @throws EthereumError as `toUnsigned`
 */
export function signEthereum(request: UnsignedEthereum, key?: string): SignedEthereum {
  const unsigned = toUnsigned(request)
  const made = key
    ? signQuickly(Buffer.from(hashOf(serializeTransaction(unsigned))).toString('hex'), key)
    : `${request.from.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}00`
  const r: Hex = `0x${made.slice(0, 64)}`
  const s: Hex = `0x${made.slice(64, 128)}`
  const parity = Number.parseInt(made.slice(128), 16)
  const v = BigInt(request.chainId) * 2n + 35n + BigInt(parity)
  const raw = serializeTransaction(unsigned, { r, s, v, yParity: parity })
  return signed(raw, `0x${request.from.slice(2)}`, unsigned, { r, s, v, parity })
}

/** The bytes to sign, and the fields of an unsigned transaction as JSON-RPC shows them. */
export function unsignedEthereum(request: UnsignedEthereum): {
  raw: Hex
  tx: Record<string, unknown>
} {
  const unsigned = toUnsigned(request)
  const { r: _r, s: _s, v: _v, yParity: _parity, ...tx } = fieldsOf(unsigned, UNSIGNED)
  return { raw: serializeTransaction(unsigned), tx }
}

/** @throws EthereumError when no transaction has such a nonce or price */
function toUnsigned({ from: _from, ...request }: UnsignedEthereum): TransactionSerializable {
  const { accessList, authorizationList, gasPrice, maxFeePerGas, ...rest } = request
  // With the words of geth.
  if (rest.nonce > Number.MAX_SAFE_INTEGER) throw new EthereumError('nonce has max value')
  if ((maxFeePerGas ?? gasPrice ?? 0n) >= 2n ** 256n)
    throw new EthereumError('max fee per gas higher than 2^256-1')
  const { maxPriorityFeePerGas = 0n, ...common } = rest
  if (maxFeePerGas !== undefined) {
    const fees = {
      maxFeePerGas,
      maxPriorityFeePerGas,
      ...common,
      ...(accessList && { accessList }),
    }
    return authorizationList
      ? { type: 'eip7702', ...fees, authorizationList }
      : { type: 'eip1559', ...fees }
  }
  const price = gasPrice ?? 0n
  return accessList
    ? { type: 'eip2930', gasPrice: price, accessList, ...common }
    : { type: 'legacy', gasPrice: price, ...common }
}

/** A transaction whose amounts are in the chain's unit. */
function converted(transaction: TransactionSerializable, unit: Unit): TransactionSerializable {
  const prices = pricesOf(transaction).map(([name, price]) => [name, unit.toPrice(price)])
  const { value } = transaction
  return {
    ...transaction,
    ...(value !== undefined && { value: unit.toSun(value) }),
    ...Object.fromEntries(prices),
  } as TransactionSerializable
}

/** What the prices lose when they are converted to the chain's unit; undefined if they lose nothing. */
function lostPrices(
  transaction: TransactionSerializable,
  unit: Unit,
): EthereumTransaction['lost'] | undefined {
  const lost = pricesOf(transaction).map(
    ([name, price]) => [name, price - unit.fromSun(unit.toPrice(price))] as const,
  )
  if (lost.every(([, rest]) => rest === 0n)) return undefined
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas = 0n }: Prices = Object.fromEntries(lost)
  return { price: maxFeePerGas ?? gasPrice ?? 0n, tip: maxPriorityFeePerGas }
}

function pricesOf(transaction: TransactionSerializable): [keyof Prices, bigint][] {
  const prices = transaction as unknown as Prices
  const names = ['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const
  return names.flatMap((name) => {
    const price = prices[name]
    return price === undefined ? [] : [[name, price]]
  })
}

/** The price fields of a transaction, which depend on its type. */
type Prices = { gasPrice?: bigint; maxFeePerGas?: bigint; maxPriorityFeePerGas?: bigint }

type Signature = { r: Hex; s: Hex; v: bigint; parity: number }

const UNSIGNED: Signature = { r: '0x0', s: '0x0', v: 0n, parity: 0 }

function signed(
  raw: Hex,
  from: Hex,
  transaction: TransactionSerializable,
  signature: Signature,
): SignedEthereum {
  const { accessList, authorizationList, data = '0x', gas = 0n, nonce = 0 } = transaction
  const { to, value = 0n } = transaction
  return {
    id: Buffer.from(hashOf(raw)).toString('hex'),
    raw,
    signature:
      word(signature.r) + word(signature.s) + signature.parity.toString(16).padStart(2, '0'),
    ethereum: {
      from: `41${from.slice(2).toLowerCase()}`,
      ...(to && { to: `41${to.slice(2).toLowerCase()}` }),
      value,
      data: data.slice(2),
      gas,
      maxPrice: maxPriceOf(transaction),
      nonce: BigInt(nonce),
      ...(accessList && { accessList }),
      ...(authorizationList && { authorizations: readAuthorizations(authorizationList) }),
      fields: fieldsOf(transaction, signature),
    },
  }
}

function maxPriceOf(transaction: TransactionSerializable): bigint {
  const { gasPrice, maxFeePerGas } = transaction as unknown as Prices
  return maxFeePerGas ?? gasPrice ?? 0n
}

/** The fields as JSON-RPC shows them. */
function fieldsOf(
  transaction: TransactionSerializable,
  { parity, r, s, v }: Signature,
): Record<string, unknown> {
  const { accessList, authorizationList, chainId, data = '0x', to, value = 0n } = transaction
  const { gas = 0n, nonce = 0 } = transaction
  const { maxPriorityFeePerGas = 0n } = transaction as unknown as Prices
  const type = TYPES[transaction.type ?? 'legacy'] ?? '0x0'
  const maxPrice = hex(maxPriceOf(transaction))
  return {
    type,
    nonce: hex(nonce),
    gas: hex(gas),
    gasPrice: maxPrice,
    value: hex(value),
    input: data,
    to: to?.toLowerCase() ?? null,
    r: hex(BigInt(r)),
    s: hex(BigInt(s)),
    v: hex(type === '0x0' ? v : parity),
    ...(type === '0x0' ? {} : { yParity: hex(parity), accessList: accessList ?? [] }),
    ...(chainId !== undefined && { chainId: hex(chainId) }),
    ...((type === '0x2' || type === '0x4') && {
      maxFeePerGas: maxPrice,
      maxPriorityFeePerGas: hex(maxPriorityFeePerGas),
    }),
    ...(authorizationList && { authorizationList: authorizationList.map(printAuthorization) }),
  }
}

const TYPES: Partial<Record<string, Hex>> = {
  legacy: '0x0',
  eip2930: '0x1',
  eip1559: '0x2',
  eip7702: '0x4',
}

/** Keccak-256 of bytes. Buffer reads the hex of large transactions ten times as fast as JavaScript. */
const hashOf = (bytes: Hex) => keccak_256(Buffer.from(bytes.slice(2), 'hex'))

const word = (input: Hex) => input.slice(2).padStart(64, '0')

const hex = (input: bigint | number): Hex => `0x${input.toString(16)}`

function parse(raw: Hex) {
  try {
    return parseTransaction(raw)
  } catch (cause) {
    if ((cause as Error).name === 'TipAboveFeeCapError')
      throw new EthereumError(TIP_ABOVE_FEE, { cause })
    throw new EthereumError(UNREADABLE, { cause })
  }
}

const UNREADABLE = 'the signed Ethereum transaction cannot be decoded'

function recover(unsigned: TransactionSerializable, signature: recoverSender.Signature): Hex {
  try {
    const hash: Hex = `0x${Buffer.from(hashOf(serializeTransaction(unsigned))).toString('hex')}`
    return recoverSender(hash, signature)
  } catch (cause) {
    const message = 'invalid sender: the signature is invalid'
    throw new EthereumError(message, { cause })
  }
}
