import type { TransactionInfo } from '../../native/wire/types.ts'
import type { Bill } from './fees.ts'
import type { SmartResult } from './smart.ts'

/** A log in the node's format, without empty members. */
export function printLog({ address, topics, data }: SmartResult['logs'][number]) {
  return { address, ...(topics.length > 0 && { topics }), ...(data !== '' && { data }) }
}

/** An internal transaction in the node's format. */
export function printInternal(entry: SmartResult['internal'][number]) {
  return {
    hash: entry.hash,
    caller_address: entry.caller,
    transferTo_address: entry.to,
    callValueInfo: [
      withoutZeros({ callValue: entry.value }),
      ...(entry.token
        ? [{ tokenId: entry.token.id, ...withoutZeros({ callValue: entry.token.amount }) }]
        : []),
    ],
    note: Buffer.from(entry.note).toString('hex'),
    ...(entry.rejected && { rejected: true }),
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
