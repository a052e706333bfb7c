import type { Account as NodeAccount } from '../../native/wire/accountTypes.ts'
import type { Int64 } from '../../native/wire/types.ts'
import { accountRecord } from '../contracts/records.ts'
import { type Account, FULL_WINDOW, type Power, type Usage } from '../state/model.ts'
import { SLOT } from '../state/resources.ts'

const int = (value: Int64 | undefined) => BigInt(value ?? 0)

/**
 * Converts a node's account to this chain's format.
 *
 * @param now - The slot at which the node computed the used resources.
 */
export function readAccount(node: NodeAccount, now: bigint): Account {
  const energy = node.account_resource ?? {}
  return {
    ...accountRecord.read(node),
    frozen: staked(node),
    delegated: {
      BANDWIDTH: int(node.delegated_frozenV2_balance_for_bandwidth),
      ENERGY: int(energy.delegated_frozenV2_balance_for_energy),
    },
    acquired: {
      BANDWIDTH: int(node.acquired_delegated_frozenV2_balance_for_bandwidth),
      ENERGY: int(energy.acquired_delegated_frozenV2_balance_for_energy),
    },
    net: usage(
      node.net_usage,
      node.latest_consume_time,
      now,
      windowOf(node.net_window_size, node.net_window_optimized),
    ),
    freeNet: usage(node.free_net_usage, node.latest_consume_free_time, now, FULL_WINDOW),
    energy: usage(
      energy.energy_usage,
      energy.latest_consume_time_for_energy,
      now,
      windowOf(energy.energy_window_size, energy.energy_window_optimized),
    ),
  }
}

/** Stakes by resource. Stakes of the first kind, from before 2023, count as stakes of the second. */
function staked(node: NodeAccount): Record<Power, bigint> {
  const of = (wanted: Power) =>
    (node.frozenV2 ?? [])
      .filter(({ type = 'BANDWIDTH' }) => type === wanted)
      .reduce((sum, { amount }) => sum + int(amount), 0n)
  const early = (node.frozen ?? []).reduce((sum, item) => sum + int(item.frozen_balance), 0n)
  const earlyEnergy = int(node.account_resource?.frozen_balance_for_energy?.frozen_balance)
  return {
    BANDWIDTH: of('BANDWIDTH') + early,
    ENERGY: of('ENERGY') + earlyEnergy,
    TRON_POWER: of('TRON_POWER'),
  }
}

/** The used part of a resource at the slot for which the node computed it. An unused resource keeps its last time. */
function usage(used: Int64 | undefined, time = 0, now: bigint, window: bigint): Usage {
  const amount = int(used)
  return { used: amount, time: amount > 0n ? now : BigInt(Math.floor(time / SLOT)), window }
}

/** A window in thousandths of slots. The node reports slots until the first use under the finer rule. */
function windowOf(size: number | undefined, isFine = false): bigint {
  if (!size) return FULL_WINDOW
  return BigInt(size) * (isFine ? 1n : 1_000n)
}
