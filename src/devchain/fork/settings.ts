import type { NativeClient } from '../../native/client.ts'
import { NodeLacksApiError } from '../../native/errors.ts'
import type { ChainBlock } from '../blocks/block.ts'
import { PARAMETER_KEYS } from '../state/parameters.ts'
import type { Entries } from './base.ts'

/** Height up to which stakes do not pay for energy on chains of real nodes. */
const STAKES_PAY_FROM = 4_727_890

/** Reads the state that every block needs: parameters, prices and sums. A node has them only at its newest block. */
export async function readSettings(native: NativeClient, block: ChainBlock): Promise<Entries> {
  const [parameters, energy, bandwidth, memo, maintenance, burned, resource, info] =
    await Promise.all([
      native.wallet.getChainParameters(),
      native.wallet.getEnergyPrices(),
      native.wallet.getBandwidthPrices(),
      optional(native.wallet.getMemoFee()),
      native.wallet.getNextMaintenanceTime(),
      optional(native.wallet.getBurnNative()),
      native.wallet.getAccountResource({ address: block.header.witness.slice(0, 42) }),
      native.wallet.getNodeInfo(),
    ])
  const values = new Map(
    (parameters.chainParameter ?? []).map(({ key, value }) => [key, BigInt(value ?? 0)]),
  )
  // Another development chain has the rules of the public network from its first block on.
  const isDevChain = info.machineInfo?.osName === 'ethgate devchain'
  const isEarly = block.header.number < STAKES_PAY_FROM && !isDevChain
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
    ['property:stakesPayNoEnergy', isEarly ? 1n : undefined],
  ]
}

/** Calls an operation that older nodes do not have; undefined if the node lacks it. */
async function optional<answer>(call: Promise<answer>): Promise<answer | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof NodeLacksApiError) return undefined
    throw error
  }
}
