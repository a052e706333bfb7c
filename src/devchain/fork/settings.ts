import type { NativeClient } from '../../native/client.ts'
import { stakesPayEnergy } from '../../native/earlyChain.ts'
import { ifServed } from '../../native/errors.ts'
import type { ChainBlock } from '../blocks/block.ts'
import { PARAMETER_KEYS } from '../state/parameters.ts'
import type { Entries } from './base.ts'

/** Reads the state that every block needs: parameters, prices and sums. A node has them only at its newest block. */
export async function readSettings(native: NativeClient, block: ChainBlock): Promise<Entries> {
  const [parameters, energy, bandwidth, memo, maintenance, burned, resource, stakesPay] =
    await Promise.all([
      native.wallet.getChainParameters(),
      native.wallet.getEnergyPrices(),
      native.wallet.getBandwidthPrices(),
      ifServed(native.wallet.getMemoFee()),
      native.wallet.getNextMaintenanceTime(),
      ifServed(native.wallet.getBurnNative()),
      native.wallet.getAccountResource({ address: block.header.witness.slice(0, 42) }),
      stakesPayEnergy(native, block.header.number),
    ])
  const values = new Map(
    (parameters.chainParameter ?? []).map(({ key, value }) => [key, BigInt(value ?? 0)]),
  )
  return [
    ...PARAMETER_KEYS.map((key) => [`parameter:${key}`, values.get(key) ?? 0n] as const),
    ['prices:energy', energy.prices],
    ['prices:bandwidth', bandwidth.prices],
    ['prices:memo', memo?.prices ?? `0:${values.get('getMemoFee') ?? 0n}`],
    ['property:nextMaintenance', BigInt(maintenance.num)],
    ['property:burned', BigInt(burned?.burnNativeAmount ?? 0)],
    ['property:totalNetWeight', BigInt(resource?.TotalNetWeight ?? 0)],
    ['property:totalEnergyWeight', BigInt(resource?.TotalEnergyWeight ?? 0)],
    ['property:totalPowerWeight', BigInt(resource?.totalNativePowerWeight ?? 0)],
    [LAST, stakesPay ? undefined : 1n],
  ]
}

/**
 * Settings that are not in a disk cache: all of them if it is new, some of them if an earlier version wrote it or a process ended while it
 * wrote.
 *
 * @param read - reads all
 */
export async function missingSettings(
  kept: Entries,
  read: () => Promise<Entries>,
): Promise<(readonly [name: string, value: unknown])[]> {
  const names = new Set(Array.from(kept, ([name]) => name))
  const needed = [...PARAMETER_KEYS.map((key) => `parameter:${key}`), LAST]
  if (needed.every((name) => names.has(name))) return []
  return [...(await read())].filter(([name]) => !names.has(name))
}

/** Written after all others. */
const LAST = 'property:stakesPayNoEnergy'
