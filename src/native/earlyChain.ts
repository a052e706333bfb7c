import type { NativeClient } from './client.ts'

/** Height up to which stakes do not pay for energy on chains of real nodes. */
const STAKES_PAY_FROM = 4_727_890

/**
 * Whether stakes pay for energy at a height. On a young private chain of real nodes only coins do. A development chain has the
 * rules of the public network from its first block on.
 */
export async function stakesPayEnergy(native: NativeClient, height: number): Promise<boolean> {
  if (height >= STAKES_PAY_FROM) return true
  const { machineInfo } = await native.wallet.getNodeInfo()
  return machineInfo?.osName === 'ethgate devchain'
}
