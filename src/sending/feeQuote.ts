import type { Hex } from 'viem'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import { type Call, runCall } from '../chain/state/call.ts'
import { estimateGas } from '../chain/state/estimate.ts'
import { unitsText } from '../codec/coin.ts'
import { toQuantity } from '../codec/quantity.ts'
import { toNativeAddress } from '../lib/address.ts'
import type { Call as Asking } from '../lib/call.ts'
import type { NativeClient } from '../native/client.ts'
import { stakesPayEnergy } from '../native/earlyChain.ts'
import type { AccountResource, Contract } from '../native/wire/accountTypes.ts'
import { createFees, least, pointsOf } from './fees.ts'
import { toNativeTransaction } from './nativeTransaction.ts'
import { LIFETIME } from './signing.ts'

/** What a transaction costs if it is sent now. Energy and bandwidth are in units and points, fees in sun. */
export type FeeQuote = {
  /**
   * `total`: all that the transaction uses now. The stakes of the contract's creator and of the sender pay `fromCreator` and
   * `fromSender`, and the sender pays `burned` in coins. `factor`: how much more each operation of the called contract costs
   * because it is busy, in ten-thousandths; `total` includes it. `price`: sun for one unit.
   */
  energy: Record<'burned' | 'factor' | 'fromCreator' | 'fromSender' | 'price' | 'total', Hex>
  /** `points`: the bytes of the transaction, and 64 for its result. */
  bandwidth: { points: Hex; paidBy: 'stake' | 'free' | 'coins' }
  /** Sun that the sender pays: in all, for energy, for bandwidth, for the creation of an account. */
  fee: Record<'account' | 'bandwidth' | 'energy' | 'total', Hex>
  /** The same total in coins, as text. */
  coins: string
  /** A fee limit, sun, that is enough for the whole transaction; 0 for a transfer, which needs none. */
  feeLimit: Hex
  /** Why the fee limit is higher than the fee. */
  reason: string
}

type Needs = {
  chain: Pick<Chain, 'energyPrice' | 'energyPriceCertainTo' | 'latest' | 'solid'>
  native: NativeClient
  call: Asking
}

/**
 * Quotes the fee of a call as a transaction that is sent now.
 *
 * @throws as `eth_estimateGas`, when the call fails
 */
export async function feeQuote(
  call: Call,
  { call: asking, chain, native }: Needs,
): Promise<FeeQuote> {
  const from = toNativeAddress(call.from)
  const value = call.to && toNativeAddress(call.to)
  const state = { call: asking, native, source: { at: 'latest' } } as const
  const fees = createFees({ chain, native })
  const [info, own, price, parameter, target] = await Promise.all([
    value ? native.wallet.getContractInfo({ value }, asking) : undefined,
    native.wallet.getAccountResource({ address: from }, asking),
    chain.energyPrice(),
    fees.parameters(asking),
    value ? native.wallet.getAccount({ address: value }, asking) : undefined,
  ])
  const hasCode = Boolean(info?.runtimecode)
  const runs = !call.to || hasCode
  const expiration = chain.latest().timestamp + LIFETIME
  const { needed, total } = runs ? await energyOf() : { needed: 0n, total: 0n }
  const feeLimit = runs ? await fees.limit({ expiration, gas: needed }) : 0n
  const shares = await sharesOf(total, info?.smart_contract)

  const isNew = !runs && target === undefined
  const anchor = { block: chain.solid(), expiration, timestamp: chain.latest().timestamp }
  const unsigned = toNativeTransaction({ ...call, feeLimit }, anchor, hasCode)
  const points = pointsOf(unsigned)
  const bandwidth = bandwidthOf(own)
  const energyFee = shares.burned * price
  const accountFee = isNew ? parameter('getCreateNewAccountFeeInSystemContract') : 0n
  const sum = energyFee + bandwidth.fee + accountFee

  return {
    energy: quantities({
      total,
      factor: BigInt(info?.contract_state?.energy_factor ?? 0),
      ...shares,
      price,
    }),
    bandwidth: { points: toQuantity(points), paidBy: bandwidth.paidBy },
    fee: quantities({
      total: sum,
      energy: energyFee,
      bandwidth: bandwidth.fee,
      account: accountFee,
    }),
    coins: unitsText(sum, 6),
    feeLimit: toQuantity(feeLimit),
    reason: runs ? reasonOf() : 'a transfer runs no contract, so it has no fee limit',
  }

  /** The energy that the call uses, and the energy that it needs while it runs. A node without estimates runs it once. */
  async function energyOf() {
    const running = runCall(call, state)
    const [ran, estimate] = await Promise.all([running, estimateGas(call, state, () => running)])
    const used = ran?.energy ?? 0n
    return { total: used, needed: greater(used, estimate) }
  }

  /** Who pays the energy: the creator its share from its stake, then the sender from its stake, the rest in coins. */
  async function sharesOf(total: bigint, contract: Contract | undefined) {
    const creator = contract?.origin_address
    const percent = 100n - BigInt(contract?.consume_user_resource_percent ?? 0)
    const hasCreator = total > 0n && creator !== undefined && creator !== from && percent > 0n
    const ofCreator = hasCreator
      ? energyLeft(await native.wallet.getAccountResource({ address: creator }, asking))
      : 0n
    const left = energyLeft(own)
    const isShared =
      ofCreator + left > 0n && total > 0n && (await stakesPayEnergy(native, chain.latest().number))
    if (!isShared) return { fromCreator: 0n, fromSender: 0n, burned: total }
    const most = BigInt(contract?.origin_energy_limit ?? 0)
    const fromCreator = least(least((total * percent) / 100n, ofCreator), most)
    const fromSender = least(total - fromCreator, left)
    return { fromCreator, fromSender, burned: total - fromCreator - fromSender }
  }

  function bandwidthOf(resource: AccountResource | undefined) {
    const { freeNetLimit = 0, freeNetUsed = 0, NetLimit = 0, NetUsed = 0 } = resource ?? {}
    if (points <= BigInt(NetLimit) - BigInt(NetUsed)) return { paidBy: 'stake', fee: 0n } as const
    if (isNew) return { paidBy: 'coins', fee: parameter('getCreateAccountFee') } as const
    if (points <= BigInt(freeNetLimit) - BigInt(freeNetUsed))
      return { paidBy: 'free', fee: 0n } as const
    return { paidBy: 'coins', fee: points * parameter('getTransactionFee') } as const
  }

  function reasonOf(): string {
    const parts = ['it pays for the whole energy, because stakes can be used up before']
    if (feeLimit > price * total) parts.push('it has room for what the call needs while it runs')
    if (expiration > chain.energyPriceCertainTo())
      parts.push('the price of energy may change before the transaction expires')
    return parts.join('; ')
  }
}

const quantities = <name extends string>(amounts: Record<name, bigint>) =>
  Object.fromEntries(
    Object.entries<bigint>(amounts).map(([name, amount]) => [name, toQuantity(amount)]),
  ) as Record<name, Hex>

function energyLeft(resource: AccountResource | undefined): bigint {
  const left = BigInt(resource?.EnergyLimit ?? 0) - BigInt(resource?.EnergyUsed ?? 0)
  return left > 0n ? left : 0n
}

const greater = (a: bigint, b: bigint) => (a > b ? a : b)
