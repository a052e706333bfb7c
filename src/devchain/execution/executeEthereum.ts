import { type Bill, emptyBill, payBandwidth, payEnergy } from '../contracts/fees.ts'
import { energyLimits } from '../contracts/limits.ts'
import { printRun } from '../contracts/printing.ts'
import { addBalance, addProperty, createReceiver } from '../contracts/types.ts'
import { balanceOf } from '../state/balance.ts'
import { EthereumError } from '../state/errors.ts'
import { countNonce, nonceOf } from '../state/nonce.ts'
import { parameter } from '../state/parameters.ts'
import { slotOf } from '../state/resources.ts'
import type { State, StateReader } from '../state/state.ts'
import { applyAuthorizations } from '../transactions/authorization.ts'
import type { ChainTransaction, EthereumTransaction } from '../transactions/transaction.ts'
import { createdByTransaction } from '../vm/createdAddress.ts'
import type { VmResult } from '../vm/run.ts'
import type { Applied, ExecutionContext } from './execution.ts'
import { runMessage } from './message.ts'

/** The price of a unit of gas in the next block. */
export function gasPriceOf(state: StateReader, context: Pick<ExecutionContext, 'block'>): bigint {
  return context.block.baseFee ?? parameter(state, 'getEnergyFee')
}

/**
 * What a transaction pays for a unit of gas. With a hardfork of Ethereum, it is the price and the tip, at most what the transaction
 * offers (EIP-1559); the whole offer of a transaction without a tip. The chain itself has no tips.
 */
export function paidPriceOf(
  { fields, maxPrice }: Pick<EthereumTransaction, 'fields' | 'maxPrice'>,
  price: bigint,
  { block: { hardfork }, ethereum }: Pick<ExecutionContext, 'block' | 'ethereum'>,
): bigint {
  if (hardfork === undefined || ethereum.fees !== 'gas') return price
  const tip = fields['maxPriorityFeePerGas']
  return typeof tip === 'string' ? tippedPrice(price, BigInt(tip), maxPrice) : maxPrice
}

/** The base fee and the tip, at most `maxPrice` if there is one (EIP-1559). */
export function tippedPrice(baseFee: bigint, tip: bigint, maxPrice?: bigint): bigint {
  const price = baseFee + tip
  return maxPrice !== undefined && maxPrice < price ? maxPrice : price
}

/**
 * Executes an Ethereum transaction: counts the nonce, runs the message and charges the fee.
 *
 * @throws EthereumError when no block can contain it: wrong nonce, insufficient balance. The state does not change then.
 */
export async function applyEthereum(
  state: State,
  transaction: ChainTransaction & { ethereum: EthereumTransaction },
  context: ExecutionContext,
): Promise<Omit<Applied, 'balances'>> {
  const { ethereum, id } = transaction
  const { from, nonce } = ethereum
  const expected = nonceOf(state, from)
  if (nonce !== expected)
    throw new EthereumError(
      `nonce too ${nonce < expected ? 'low' : 'high'}: expected ${expected}, got ${nonce}`,
    )
  const base = gasPriceOf(state, context)
  const price = paidPriceOf(ethereum, base, context)
  const charge = context.ethereum.fees === 'gas' ? chargeGas : chargeNative
  const { billFor, energyLimit } = charge(state, transaction, context, { base, price })
  countNonce(state, from)
  // They stay when the call reverts.
  const authorized =
    ethereum.authorizations &&
    applyAuthorizations(state, ethereum.authorizations, {
      chainId: context.block.chainId,
      now: context.headTime,
    })
  const to = ethereum.to ?? createdAddress(transaction)
  const { accessList, data, value } = ethereum
  const isCreation = ethereum.to === undefined
  const result = await runMessage(
    state,
    { from, to, isCreation, value, data, gas: energyLimit, accessList, authorized },
    {
      price,
      now: context.headTime,
      transactionId: id,
      constant: false,
      block: context.block,
      addresses: context.ethereum.addresses,
      explain: !context.observe,
      ...(context.observe && { observe: context.observe }),
    },
  )
  return outcome(id, to, result, { bill: billFor(result, to), price, transaction })
}

