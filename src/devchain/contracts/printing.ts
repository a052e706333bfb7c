import type { TransactionInfo, TransactionResult } from '../../native/wire/types.ts'
import type { VmResult } from '../vm/run.ts'
import type { Bill } from './fees.ts'

/** A log in the node's format, without empty members. */
export function printLog({ address, topics, data }: VmResult['logs'][number]) {
  return { address, ...(topics.length > 0 && { topics }), ...(data !== '' && { data }) }
}

/** An internal transaction in the node's format. */
export function printInternal(entry: VmResult['internal'][number]) {
  return {
    hash: entry.hash,
    caller_address: entry.caller,
    transferTo_address: entry.to,
    callValueInfo: [
      withoutZeros({ callValue: entry.value }),
      ...(entry.tokens ?? []).map(({ id, amount }) => ({
        tokenId: id,
        ...withoutZeros({ callValue: amount }),
      })),
    ],
    note: Buffer.from(entry.note).toString('hex'),
    ...(entry.data !== undefined && { data: entry.data }),
    ...(entry.rejected && { rejected: true }),
  }
}

/**
 * The result and the record of a transaction that has run a contract.
 *
 * @param to - the called account or the created contract.
 */
export function printRun(
  id: string,
  to: string,
  result: VmResult,
  bill: Bill,
): { results: TransactionResult[]; info: TransactionInfo } {
  const { failure, internal, logs } = result
  const contractRet = failure?.result ?? 'SUCCESS'
  const output = failure && failure.result !== 'REVERT' ? new Uint8Array(0) : result.output
  return {
    results: [{ contractRet }],
    info: {
      id,
      ...withoutZeros({ fee: bill.energyFee + bill.netFee + bill.extraFee }),
      contractResult: [Buffer.from(output).toString('hex')],
      contract_address: to,
      receipt: { ...printReceipt(bill, result.energyUsed), result: contractRet },
      ...(logs.length > 0 && { log: logs.map(printLog) }),
      ...(failure && {
        result: 'FAILED',
        resMessage: Buffer.from(failure.message).toString('hex'),
      }),
      ...(internal.length > 0 && { internal_transactions: internal.map(printInternal) }),
    },
  }
}

/** The used resources and fees of a transaction in the node's format. */
export function printReceipt(bill: Bill, total = 0n): NonNullable<TransactionInfo['receipt']> {
  return withoutZeros({
    energy_usage: bill.energyUsage,
    energy_fee: bill.energyFee,
    origin_energy_usage: bill.originEnergyUsage,
    energy_usage_total: total,
    net_usage: bill.netUsage,
    net_fee: bill.netFee,
  }) as NonNullable<TransactionInfo['receipt']>
}

/** Amounts in the node's format: without zeros, with safe integers as numbers. */
export function withoutZeros<name extends string>(
  amounts: Record<name, bigint>,
): Partial<Record<name, number | bigint>> {
  const printed: Partial<Record<name, number | bigint>> = {}
  for (const [name, amount] of Object.entries(amounts) as [name, bigint][])
    if (amount !== 0n) printed[name] = printInt(amount)
  return printed
}

/** An int64 as a JSON value: a number if it is safe, otherwise a bigint. */
export function printInt(amount: bigint): number | bigint {
  const number = Number(amount)
  return Number.isSafeInteger(number) ? number : amount
}
