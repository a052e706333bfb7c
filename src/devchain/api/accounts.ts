import { fromBase58 } from '../../lib/base58.ts'
import { withoutZeros, printInt } from '../contracts/printing.ts'
import { accountRecord } from '../contracts/records.ts'
import { allowanceOf } from '../contracts/vote.ts'
import type { Account, Usage } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import {
  SLOT,
  recovered,
  slotOf,
  stakeLimit,
  totals,
  votingPower,
  COIN,
} from '../state/resources.ts'
import type { StateReader } from '../state/state.ts'
import type { Call, Operations } from './operation.ts'
import { illegalArgument } from './request.ts'
import { spell } from './spelling.ts'

const some = <value>(name: string, list: readonly value[]) =>
  list.length > 0 ? { [name]: list } : {}

const when = (name: string, time: number) => (time > 0 ? { [name]: time } : {})

const time = (usage: Usage) => Number(usage.time) * SLOT

/** The window of a resource, in slots; in thousandths of slots after a use under the finer rule. */
function printWindow(prefix: string, usage: Usage): Record<string, unknown> {
  if (usage.time === 0n || usage.window % 1000n === 0n)
    return { [`${prefix}_window_size`]: Number(usage.window / 1000n) }
  return {
    [`${prefix}_window_size`]: Number(usage.window),
    [`${prefix}_window_optimized`]: true,
  }
}

/** An account in the node's format. `now` is the slot up to which used resources have recovered. */
function printAccount(state: StateReader, account: Account, now: bigint): unknown {
  const { frozen } = account
  return {
    ...accountRecord.print(account),
    ...withoutZeros({
      delegated_frozenV2_balance_for_bandwidth: account.delegated.BANDWIDTH,
      acquired_delegated_frozenV2_balance_for_bandwidth: account.acquired.BANDWIDTH,
      allowance: allowanceOf(state, account.address),
      net_usage: recovered(account.net, now),
      free_net_usage: recovered(account.freeNet, now),
    }),
    ...when('latest_consume_time', time(account.net)),
    ...when('latest_consume_free_time', time(account.freeNet)),
    ...printWindow('net', account.net),
    account_resource: {
      ...withoutZeros({
        energy_usage: recovered(account.energy, now),
        delegated_frozenV2_balance_for_energy: account.delegated.ENERGY,
        acquired_delegated_frozenV2_balance_for_energy: account.acquired.ENERGY,
      }),
      ...when('latest_consume_time_for_energy', time(account.energy)),
      ...printWindow('energy', account.energy),
    },
    frozenV2: [
      withoutZeros({ amount: frozen.BANDWIDTH }),
      { ...withoutZeros({ amount: frozen.ENERGY }), type: 'ENERGY' },
      { ...withoutZeros({ amount: frozen.TRON_POWER }), type: 'TRON_POWER' },
    ],
    ...some(
      'free_asset_net_usageV2',
      Object.keys(account.assets).map((key) => ({ key, value: 0 })),
    ),
  }
}

function accountOf(call: Call, name = 'address'): Account | undefined {
  return call.state.get('account', call.params.hex(name, 'address'))
}

function nets(state: StateReader, account: Account, now: bigint): Record<string, unknown> {
  const { limit, weight } = totals(state, 'BANDWIDTH')
  const assets = Object.keys(account.assets)
  return {
    ...withoutZeros({
      freeNetUsed: recovered(account.freeNet, now),
      freeNetLimit: parameter(state, 'getFreeNetLimit'),
      NetUsed: recovered(account.net, now),
      NetLimit: stakeLimit(state, account, 'BANDWIDTH'),
    }),
    ...some(
      'assetNetUsed',
      assets.map((key) => ({ key, value: 0 })),
    ),
    ...some(
      'assetNetLimit',
      assets.map((key) => ({ key, value: printInt(state.get('asset', key)?.freeNetLimit ?? 0n) })),
    ),
    ...withoutZeros({ TotalNetLimit: limit, TotalNetWeight: weight }),
  }
}

const slotNow = (call: Call) => slotOf(call.newest.header.timestamp)

