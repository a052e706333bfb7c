import type { Config } from '../../config/config.ts'

/** What creates the simulator of `--simulate`; undefined when it is off. The EVM is loaded only then. */
export async function simulatorFor({ simulate }: Pick<Config, 'simulate'>) {
  if (simulate === 'off') return undefined
  return (await import('../../devchain/simulator/simulator.ts')).createSimulator
}
