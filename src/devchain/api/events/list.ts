import { toBase58 } from '../../../lib/base58.ts'
import type { ChainBlock } from '../../blocks/block.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { nameLog, type NamedLog } from './decode.ts'

/** An event in the format of the events API. Addresses are base58, times milliseconds. */
export type ChainEvent = NamedLog & {
  block_number: number
  block_timestamp: number
  /** The contract that the transaction called. */
  caller_contract_address: string
  contract_address: string
  /** Index of the log in its transaction. */
  event_index: number
  transaction_id: string
  /** Present while the block is not solidified. */
  _unconfirmed?: true
}

/** The events of a block, in the order of the chain. `contract` (42 hex characters) selects those of one contract. */
export function eventsOf(
  ledger: Ledger,
  { header, infos }: ChainBlock,
  contract?: string,
): ChainEvent[] {
  const unconfirmed = header.number > ledger.solid().header.number
  const state = ledger.newestState()
  return infos.flatMap(({ contract_address: called = '', id, log = [] }) =>
    log.flatMap((entry, index): ChainEvent[] => {
      const address = `41${entry.address ?? ''}`
      if (contract !== undefined && address !== contract) return []
      return [
        {
          block_number: header.number,
          block_timestamp: header.timestamp,
          caller_contract_address: toBase58(called),
          contract_address: toBase58(address),
          event_index: index,
          ...nameLog(entry, state.get('contract', address)?.abi ?? []),
          transaction_id: id,
          ...(unconfirmed && { _unconfirmed: true }),
        },
      ]
    }),
  )
}
