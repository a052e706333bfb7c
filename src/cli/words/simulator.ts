import type { Config } from '../../config/config.ts'
import { loadOptionalPart } from '../../lib/optionalPart.ts'

/** What creates the simulator of `--simulate`; undefined when it is off. The EVM is loaded only then. */
export async function simulatorFor({ simulate }: Pick<Config, 'simulate'>) {
  if (simulate === 'off') return undefined
  // The thread that runs calls imports it.
  try {
    await loadOptionalPart(() => import.meta.resolve('@ethereumjs/evm'))
  } catch (error) {
    if (simulate === 'auto') return undefined
    throw error
  }
  return (await import('../../devchain/simulator/simulator.ts')).createSimulator
}
