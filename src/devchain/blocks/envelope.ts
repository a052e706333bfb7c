import { MAX_INT64 } from '../../lib/int64.ts'
import { printInt } from '../contracts/printing.ts'
import type { StateReader } from '../state/state.ts'
import type { SignedEthereum } from '../transactions/ethereumTransaction.ts'
import { type ChainTransaction, wrapEthereum } from '../transactions/transaction.ts'
import { type AddressRule, createdWithNonce } from '../vm/createdAddress.ts'
import type { ChainBlock } from './block.ts'

const LIFETIME = 60_000

/**
 * Converts an Ethereum transaction to a native one with its Ethereum hash as id. Native clients see a transfer, a contract
 * call or a contract creation.
 */
export function envelopeOf(
  { ethereum, id, signature }: SignedEthereum,
  { addresses, head, price, state, time }: envelopeOf.Options,
): ChainTransaction {
  const { data, from, gas, to, value } = ethereum
  const amount = value > MAX_INT64 ? MAX_INT64 : value
  const limit = gas * price
  const creates =
    !to && addresses === 'ethereum' ? createdWithNonce(from, ethereum.nonce) : undefined
  const signed = { id, signature, ethereum: { ...ethereum, ...(creates && { creates }) } }
  return wrapEthereum(signed, {
    contract: to
      ? messageTo(state, { from, to, amount, data })
      : {
          type: 'CreateSmartContract',
          value: {
            owner_address: from,
            new_contract: {
              origin_address: from,
              ...(data !== '' && { bytecode: data }),
              ...(amount > 0n && { call_value: printInt(amount) }),
              consume_user_resource_percent: 100,
              origin_energy_limit: 10_000_000,
            },
          },
        },
    ref_block_bytes: head.header.number.toString(16).padStart(16, '0').slice(-4),
    ref_block_hash: head.id.slice(16, 32),
    expiration: head.header.timestamp + LIFETIME,
    timestamp: time,
    feeLimit: limit > MAX_INT64 ? MAX_INT64 : limit,
  })
}

export declare namespace envelopeOf {
  type Options = {
    addresses: AddressRule
    head: ChainBlock
    /** The price of a unit of energy. */
    price: bigint
    state: StateReader
    /** The chain's clock, milliseconds. */
    time: number
  }
}

function messageTo(
  state: StateReader,
  { amount, data, from, to }: { from: string; to: string; amount: bigint; data: string },
): { type: string; value: Record<string, unknown> } {
  if (data === '' && amount > 0n && !state.get('contract', to))
    return {
      type: 'TransferContract',
      value: { owner_address: from, to_address: to, amount: printInt(amount) },
    }
  return {
    type: 'TriggerSmartContract',
    value: {
      owner_address: from,
      contract_address: to,
      ...(amount > 0n && { call_value: printInt(amount) }),
      ...(data !== '' && { data }),
    },
  }
}
