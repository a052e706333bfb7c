import { connectFork, type Fork, keptForkBlock } from '../index.ts'

export type { connectFork } from '../index.ts'

/**
 * Opens the fork of a chain. Without a block number it uses the one in the state file, if there is one.
 *
 * @throws Error whose message says what is wrong with the node
 */
export async function openFork(
  options: connectFork.Options | undefined,
  stateFile: string | undefined,
): Promise<Fork | undefined> {
  if (!options) return undefined
  const stored = stateFile === undefined ? undefined : keptForkBlock(stateFile)
  try {
    return await connectFork({ ...options, number: options.number ?? stored })
  } catch (error) {
    throw new Error(`--fork${originOf(options.url)}: ${(error as Error).message}`, { cause: error })
  }
}

/** An address without path and credentials, which may contain keys; empty for an invalid address. */
function originOf(url: string): string {
  return URL.canParse(url) ? ` ${new URL(url).origin}` : ''
}

/** Lines that describe a fork: its block, and which state is exact at that block. */
export function describeFork({ block, reach }: Fork): string {
  const kinds = { balance: 'balances', code: 'code', storage: 'storage', nonce: 'nonces' }
  const of = (wanted: string) =>
    Object.entries(kinds)
      .filter(([kind]) => reach[kind as keyof typeof kinds] === wanted)
      .map(([, words]) => words)
  const exact = of('block')
  const now = [...of('now'), 'everything else']
  const notes = [
    ...(exact.length > 0 ? [`           exact at that block: ${exact.join(', ')}`] : []),
    `           as of its first read: ${now.join(', ')}`,
    ...(reach.storage === 'none'
      ? ['           contract storage cannot be read: give the node’s JSON-RPC with --fork-rpc']
      : []),
    ...(reach.nonce === 'none'
      ? ['           nonces begin at 0: the chain does not count them']
      : []),
  ]
  return `Fork       block ${block.header.number} (0x${block.id})\n${notes.join('\n')}\n`
}
