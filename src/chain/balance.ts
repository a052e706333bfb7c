import type { Address } from 'viem'

import type { BlockId } from '../codec/blockRef.ts'
import { HistoricalStateError } from '../errors.ts'
import { toNativeAddress } from '../lib/address.ts'
import { hasBalancesOf } from '../native/capabilities.ts'
import { NodeLacksApiError, NodeRefusedError } from '../native/errors.ts'
import type { StateRead } from './stateRead.ts'

/**
 * Coins of an account in sun, at the state that `source` names; zero when there is no such account. The account that
 * burned coins are sent to starts at −2^63 in genesis; a debt is reported as zero, because an Ethereum quantity has no sign.
 *
 * @throws HistoricalStateError when the node keeps no history of balances.
 */
export async function balanceAt(address: Address, state: StateRead): Promise<bigint> {
  const { native, source, signal } = state
  if (source.at === 'historic') return positive(await pastBalance(address, source.block, state))
  const operations = source.at === 'solid' ? native.solidity : native.wallet
  const found = await operations.getAccount({ address: toNativeAddress(address) }, { signal })
  return positive(found?.balance)
}

async function pastBalance(
  address: Address,
  block: BlockId,
  { native, signal }: StateRead,
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
      { signal },
    ),
  )
  const changed = answer?.block_identifier?.number ?? 0
  // A node without history knows of no change of any account: it answers zero, as of the very block that was asked for.
  const isUnknown = BigInt(answer?.balance ?? 0) === 0n && changed === number
  if (isUnknown && !(await hasBalancesOf(native, identifier, signal)))
    throw new HistoricalStateError(`of block ${number}`)
  return answer?.balance ?? 0
}

async function asHistory<answer>(number: number, call: Promise<answer>): Promise<answer> {
  try {
    return await call
  } catch (error) {
    if (error instanceof NodeLacksApiError || error instanceof NodeRefusedError)
      throw new HistoricalStateError(`of block ${number}`)
    throw error
  }
}

function positive(amount: number | bigint | undefined): bigint {
  const sun = BigInt(amount ?? 0)
  return sun > 0n ? sun : 0n
}
