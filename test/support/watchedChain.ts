import { expect } from 'vitest'

import type { Config } from '../../src/config/config.ts'
import { createScriptedChain, type Script, type ScriptedLog } from './chain.ts'
import { startGateway } from './gateway.ts'
import { until } from './until.ts'

/** A log of a scripted block. */
export const log: ScriptedLog = { address: '33'.repeat(20), topics: ['aa'.repeat(32)] }

/** Another log: neither its address nor its topic is that of `log`. */
export const other: ScriptedLog = { address: '44'.repeat(20), topics: ['bb'.repeat(32)] }

/** `count` blocks with one `log` each. */
export const logBlocks = (count: number): Script[] =>
  Array.from({ length: count }, () => ({ logs: [[log]] }))

/** A scripted chain with the given blocks 1, 2, … and a gateway of it. Both end with the running test. */
export async function startWatchedChain({
  blocks = [],
  config = {},
  solid = 0,
}: startWatchedChain.Options = {}) {
  const chain = createScriptedChain()
  for (const block of blocks) chain.mine(block)
  if (solid > 0) chain.solidify(solid)
  const gateway = await startGateway({ chain, config })
  return {
    chain,
    gateway,
    /** Waits until the gateway has the chain's newest block. */
    sync: () =>
      until(async () => expect(await gateway.rpc('eth_getWork')).toContain(chain.head().hash)),
  }
}

export declare namespace startWatchedChain {
  type Options = {
    blocks?: readonly Script[]
    config?: Partial<Config>
    /** Number of the solidified block. */
    solid?: number
  }
}
