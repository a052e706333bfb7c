import { createBlocks } from '../../src/chain/blocks/blocks.ts'
import { createChain } from '../../src/chain/chain.ts'
import { type Config, createConfig } from '../../src/config/config.ts'
import { createScriptedChain, type Script } from './chain.ts'
import { createSteeredHead } from './steeredHead.ts'

/** A view of a scripted chain with the given blocks 1, 2, …. The test moves its head. */
export function createScriptedView({
  config: given = {},
  scripts,
  solid,
  view = 'full',
  window,
}: createScriptedView.Options) {
  const node = createScriptedChain()
  for (const script of scripts) node.mine(script)
  const head = createSteeredHead(node, window === undefined ? {} : { window })
  const { native } = node
  const config = createConfig(given)
  const blocks = createBlocks({ cacheBytes: config.cacheBytes, head, native })
  node.solidify(solid)
  head.follow(solid)
  const hash = (number: number) => {
    const block = node.canonical()[number]
    if (!block) throw new Error(`no block ${number}`)
    return block.hash
  }
  const genesis = hash(0)
  const chain = createChain({ blocks, chainId: 1, config, genesis, head, native, view })
  return { blocks, chain, hash, head, node }
}

export declare namespace createScriptedView {
  type Options = {
    scripts: readonly Script[]
    /** Number of the solidified block. */
    solid: number
    config?: Partial<Config>
    view?: 'full' | 'solid'
    /** Number of blocks that the head has. */
    window?: number
  }
}
