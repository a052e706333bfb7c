import type { Address, Hex } from 'viem'

import { insufficientFunds } from '../chain/state/vmError.ts'
import { toNativeAddress } from '../lib/address.ts'
import { RpcError } from '../lib/errors.ts'
import { MAX_INT64 } from '../lib/int64.ts'
import { rawDataFromJson, transactionId } from '../native/protobuf/transaction.ts'
import type { Contract, Transaction } from '../native/wire/types.ts'

/** A transaction as its sender describes it, with Ethereum's fields and amounts in sun. */
export type Intent = {
  from: Address
  /** If absent, `data` is creation code. */
  to?: Address
  /** Sun. */
  value: bigint
  data: Hex
  /** The fee limit, sun. */
  feeLimit: bigint
}

/** The reference block of a transaction, a solidified one, which is on every branch; and its lifetime in milliseconds. */
export type Anchor = {
  block: { number: number; hash: string }
  expiration: number
  /** Transactions with equal fields and timestamps have the same id. */
  timestamp: number
}

/** The default energy settings of a created contract: callers pay for all energy. */
const CREATION = { consume_user_resource_percent: 100, origin_energy_limit: 10_000_000 }

/**
 * The unsigned native transaction for an intent: a contract creation if `to` is absent, a contract call if `to` has code,
 * otherwise a transfer of coins.
 *
 * @throws RpcError `-32000` if the chain has no such transaction: data for an account without code, too many coins.
 */
export function toNativeTransaction(
  intent: Intent,
  anchor: Anchor,
  hasCode: boolean,
): Transaction & { raw_data_hex: string } {
  if (intent.value > MAX_INT64) throw insufficientFunds()
  const { type, value } = contractOf(intent, hasCode)
  const raw_data: Transaction['raw_data'] = {
    contract: [{ parameter: { value }, type }],
    ...anchorFields(anchor),
    ...(type !== 'TransferContract' && { fee_limit: intent.feeLimit }),
  }
  const raw = rawDataFromJson(raw_data)
  return { txID: transactionId(raw), raw_data, raw_data_hex: raw.toString('hex') }
}

/** The reference block in the format of the chain: the low two bytes of its number and bytes 8 to 15 of its hash. */
export function anchorFields({ block, expiration, timestamp }: Anchor) {
  const hash = block.hash.replace(/^0x/, '')
  return {
    ref_block_bytes: (block.number & 0xffff).toString(16).padStart(4, '0'),
    ref_block_hash: hash.slice(16, 32),
    expiration,
    timestamp,
  }
}

function contractOf(
  { from, to, value, data }: Intent,
  hasCode: boolean,
): { type: string; value: NonNullable<NonNullable<Contract['parameter']>['value']> } {
  const owner_address = toNativeAddress(from)
  const payload = data.slice(2)
  if (!to) {
    if (payload === '') throw new RpcError(-32000, 'contract creation without any data provided')
    const code = {
      origin_address: owner_address,
      bytecode: payload,
      call_value: value,
      ...CREATION,
    }
    return { type: 'CreateSmartContract', value: { owner_address, new_contract: code } }
  }
  const to_address = toNativeAddress(to)
  if (hasCode) {
    const target = { owner_address, contract_address: to_address, call_value: value, data: payload }
    return { type: 'TriggerSmartContract', value: target }
  }
  if (payload !== '')
    throw new RpcError(
      -32000,
      'data cannot be sent to an account without code: a transfer on this chain has no data',
    )
  return { type: 'TransferContract', value: { owner_address, to_address, amount: value } }
}
