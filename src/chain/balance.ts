import type { Address } from 'viem'

import { toNativeAddress } from '../codec/address.ts'
import type { StateRead } from './stateRead.ts'

/**
 * Coins of an account in sun, at the state that `source` names; zero when there is no such account. The account that
 * burned coins are sent to starts at −2^63 in genesis; a debt is reported as zero, because an Ethereum quantity has no sign.
 *
 * @throws HistoricalStateError when the node keeps no history of balances.
 */
export async function balanceAt(
  address: Address,
  { native, source, signal }: StateRead,
): Promise<bigint> {
  const account = toNativeAddress(address)
  if (source.at !== 'historic') {
    const operations = source.at === 'solid' ? native.solidity : native.wallet
    const found = await operations.getAccount({ address: account }, { signal })
    return positive(found?.balance)
  }
  const { number, hash } = source.block
  const { balance } = await native.wallet.getAccountBalance(
    {
      account_identifier: { address: account },
      block_identifier: { number, hash: hash.slice(2) },
    },
    { signal },
  )
  return positive(balance)
}

function positive(amount: number | bigint | undefined): bigint {
  const sun = BigInt(amount ?? 0)
  return sun > 0n ? sun : 0n
}
