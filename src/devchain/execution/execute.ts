import { type Bill, emptyBill, payBandwidth, payEnergy, payExtras } from '../contracts/fees.ts'
import { printReceipt, printRun, withoutZeros } from '../contracts/printing.ts'
import { runSmart } from '../contracts/smart.ts'
import { type Execution, hex } from '../contracts/types.ts'
import { RefusedError, invalid } from '../state/errors.ts'
import { slotOf } from '../state/resources.ts'
import { createOverlay, type Overlay, type State } from '../state/state.ts'
import { checkSigners } from '../transactions/permissions.ts'
import type { ChainTransaction, EthereumTransaction } from '../transactions/transaction.ts'
import { applyEthereum } from './executeEthereum.ts'
import type { Applied, BalanceChange, ExecutionContext } from './execution.ts'

const MAX_SIZE = 500 * 1024
const RESULT_SIZE = 64
const DAY = 86_400_000

/**
 * Checks a transaction as the node does, in the same order, then executes it. A rejected transaction does not change the
 * state.
 *
 * @throws RefusedError with the code and text of the broadcast answer; EthereumError for an Ethereum transaction.
 */
export async function applyTransaction(
  state: State,
  transaction: ChainTransaction,
  context: ExecutionContext,
): Promise<Applied> {
  const work = createOverlay(state)
  if (isEthereum(transaction)) {
    const applied = await applyEthereum(work, transaction, context)
    const balances = balanceChanges(state, work)
    work.commit()
    return { ...applied, balances }
  }
  checkReference(transaction, context)
  checkCommon(transaction, context)
  if (context.isKnown(transaction.id))
    throw new RefusedError('DUP_TRANSACTION_ERROR', 'Dup transaction.')
  checkSigners(work, transaction)

  const clock = { now: context.headTime, slot: slotOf(context.headTime) }
  const bill = emptyBill()
  Object.assign(bill, payBandwidth(work, transaction, clock))
  bill.extraFee = payExtras(work, transaction)

  const applied = isSmart(transaction.type)
    ? await applySmart(work, transaction, context, bill)
    : applyNative(work, transaction, { ...clock, types: context.types }, bill)
  const balances = balanceChanges(state, work)
  work.commit()
  return { ...applied, balances }
}

function balanceChanges(before: State, after: Overlay): BalanceChange[] {
  const changes: BalanceChange[] = []
  for (const name of after.changes().keys()) {
    if (!name.startsWith('account:')) continue
    const address = name.slice('account:'.length)
    const old = before.get('account', address)?.balance ?? 0n
    const amount = (after.get('account', address)?.balance ?? 0n) - old
    if (amount !== 0n) changes.push({ address, amount })
  }
  return changes
}

/** Whether a transaction was sent as an Ethereum transaction. */
const isEthereum = (
  transaction: ChainTransaction,
): transaction is ChainTransaction & { ethereum: EthereumTransaction } =>
  transaction.ethereum !== undefined

/** Whether the EVM executes a contract type. */
export const isSmart = (type: string): type is 'CreateSmartContract' | 'TriggerSmartContract' =>
  type === 'CreateSmartContract' || type === 'TriggerSmartContract'

/** Checks the lifetime. @throws RefusedError when the transaction has expired or expires too late. */
export function checkExpiration({ expiration }: ChainTransaction, headTime: number): void {
  if (expiration <= headTime || expiration > headTime + DAY)
    throw new RefusedError('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired')
}

function checkReference(transaction: ChainTransaction, context: ExecutionContext): void {
  if (context.refBlockHash(transaction.refBlockBytes) !== transaction.refBlockHash)
    throw new RefusedError('TAPOS_ERROR', 'Tapos check error.')
}

function checkCommon(transaction: ChainTransaction, context: ExecutionContext): void {
  const size = transaction.size + 2 * RESULT_SIZE
  if (size > MAX_SIZE)
    throw new RefusedError(
      'TOO_BIG_TRANSACTION_ERROR',
      `Too big transaction with result, TxId ${transaction.id}, the size is ${size} bytes, maxTxSize ${MAX_SIZE}`,
    )
  checkExpiration(transaction, context.headTime)
}

function applyNative(
  state: State,
  transaction: ChainTransaction,
  { types, ...clock }: { now: number; slot: bigint; types: ExecutionContext['types'] },
  bill: Bill,
): Omit<Applied, 'balances'> {
  const type = types[transaction.type]
  if (!type) return invalid(`contract type ${transaction.type} is not executed by this chain`)
  const execution: Execution = {
    state,
    value: transaction.value,
    owner: hex(transaction.value, 'owner_address'),
    transactionId: transaction.id,
    ...clock,
  }
  type.validate(execution)
  const { fee = 0n, info } = type.execute(execution) ?? {}
  return {
    results: [{ contractRet: 'SUCCESS' }],
    info: {
      id: transaction.id,
      ...withoutZeros({ fee: fee + bill.netFee + bill.extraFee }),
      contractResult: [''],
      receipt: printReceipt(bill),
      ...info,
    },
  }
}

async function applySmart(
  state: State,
  transaction: ChainTransaction,
  context: ExecutionContext,
  bill: Bill,
): Promise<Omit<Applied, 'balances'>> {
  const owner = hex(transaction.value, 'owner_address')
  const slot = slotOf(context.headTime)
  const result = await runSmart(state, {
    type: transaction.type as 'CreateSmartContract' | 'TriggerSmartContract',
    value: transaction.value,
    owner,
    feeLimit: transaction.feeLimit,
    transactionId: transaction.id,
    block: context.block,
    now: context.headTime,
    slot,
    ...(context.observe && { observe: context.observe }),
  })
  const contract = state.get('contract', result.contractAddress)
  Object.assign(
    bill,
    payEnergy(state, {
      contract: {
        origin: transaction.type === 'CreateSmartContract' ? owner : (contract?.origin ?? owner),
        userPercent: contract?.userPercent ?? 100n,
        originEnergyLimit: contract?.originEnergyLimit ?? 0n,
      },
      owner,
      slot,
      now: context.headTime,
      total: result.energyUsed,
      callerLeft: result.callerLeft,
      originLeft: result.originLeft,
      succeeded: !result.failure,
    }),
  )
  return {
    ...(result.printed.length > 0 && { printed: result.printed }),
    ...printRun(transaction.id, result.contractAddress, result, bill),
  }
}
