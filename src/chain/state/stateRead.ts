import type { Call } from '../../lib/call.ts'
import { HistoricalStateError } from '../../lib/errors.ts'
import type { NativeClient } from '../../native/client.ts'
import type { SolidityOperations } from '../../native/wire/operations.ts'
import type { StateSource } from '../blocks/chainTypes.ts'

/** The node and the state of a read of accounts or contracts. */
export type StateRead = { native: NativeClient; source: StateSource; call?: Call }

/**
 * The operations of the state that `source` names.
 *
 * @throws HistoricalStateError for a past state, of which nodes keep only balances.
 */
export function operationsAt({ native, source }: StateRead): SolidityOperations {
  if (source.at === 'historic') throw new HistoricalStateError(`of block ${source.block.number}`)
  return source.at === 'solid' ? native.solidity : native.wallet
}
