import { delegable } from '../contracts/delegate.ts'
import { MAX_UNFREEZINGS, matured } from '../contracts/freeze.ts'
import { withoutZeros } from '../contracts/printing.ts'
import type { Resource } from '../state/model.ts'
import { slotOf } from '../state/resources.ts'
import type { Call, Operations } from './operation.ts'
import { spell } from './spelling.ts'

function delegations(call: Call) {
  const { params, state } = call
  const from = params.hex('fromAddress', 'address')
  const to = params.hex('toAddress', 'address')
  const of = (resource: Resource, locked: string) =>
    state.get('delegation', `${from}/${to}/${resource}${locked}`)
  const rows = ['', '/locked'].flatMap((locked) => {
    const net = of('BANDWIDTH', locked)
    const energy = of('ENERGY', locked)
    if (!net && !energy) return []
    return [
      {
        from,
        to,
        ...withoutZeros({
          frozen_balance_for_bandwidth: net?.amount ?? 0n,
          frozen_balance_for_energy: energy?.amount ?? 0n,
          expire_time_for_bandwidth: BigInt(net?.expires ?? 0),
          expire_time_for_energy: BigInt(energy?.expires ?? 0),
        }),
      },
    ]
  })
  return rows.length > 0 ? { delegatedResource: spell(rows, params.visible) } : {}
}

function delegationIndex(call: Call) {
  const account = call.params.hex('value', 'address')
  const to = call.state.get('delegationIndex', `from/${account}`) ?? []
  const from = call.state.get('delegationIndex', `to/${account}`) ?? []
  return spell(
    {
      account,
      ...(from.length > 0 && { fromAccounts: from }),
      ...(to.length > 0 && { toAccounts: to }),
    },
    call.params.visible,
  )
}

/** The staking queries. */
export const stakeOperations: Operations = {
  getdelegatedresource: { run: () => ({}) },
  getdelegatedresourceaccountindex: {
    run: ({ params }) => spell({ account: params.hex('value', 'address') }, params.visible),
  },
  getdelegatedresourcev2: { run: delegations },
  getdelegatedresourceaccountindexv2: { run: delegationIndex },

  getcandelegatedmaxsize: {
    run(call) {
      const account = call.state.get('account', call.params.hex('owner_address', 'address'))
      if (!account) return {}
      const resource = call.params.int('type') === 1n ? 'ENERGY' : 'BANDWIDTH'
      const slot = slotOf(call.newest.header.timestamp)
      const free = delegable({ state: call.state, slot, building: true }, account, resource)
      return withoutZeros({ max_size: free > 0n ? free : 0n })
    },
  },

  getavailableunfreezecount: {
    run(call) {
      const account = call.state.get('account', call.params.hex('owner_address', 'address'))
      if (!account) return {}
      const { rest } = matured(account, call.newest.header.timestamp)
      return { count: MAX_UNFREEZINGS - rest.length }
    },
  },

  getcanwithdrawunfreezeamount: {
    run(call) {
      const account = call.state.get('account', call.params.hex('owner_address', 'address'))
      if (!account) return {}
      const asked = Number(call.params.int('timestamp'))
      const at = asked > 0 ? asked : call.newest.header.timestamp
      return withoutZeros({ amount: matured(account, at).amount })
    },
  },
}