/** The account queries. */
export const accountOperations: Operations = {
  getaccount: {
    run(call) {
      const account = accountOf(call)
      if (!account) return {}
      return spell(printAccount(call.state, account, slotNow(call)), call.params.visible)
    },
  },

  getaccountbyid: {
    run(call) {
      const id = call.params.hex('account_id', 'text')
      const address = call.state.get('accountId', Buffer.from(id, 'hex').toString().toLowerCase())
      const account = address ? call.state.get('account', address) : undefined
      if (!account) return {}
      return spell(printAccount(call.state, account, slotNow(call)), call.params.visible, [
        'account_id',
      ])
    },
  },

  getaccountnet: {
    prefix: 'wallet',
    run(call) {
      const account = accountOf(call)
      return account ? nets(call.state, account, slotNow(call)) : {}
    },
  },

  getaccountresource: {
    prefix: 'wallet',
    run(call) {
      const account = accountOf(call)
      if (!account) return {}
      const { limit, weight } = totals(call.state, 'ENERGY')
      const votes = account.votes.reduce((sum, { count }) => sum + count, 0n)
      return {
        ...nets(call.state, account, slotNow(call)),
        ...withoutZeros({
          tronPowerUsed: votes,
          tronPowerLimit: votingPower(account) / COIN,
          TotalTronPowerWeight: call.state.get('property', 'totalPowerWeight') ?? 0n,
          EnergyUsed: recovered(account.energy, slotNow(call)),
          EnergyLimit: stakeLimit(call.state, account, 'ENERGY'),
          TotalEnergyLimit: limit,
          TotalEnergyWeight: weight,
        }),
      }
    },
  },

  getaccountbalance: {
    prefix: 'wallet',
    get: 'refuse',
    run({ ledger, params }) {
      const account = params.json['account_identifier'] as { address?: string } | undefined
      const wanted = params.json['block_identifier'] as
        | { hash?: string; number?: number }
        | undefined
      if (!account?.address) throw illegalArgument('account_identifier address is null')
      if (!wanted) throw illegalArgument('block_identifier null')
      const number = wanted.number ?? 0
      if (wanted.hash?.length !== 64)
        throw illegalArgument('block_identifier hash length not equals 32')
      const block = ledger.block(number)
      if (!block || block.id !== wanted.hash) throw illegalArgument('number and hash do not match')
      const key = params.visible
        ? fromBase58(account.address).toString('hex')
        : account.address.replace(/^0x/, '').toLowerCase()
      const changed = balanceChange(ledger, key, number)
      const at = ledger.block(changed ?? number) ?? block
      return {
        balance: printInt(ledger.stateAt(number).get('account', key)?.balance ?? 0n),
        block_identifier: {
          hash: at.id,
          ...(at.header.number > 0 && { number: at.header.number }),
        },
      }
    },
  },

  getblockbalance: {
    prefix: 'wallet',
    get: 'refuse',
    run({ ledger, params }) {
      const number = Number(params.int('number'))
      const hash = params.hex('hash')
      if (hash.length !== 64) throw illegalArgument('block_identifier hash length not equals 32')
      const block = ledger.block(number)
      if (block?.id !== hash) throw illegalArgument('number and hash do not match')
      const transaction_balance_trace = block.transactions.map(
        ({ transaction, results, balances }) => ({
          transaction_identifier: transaction.id,
          ...some(
            'operation',
            balances.map(({ address, amount }, index) => ({
              operation_identifier: index,
              address,
              amount: printInt(amount),
            })),
          ),
          type: transaction.type,
          status: results[0]?.contractRet ?? 'SUCCESS',
        }),
      )
      return spell(
        {
          block_identifier: { hash: block.id, ...(number > 0 && { number }) },
          timestamp: block.header.timestamp,
          transaction_balance_trace,
        },
        params.visible,
      )
    },
  },
}

/** The newest height up to `number` at which an account's balance changed. */
function balanceChange(ledger: Call['ledger'], key: string, number: number): number | undefined {
  let height = ledger.changedAt('account', key, number)
  while (height !== undefined) {
    const before = height > 0 ? ledger.changedAt('account', key, height - 1) : undefined
    const old =
      before === undefined ? 0n : (ledger.stateAt(before).get('account', key)?.balance ?? 0n)
    if ((ledger.stateAt(height).get('account', key)?.balance ?? 0n) !== old) return height
    height = before
  }
  return undefined
}
