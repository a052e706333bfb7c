import type { Address, Hash, Hex } from 'viem'

import { toRpcAddress, ZERO_ADDRESS } from '../lib/address.ts'
import type { Contract, Transaction, TransactionInfo } from '../native/wire/types.ts'
import { contractFields, contractMeaning } from './contract.ts'
import { toData, toHash, toInt64, toQuantity, toSeconds } from './quantity.ts'
import { toRpcSignature } from './signature.ts'
import type { RpcTransaction } from './types.ts'

/**
 * A transaction in the format of Ethereum.
 *
 * `options.block` and `options.info` are absent while it is pending. `energyPrice` is in sun, as of the block's time (now,
 * while pending).
 */
export function toRpcTransaction(
  transaction: Transaction,
  options: toRpcTransaction.Options,
): RpcTransaction {
  const { block, chainId, energyPrice, info } = options
  const { from, input, to, value } = transactionParties(transaction, info)
  const shown: RpcTransaction = {
    // Sourced from the node.
    blockHash: block?.hash ?? null,
    blockNumber: block ? toQuantity(block.number) : null,
    blockTimestamp: block ? toSeconds(block.timestamp) : null,
    chainId: toQuantity(chainId),
    from,
    gas: toQuantity(gasLimit(transaction, info, energyPrice)),
    gasPrice: toQuantity(energyPrice),
    hash: toHash(transaction.txID),
    input,
    ...toRpcSignature(transaction.signature?.[0]),
    to,
    transactionIndex: block ? toQuantity(block.index) : null,
    value: toQuantity(value),

    // No native counterpart.
    nonce: '0x0',
    type: '0x0',

    // Only on the development chain, where a transaction may have been sent as an Ethereum transaction.
    ...transaction.ethereum,
  }
  if (!transaction.ethereum) return shown
  // As in geth: a chain id only where one was signed, and no parity in legacy transactions.
  const { chainId: signedFor, yParity } = transaction.ethereum as Partial<RpcTransaction>
  if (signedFor === undefined) delete shown.chainId
  if (yParity === undefined) delete shown.yParity
  return shown
}

export declare namespace toRpcTransaction {
  type Options = {
    chainId: number
    /** Sun. */
    energyPrice: bigint
    /** `timestamp` is in milliseconds. */
    block?: { hash: Hash; index: number; number: number; timestamp: number } | undefined
    info?: TransactionInfo | undefined
  }
}

/** Sender, recipient, amount and call data of a transaction. The call data of a creation is the bytecode. */
export function transactionParties(
  transaction: Transaction,
  info: TransactionInfo | undefined,
): { from: Address; to: Address | null; value: bigint; input: Hex } {
  const contract = transaction.raw_data.contract?.[0]
  // The format allows this, although no known chain has it. The node's own JSON-RPC reads it in the same way.
  if (!contract) return { from: ZERO_ADDRESS, to: ZERO_ADDRESS, value: 0n, input: '0x' }
  const fields = contractFields(contract)
  return {
    from: toRpcAddress(fields['owner_address'] ?? fields['transparent_from_address']),
    input: callData(contract),
    ...contractMeaning(contract, info),
  }
}

/** Whether a transaction creates a contract. */
export function isCreation(transaction: Transaction): boolean {
  return transaction.raw_data.contract?.[0]?.type === 'CreateSmartContract'
}

function callData(contract: Contract): Hex {
  const fields = contractFields(contract)
  if (contract.type === 'TriggerSmartContract') return toData(text(fields['data']))
  if (contract.type !== 'CreateSmartContract') return '0x'
  const created = fields['new_contract'] as Record<string, unknown> | undefined
  return toData(text(created?.['bytecode']))
}

/**
 * The energy that the fee limit buys, but at least the used energy, because the sender's stake adds to it and a fee limit
 * has no effect outside the VM. The used energy alone would be wrong: tools regard `gasUsed === gas` as "out of gas". Never 0:
 * Otterscan divides by it.
 */
function gasLimit(
  transaction: Transaction,
  info: TransactionInfo | undefined,
  energyPrice: bigint,
): bigint {
  const used = toInt64(info?.receipt?.energy_usage_total)
  const type = transaction.raw_data.contract?.[0]?.type
  if (type !== 'TriggerSmartContract' && type !== 'CreateSmartContract') return used || 1n
  const bought = energyPrice > 0n ? toInt64(transaction.raw_data.fee_limit) / energyPrice : 0n
  return (bought > used ? bought : used) || 1n
}

function text(input: unknown): string | undefined {
  return typeof input === 'string' ? input : undefined
}
