import type { Address } from 'viem'

import type { BlockId } from '../../codec/blockRef.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { HistoricalStateError } from '../../lib/errors.ts'
import { hasBalancesOf } from '../../native/capabilities.ts'
import type { NativeClient } from '../../native/client.ts'
import { NodeLacksApiError, NodeRefusedError, NodeUnclearError } from '../../native/errors.ts'
import type { StateRead } from './stateRead.ts'

/** Milliseconds until the gateway asks a node without a balance history for it again. */
const ASK_AGAIN = 60_000

/** For nodes without a balance history: the time, in milliseconds, before which the gateway does not ask for it again. */
const withoutHistory = new WeakMap<NativeClient, number>()

/**
 * The balance of an account in sun, in the state that `source` names; zero when the account does not exist. If the node
 * keeps a history of balances, the balance at a recent block is exact; otherwise it is the balance of the newest state.
 *
 * The account that receives burned coins starts at −2^63 in genesis. A negative balance becomes zero, because an
 * Ethereum quantity has no sign.
 *
 * @throws HistoricalStateError for an old block when the node keeps no history of balances.
 */
export async function balanceAt(address: Address, state: StateRead): Promise<bigint> {
  const { native, source, call } = state
  if (source.at === 'historic') return notNegative(await pastBalance(address, source.block, state))
  const exact = source.block && (await recentBalance(address, source.block, state))
  if (exact !== undefined) return notNegative(exact)
  const operations = source.at === 'solid' ? native.solidity : native.wallet
  const found = await operations.getAccount({ address: toNativeAddress(address) }, call)
  return notNegative(found?.balance)
}

/** The balance at a recent block; undefined when the node keeps no history, or not of this block. */
async function recentBalance(
  address: Address,
  block: BlockId,
  state: StateRead,
): Promise<number | bigint | undefined> {
  if (performance.now() < (withoutHistory.get(state.native) ?? 0)) return undefined
  try {
    return await pastBalance(address, block, state)
  } catch (error) {
    // The node rejects only this block: a lagging node does not have it.
    if (error instanceof NodeUnclearError) return undefined
    if (!(error instanceof HistoricalStateError)) throw error
    if (!(error.cause instanceof NodeRefusedError))
      withoutHistory.set(state.native, performance.now() + ASK_AGAIN)
    return undefined
  }
}

async function pastBalance(
  address: Address,
  block: BlockId,
  { native, call }: StateRead,
): Promise<number | bigint> {
  const { number } = block
  const identifier = { number, hash: block.hash.slice(2) }
  const answer = await asHistory(
    number,
    native.wallet.getAccountBalance(
      {
        account_identifier: { address: toNativeAddress(address) },
        block_identifier: identifier,
      },
      call,
    ),
  )
  const changed = answer?.block_identifier?.number ?? 0
  // A node without history has recorded no change of any account: it answers zero for every block.
  const isUnknown = BigInt(answer?.balance ?? 0) === 0n && changed === number
  if (isUnknown && !(await hasBalancesOf(native, identifier, call)))
    throw new HistoricalStateError(`of block ${number}`)
  return answer?.balance ?? 0
}

async function asHistory<answer>(number: number, call: Promise<answer>): Promise<answer> {
  try {
    return await call
  } catch (error) {
    if (error instanceof NodeLacksApiError || error instanceof NodeRefusedError)
      throw new HistoricalStateError(`of block ${number}`, { cause: error })
    throw error
  }
}

function notNegative(amount: number | bigint | undefined): bigint {
  const sun = BigInt(amount ?? 0)
  return sun > 0n ? sun : 0n
}
