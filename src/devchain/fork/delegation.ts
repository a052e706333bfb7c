import type { NativeClient } from '../../native/client.ts'
import type { Delegation } from '../state/model.ts'
import type { Entries } from './base.ts'

/** Reads all delegations from one account to another. `key`: `from/to/…`. */
export async function readDelegation(native: NativeClient, key: string): Promise<Entries> {
  const [from = '', to = ''] = key.split('/')
  const { delegatedResource = [] } = await native.wallet.getDelegatedResourceV2({
    fromAddress: from,
    toAddress: to,
  })
  const found = new Map<string, Delegation | undefined>()
  for (const resource of ['BANDWIDTH', 'ENERGY'])
    for (const end of ['', '/locked'])
      found.set(`delegation:${from}/${to}/${resource}${end}`, undefined)
  const add = (resource: string, amount = 0n, expires = 0) => {
    const name = `delegation:${from}/${to}/${resource}${expires > 0 ? '/locked' : ''}`
    if (amount > 0n) found.set(name, { amount, expires })
  }
  for (const item of delegatedResource) {
    const { frozen_balance_for_bandwidth: net, frozen_balance_for_energy: energy } = item
    add('BANDWIDTH', BigInt(net ?? 0), item.expire_time_for_bandwidth)
    add('ENERGY', BigInt(energy ?? 0), item.expire_time_for_energy)
  }
  return found
}

/** Reads the accounts that an account delegates to (`from/…`) or receives from (`to/…`). */
export async function readDelegationIndex(native: NativeClient, key: string): Promise<Entries> {
  const [, address = ''] = key.split('/')
  const index = await native.wallet.getDelegatedResourceAccountIndexV2({ value: address })
  return [
    [`delegationIndex:from/${address}`, index?.toAccounts ?? []],
    [`delegationIndex:to/${address}`, index?.fromAccounts ?? []],
  ]
}