function createdAddress({
  ethereum,
  id,
}: ChainTransaction & { ethereum: EthereumTransaction }): string {
  return ethereum.creates ?? createdByTransaction(id, ethereum.from)
}

type Charge = (
  state: State,
  transaction: ChainTransaction & { ethereum: EthereumTransaction },
  context: ExecutionContext,
  prices: { base: bigint; price: bigint },
) => { energyLimit: bigint; billFor: (result: VmResult, to: string) => Bill }

/**
 * Charges gas times price from the balance. The base fee is burnt, and the producer of the block gets the rest. With a hardfork of
 * Ethereum, the sender pays for its whole gas limit before the run and gets the unused part back, so contracts see the lower balance.
 */
const chargeGas: Charge = (state, { ethereum: { from, gas, value } }, context, prices) => {
  const { base, price } = prices
  const { hardfork, producer } = context.block
  assertFunds(state, from, value + gas * price)
  const prepaid = hardfork ? gas * price : 0n
  if (prepaid > 0n) addBalance(state, from, -prepaid)
  return {
    energyLimit: gas,
    billFor({ energyUsed }) {
      const energyFee = energyUsed * price
      if (energyFee !== prepaid) addBalance(state, from, prepaid - energyFee)
      if (energyFee > 0n) addProperty(state, 'burned', energyUsed * base)
      if (price > base) {
        createReceiver({ state, now: context.headTime }, producer)
        addBalance(state, producer, energyUsed * (price - base))
      }
      return { ...emptyBill(), energyFee }
    },
  }
}

/** Charges like a native transaction with the same content: bandwidth, then energy from stakes, then coins. */
const chargeNative: Charge = (state, transaction, context, { price }) => {
  const { from: owner, gas, to, value } = transaction.ethereum
  const now = context.headTime
  const slot = slotOf(now)
  const bill: Bill = { ...emptyBill(), ...payBandwidth(state, transaction, { now, slot }) }
  assertFunds(state, owner, value)
  const contract = (to && state.get('contract', to)) || {
    origin: owner,
    userPercent: 100n,
    originEnergyLimit: 0n,
  }
  const limits = energyLimits(state, {
    owner,
    origin: contract.origin,
    shares: contract,
    feeLimit: gas * price,
    callValue: value,
    slot,
  })
  return {
    energyLimit: limits.total < gas ? limits.total : gas,
    billFor: ({ energyUsed, failure }) => ({
      ...bill,
      ...payEnergy(state, {
        contract,
        owner,
        slot,
        now,
        total: energyUsed,
        callerLeft: limits.callerLeft,
        originLeft: limits.originLeft,
        succeeded: !failure,
      }),
    }),
  }
}

/** Checks a balance. @throws EthereumError with geth's message, which libraries recognise. */
export function assertFunds(state: StateReader, address: string, needed: bigint): void {
  const balance = balanceOf(state, address)
  if (balance < needed)
    throw new EthereumError(
      `insufficient funds for gas * price + value: address 0x${address.slice(2)} have ${balance} want ${needed}`,
    )
}

/**
 * The result and the record of a transaction that has run. It shows the price that it pays.
 *
 * @param to - the called account or the created contract.
 */
export function outcome(
  id: string,
  to: string,
  result: VmResult,
  { bill, price, transaction }: { bill: Bill; price: bigint; transaction: ChainTransaction },
): Omit<Applied, 'balances' | 'transaction'> & { transaction: ChainTransaction } {
  const { ethereum } = transaction
  const fields = { ...ethereum?.fields, gasPrice: `0x${price.toString(16)}` }
  return {
    transaction: { ...transaction, ...(ethereum && { ethereum: { ...ethereum, fields } }) },
    ...(result.printed.length > 0 && { printed: result.printed }),
    ...(result.failure?.emptyRevert && { emptyRevert: result.failure.emptyRevert }),
    ...printRun(id, to, result, bill),
  }
}
