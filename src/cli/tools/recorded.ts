import type { ToolName } from './names.ts'
import ethers from './recorded/ethers.json' with { type: 'json' }
import foundry from './recorded/foundry.json' with { type: 'json' }
import graphNode from './recorded/graph-node.json' with { type: 'json' }
import hardhat from './recorded/hardhat.json' with { type: 'json' }
import metamask from './recorded/metamask.json' with { type: 'json' }
import ponder from './recorded/ponder.json' with { type: 'json' }
import safe from './recorded/safe.json' with { type: 'json' }
import subsquid from './recorded/subsquid.json' with { type: 'json' }
import viem from './recorded/viem.json' with { type: 'json' }
import wagmi from './recorded/wagmi.json' with { type: 'json' }
import web3 from './recorded/web3.json' with { type: 'json' }

/**
 * The requests of one tool, each kind once. Words such as `$account` stand for what belongs to a chain. `how` says which release they
 * were recorded from, and how.
 */
export type Recorded = {
  how: string
  requests: readonly { method: string; params: readonly unknown[] }[]
}

/** The recorded requests by tool (test/tools/clients/recordTools.ts). */
export const recorded: Readonly<Record<ToolName, Recorded>> = {
  viem,
  ethers,
  web3,
  wagmi,
  hardhat,
  foundry,
  ponder,
  subsquid,
  'graph-node': graphNode,
  safe,
  metamask,
}
