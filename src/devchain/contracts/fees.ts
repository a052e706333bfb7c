import { toBase58 } from '../../lib/base58.ts'
import { RefusedError } from '../state/errors.ts'
import type { Account, ContractRecord } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import { consume, consumeFree, recovered, stakeLimit } from '../state/resources.ts'
import type { State } from '../state/state.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import { min } from './limits.ts'
import { burn, hex, updateAccount } from './types.ts'

/** The fees of a transaction in sun, and its used resources in points. */
export type Bill = {
  netUsage: bigint
  netFee: bigint
  energyUsage: bigint
  energyFee: bigint
  originEnergyUsage: bigint
  extraFee: bigint
}

/** A bill without fees. */
export const emptyBill = (): Bill => ({
  netUsage: 0n,
  netFee: 0n,
  energyUsage: 0n,
  energyFee: 0n,
  originEnergyUsage: 0n,
  extraFee: 0n,
})

/** Bytes that are charged for the result of a transaction. */
const RESULT_SIZE = 64

/** Bytes of a signature that do not count against the size limit for new accounts. */
const SIGNATURE_SIZE = 65

/**
 * Charges bandwidth for a transaction: from the stake, then from the free points of the day, otherwise in coins.
 *
 * @throws RefusedError when the account cannot pay or does not exist.
 */
export function payBandwidth(
  state: State,
  transaction: ChainTransaction,
  clock: { now: number; slot: bigint },
): Pick<Bill, 'netUsage' | 'netFee'> {
  const owner = hex(transaction.value, 'owner_address')
  const account = state.get('account', owner)
  if (!account)
    throw new RefusedError('CONTRACT_VALIDATE_ERROR', `account [${toBase58(owner)}] does not exist`)
  const bytes = BigInt(transaction.size + RESULT_SIZE)
  const { now: latestOperation, slot } = clock
  const stakeFree = stakeLimit(state, account, 'BANDWIDTH') - recovered(account.net, slot)

  const isCreation = createsAccount(state, transaction)
  if (isCreation) {
    const size = transaction.size - transaction.signatures.length * SIGNATURE_SIZE
    const max = parameter(state, 'getMaxCreateAccountTxSize')
    if (BigInt(size) > max)
      throw new RefusedError(
        'TOO_BIG_TRANSACTION_ERROR',
        `Too big new account transaction, TxId ${transaction.id}, the size is ${size} bytes, maxTxSize ${max}`,
      )
  }
  const points = isCreation ? bytes * parameter(state, 'getCreateNewAccountBandwidthRate') : bytes
  if (points <= stakeFree) {
    updateAccount(state, owner, ({ net }) => ({
      net: consume(state, net, points, slot),
      latestOperation,
    }))
    return { netUsage: points, netFee: 0n }
  }
  const free = parameter(state, 'getFreeNetLimit') - recovered(account.freeNet, slot)
  if (!isCreation && bytes <= free) {
    updateAccount(state, owner, ({ freeNet }) => ({
      freeNet: consumeFree(freeNet, bytes, slot),
      latestOperation,
    }))
    return { netUsage: bytes, netFee: 0n }
  }
  const fee = isCreation
    ? parameter(state, 'getCreateAccountFee')
    : bytes * parameter(state, 'getTransactionFee')
  return { netUsage: 0n, netFee: payCoins(state, owner, fee, latestOperation) }
}

function payCoins(state: State, owner: string, fee: bigint, latestOperation: number): bigint {
  const { balance } = state.get('account', owner) as Account
  if (balance < fee)
    throw new RefusedError('BANDWITH_ERROR', 'Account resource insufficient error.')
  updateAccount(state, owner, () => ({ latestOperation }))
  burn(state, owner, fee)
  return fee
}

function createsAccount(state: State, { type, value }: ChainTransaction): boolean {
  if (type === 'AccountCreateContract') return true
  if (type !== 'TransferContract' && type !== 'TransferAssetContract') return false
  return state.get('account', hex(value, 'to_address')) === undefined
}

/** Charges for several signatures and a memo. @throws RefusedError when the balance is insufficient. */
export function payExtras(state: State, transaction: ChainTransaction): bigint {
  const owner = hex(transaction.value, 'owner_address')
  const fee =
    (transaction.signatures.length > 1 ? parameter(state, 'getMultiSignFee') : 0n) +
    (transaction.memo === '' ? 0n : parameter(state, 'getMemoFee'))
  if (fee === 0n) return 0n
  if ((state.get('account', owner) as Account).balance < fee)
    throw new RefusedError('BANDWITH_ERROR', 'Account resource insufficient error.')
  burn(state, owner, fee)
  return fee
}

/**
 * Charges the energy of a run: the creator's share from the creator's stake, then from the caller's stake, the rest in
 * coins.
 *
 * @throws RefusedError CONTRACT_EXE_ERROR when the caller has too few coins.
 */
export function payEnergy(
  state: State,
  options: payEnergy.Options,
): Pick<Bill, 'energyUsage' | 'energyFee' | 'originEnergyUsage'> {
  const { contract, owner, slot, now, total, succeeded } = options
  if (succeeded) {
    // A successful run updates the earlier use to the current slot, even if it used no energy.
    for (const address of new Set([owner, contract.origin]))
      if (state.get('account', address))
        updateAccount(state, address, ({ energy }) => ({
          energy: consume(state, energy, 0n, slot),
        }))
  }
  if (total === 0n) return { energyUsage: 0n, energyFee: 0n, originEnergyUsage: 0n }
  const use = (address: string, amount: bigint) =>
    updateAccount(state, address, ({ energy }) => ({
      energy: consume(state, energy, amount, slot),
      latestOperation: now,
    }))

  let originEnergyUsage = 0n
  if (contract.origin !== owner && state.get('account', contract.origin)) {
    const percent = 100n - contract.userPercent
    originEnergyUsage = min(
      (total * percent) / 100n,
      min(options.originLeft, contract.originEnergyLimit),
    )
    use(contract.origin, originEnergyUsage)
  }
  const callerUsage = total - originEnergyUsage
  if (options.callerLeft >= callerUsage) {
    use(owner, callerUsage)
    return { energyUsage: callerUsage, energyFee: 0n, originEnergyUsage }
  }
  use(owner, options.callerLeft)
  const energyFee = (callerUsage - options.callerLeft) * parameter(state, 'getEnergyFee')
  const { balance } = state.get('account', owner) as Account
  if (balance < energyFee)
    throw new RefusedError('CONTRACT_EXE_ERROR', `${owner} insufficient balance`)
  burn(state, owner, energyFee)
  return { energyUsage: options.callerLeft, energyFee, originEnergyUsage }
}

export declare namespace payEnergy {
  type Options = {
    contract: Pick<ContractRecord, 'origin' | 'userPercent' | 'originEnergyLimit'>
    owner: string
    slot: bigint
    now: number
    total: bigint
    callerLeft: bigint
    originLeft: bigint
    succeeded: boolean
  }
}
