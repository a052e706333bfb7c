import { toRpcAddress } from '../lib/address.ts'
import type { Block, Transaction, TransactionInfo } from '../native/wire/types.ts'
import { bloomToHex, logsBloom } from './bloom.ts'
import { toRpcLogsByTransaction } from './log.ts'
import { toHash, toInt64, toQuantity } from './quantity.ts'
import { isCreation, transactionParties } from './transaction.ts'
import type { RpcReceipt, RpcTransaction } from './types.ts'

/**
 * The receipts of a block, in order. Genesis has no receipts, because its transactions have no outcomes.
 *
 * `energyPrice` is in sun, as of the block's time. It is the price of a unit, not the paid fee, because stakes can pay for
 * a part or all of the energy.
 */
export function toRpcReceipts(
  block: Block,
  infos: readonly TransactionInfo[],
  { energyPrice }: { energyPrice: bigint },
): RpcReceipt[] {
  const blockHash = toHash(block.blockID)
  const blockNumber = toQuantity(block.block_header.raw_data.number)
  const effectiveGasPrice = toQuantity(energyPrice)
  const logs = toRpcLogsByTransaction(block, infos)
  const transactions = block.transactions ?? []
  let cumulativeGasUsed = 0n

  return transactions.flatMap((transaction, index) => {
    const info = infos[index]
    if (!info) return []
    const { from, to } = transactionParties(transaction, info)
    const gasUsed = toInt64(info.receipt?.energy_usage_total)
    cumulativeGasUsed += gasUsed
    return {
      // Sourced from the node.
      blockHash,
      blockNumber,
      effectiveGasPrice,
      contractAddress: isCreation(transaction) ? toRpcAddress(info.contract_address) : null,
      cumulativeGasUsed: toQuantity(cumulativeGasUsed),
      from,
      gasUsed: toQuantity(gasUsed),
      logs: logs[index] ?? [],
      logsBloom: bloomToHex(logsBloom(logs[index] ?? [])),
      status: hasSucceeded(info) ? '0x1' : '0x0',
      to,
      transactionHash: toHash(info.id),
      transactionIndex: toQuantity(index),

      // No native counterpart.
      type: '0x0',

      // Only on the development chain, where a transaction may have been sent as an Ethereum transaction.
      ...ethereumFields(transaction),
    }
  })
}

function ethereumFields({ ethereum }: Transaction): Partial<RpcReceipt> {
  if (!ethereum) return {}
  const { gasPrice, to, type } = ethereum as Pick<RpcTransaction, 'gasPrice' | 'to' | 'type'>
  return { effectiveGasPrice: gasPrice, to, type }
}

/**
 * Whether a transaction succeeded. Only the VM writes `receipt.result`; transactions of other types are in a block
 * because they succeeded, unless the info has an error.
 */
export function hasSucceeded(info: TransactionInfo): boolean {
  const result = info.receipt?.result ?? 'DEFAULT'
  return info.result !== 'FAILED' && (result === 'DEFAULT' || result === 'SUCCESS')
}
