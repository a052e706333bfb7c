/** The tools whose requests are recorded. */
export const TOOLS = [
  'viem',
  'ethers',
  'web3',
  'wagmi',
  'hardhat',
  'foundry',
  'ponder',
  'subsquid',
  'graph-node',
  'safe',
  'metamask',
] as const

/** The name of such a tool. */
export type ToolName = (typeof TOOLS)[number]
