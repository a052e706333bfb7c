import type { RpcBlock } from '../../codec/types.ts'
import { fromPrepared, type Prepared } from '../../lib/prepared.ts'

/** Members of a block that are not in its header. */
const NOT_OF_HEADER = new Set(['size', 'transactions', 'uncles', 'withdrawals'])

/** The header of a block as geth shows it. */
function headerOf(block: RpcBlock): Record<string, unknown> {
  return Object.fromEntries(Object.entries(block).filter(([name]) => !NOT_OF_HEADER.has(name)))
}

/** The header of a block of the chain; null when there is none. */
export function headerOrNull(
  block: Prepared<RpcBlock> | undefined,
): Record<string, unknown> | null {
  return block ? headerOf(fromPrepared(block)) : null
}
