import { toRpcAddress } from '../lib/address.ts'
import type { Block, Transaction, TransactionInfo } from '../native/wire/types.ts'
import { bloomToHex, logsBloom } from './bloom.ts'
import { type LogSource, toRpcLogsByTransaction, toRpcLogsOf } from './log.ts'
import { toHash, toInt64, toQuantity } from './quantity.ts'
import { isCreation, transactionParties } from './transaction.ts'
import type { RpcLog, RpcReceipt, RpcTransaction } from './types.ts'

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
  const logs = toRpcLogsByTransaction(block, infos)
  let before = 0n
  return infos.flatMap((info, index) => {
    const transaction = block.transactions?.[index]
    if (!transaction) return []
    const place = { before, energyPrice, index, logs: logs[index] ?? [] }
    before += gasOf(info)
    return receiptAt(block, { info, transaction }, place)
  })
}

/** One receipt of a block. @param place - where it is: its index, and the energy and the number of logs of those before it */
export function toRpcReceipt(
  block: LogSource,
  { info, transaction }: { info: TransactionInfo; transaction: Transaction },
  place: { before: bigint; energyPrice: bigint; firstLog: number; index: number },
): RpcReceipt {
  const logs = toRpcLogsOf(block, info, place)
  return receiptAt(block, { info, transaction }, { ...place, logs })
}

function receiptAt(
  block: LogSource,
  { info, transaction }: { info: TransactionInfo; transaction: Transaction },
  place: { before: bigint; energyPrice: bigint; index: number; logs: RpcLog[] },
): RpcReceipt {
  const { before, energyPrice, index, logs } = place
  const { from, to } = transactionParties(transaction, info)
  const gasUsed = gasOf(info)
  return {
    // Sourced from the node.
    blockHash: toHash(block.blockID),
    blockNumber: toQuantity(block.block_header.raw_data.number),
    effectiveGasPrice: toQuantity(energyPrice),
    contractAddress: isCreation(transaction) ? toRpcAddress(info.contract_address) : null,
    cumulativeGasUsed: toQuantity(before + gasUsed),
    from,
    gasUsed: toQuantity(gasUsed),
    logs,
    logsBloom: bloomToHex(logsBloom(logs)),
    status: hasSucceeded(info) ? '0x1' : '0x0',
    to,
    transactionHash: toHash(info.id),
    transactionIndex: toQuantity(index),

    // No native counterpart.
    type: '0x0',

    // Only on the development chain, where a transaction may have been sent as an Ethereum transaction.
    ...ethereumFields(transaction),
  }
}

function gasOf({ receipt }: TransactionInfo): bigint {
  return toInt64(receipt?.energy_usage_total)
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
