import type { Request } from './build.ts'

/** What a transaction costs if it is sent now. Amounts in the unit of the address that is asked: sun, or wei at `/wei`. */
export type FeeQuote = {
  /**
   * Units of energy: all, and the parts that the stakes of the contract's creator and of the sender pay and that the sender pays in
   * coins. `factor`: how much more a busy contract costs, in ten-thousandths; `total` includes it. `price`: of one unit.
   */
  energy: Record<'burned' | 'factor' | 'fromCreator' | 'fromSender' | 'price' | 'total', bigint>
  bandwidth: { points: bigint; paidBy: 'coins' | 'free' | 'stake' }
  /** What the sender pays: in all, for energy, for bandwidth, for the creation of an account. */
  fee: Record<'account' | 'bandwidth' | 'energy' | 'total', bigint>
  /** The same total in coins, as text. */
  coins: string
  /** A fee limit that is enough for the whole transaction; 0 for a transfer, which needs none. */
  feeLimit: bigint
  /** Why the fee limit is higher than the fee. */
  reason: string
}

/** A call as a transaction. Without `to`, `data` is creation code. */
export type QuotedCall = {
  from: `0x${string}`
  to?: `0x${string}` | null | undefined
  data?: `0x${string}` | undefined
  /** In the unit of the address that is asked. */
  value?: bigint | undefined
}

/** Asks the gateway for the quote of a call. @throws the error of the request, such as a revert */
export async function readQuote(
  request: Request,
  { data, from, to, value = 0n }: QuotedCall,
): Promise<FeeQuote> {
  const call = { from, ...(to && { to }), ...(data && { data }), value: `0x${value.toString(16)}` }
  const quote = (await request('ethgate_feeQuote', [call])) as {
    energy: Record<keyof FeeQuote['energy'], string>
    bandwidth: { points: string; paidBy: FeeQuote['bandwidth']['paidBy'] }
    fee: Record<keyof FeeQuote['fee'], string>
    coins: string
    feeLimit: string
    reason: string
  }
  const { bandwidth, coins, energy, fee, feeLimit, reason } = quote
  return {
    energy: amounts(energy),
    bandwidth: { points: BigInt(bandwidth.points), paidBy: bandwidth.paidBy },
    fee: amounts(fee),
    coins,
    feeLimit: BigInt(feeLimit),
    reason,
  }
}

function amounts<name extends string>(given: Record<name, string>): Record<name, bigint> {
  const entries = Object.entries<string>(given).map(([name, text]) => [name, BigInt(text)])
  return Object.fromEntries(entries) as Record<name, bigint>
}
