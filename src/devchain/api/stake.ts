import { DELEGATION_SIZE } from '../contracts/delegate.ts'
import { withoutZeros, printInt } from '../contracts/printing.ts'
import type { Resource } from '../state/model.ts'
import { recovered, slotOf, totals, COIN } from '../state/resources.ts'
import type { Call, Operations } from './operation.ts'
import { spell } from './spelling.ts'

/** Maximum number of pending unfreezings of an account. */
const MAX_UNFREEZINGS = 32

const named = (index: bigint): Resource => (index === 1n ? 'ENERGY' : 'BANDWIDTH')

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
      const resource = named(call.params.int('type'))
      const usage = resource === 'ENERGY' ? account.energy : account.net
      // The delegating transaction uses bandwidth too.
      const own = resource === 'BANDWIDTH' ? DELEGATION_SIZE : 0n
      const used = recovered(usage, slotOf(call.newest.header.timestamp)) + own
      const { limit, weight } = totals(call.state, resource)
      const busy = BigInt(
        Math.trunc(Number(used) * Number(COIN) * (Number(weight) / Number(limit))),
      )
      const covered = busy - account.acquired[resource]
      const free = account.frozen[resource] - (covered > 0n ? covered : 0n)
      return withoutZeros({ max_size: free > 0n ? free : 0n })
    },
  },

  getavailableunfreezecount: {
    run(call) {
      const account = call.state.get('account', call.params.hex('owner_address', 'address'))
      const now = call.newest.header.timestamp
      const running = account?.unfreezing.filter(({ expires }) => expires > now).length ?? 0
      return account ? { count: MAX_UNFREEZINGS - running } : {}
    },
  },

  getcanwithdrawunfreezeamount: {
    run(call) {
      const account = call.state.get('account', call.params.hex('owner_address', 'address'))
      if (!account) return {}
      const asked = Number(call.params.int('timestamp'))
      const at = asked > 0 ? asked : call.newest.header.timestamp
      const amount = account.unfreezing
        .filter(({ expires }) => expires <= at)
        .reduce((sum, { amount }) => sum + amount, 0n)
      return amount > 0n ? { amount: printInt(amount) } : {}
    },
  },
}
