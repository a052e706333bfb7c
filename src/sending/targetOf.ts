import type { Hex } from 'viem'
import { parseTransaction } from 'viem/utils'

import { toRpcAddress } from '../lib/address.ts'
import { looksLikeEthereum } from './ethereumTransaction.ts'
import { readNativeTransaction } from './readNative.ts'

/**
 * The contract that a raw transaction calls, lower case. Undefined when it calls none, or cannot be read: a transfer of coins
 * has a receiver, but only an Ethereum transaction says no more than that.
 */
export function targetOf(raw: string): string | undefined {
  if (!/^0x(?:[\da-f]{2})+$/i.test(raw)) return undefined
  try {
    if (looksLikeEthereum(raw as Hex))
      return parseTransaction(raw as Hex).to?.toLowerCase() ?? undefined
    const [contract] = readNativeTransaction(raw as Hex).raw_data.contract ?? []
    const value = contract?.parameter?.value as { contract_address?: string } | undefined
    const address = contract?.type === 'TriggerSmartContract' ? value?.contract_address : undefined
    return address && toRpcAddress(address)
  } catch {
    return undefined
  }
}
