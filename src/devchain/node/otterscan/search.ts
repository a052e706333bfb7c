import type { Hash } from 'viem'

import type { ChainBlock, DevChain } from '../../index.ts'

/** A transaction of the chain with its block and record. */
export type Found = {
  block: ChainBlock
  index: number
  transaction: ChainBlock['transactions'][number]['transaction']
  info: ChainBlock['infos'][number]
}

/** The first block of this chain: on a fork the one after the fork block. */
export const firstOwnBlock = ({ fork }: DevChain) => (fork?.block.header.number ?? 0) + 1

/** The transactions of a block. Those of genesis are not shown to tools. */
function transactionsOf(block: ChainBlock): Found[] {
  if (block.header.number === 0) return []
  return block.transactions.map(({ transaction }, index) => ({
    block,
    index,
    transaction,
    info: block.infos[index] as Found['info'],
  }))
}

/** Whether a transaction concerns an account: as sender, receiver, new contract, or in an internal transaction. */
function concerns({ info, transaction }: Found, address: string): boolean {
  const { contract_address, internal_transactions = [] } = info
  const { owner_address, to_address } = transaction.value
  return (
    [owner_address, to_address, contract_address].includes(address) ||
    internal_transactions.some(
      ({ caller_address, transferTo_address }) =>
        caller_address === address || transferTo_address === address,
    )
  )
}

/** The transaction that created a contract, and the creator; undefined when there is none. */
export function creationOf(
  chain: DevChain,
  address: string,
): { id: string; creator: string } | undefined {
  const { ledger } = chain
  const note = Buffer.from('create').toString('hex')
  for (const block of ledger.stored(firstOwnBlock(chain), ledger.head().header.number))
    for (const { info, transaction } of transactionsOf(block)) {
      if (info.result === 'FAILED') continue
      if (transaction.type === 'CreateSmartContract' && info.contract_address === address)
        return { id: transaction.id, creator: String(transaction.value['owner_address']) }
      const inside = info.internal_transactions?.find(
        (entry) => entry.note === note && entry.transferTo_address === address && !entry.rejected,
      )
      if (inside) return { id: transaction.id, creator: inside.caller_address ?? '' }
    }
  return undefined
}

/** The Ethereum transaction of an account with a nonce, in a block of this chain. */
export function transactionOfSender(
  chain: DevChain,
  from: string,
  nonce: bigint,
): Hash | undefined {
  const { ledger } = chain
  for (const block of ledger.stored(ledger.head().header.number, firstOwnBlock(chain), -1)) {
    const found = block.transactions.find(
      ({ transaction: { ethereum } }) => ethereum?.from === from && ethereum.nonce === nonce,
    )
    if (found) return `0x${found.transaction.id}`
  }
  return undefined
}

/**
 * A page of an account's transactions. It consists of whole blocks, so it can be longer than `size`. `isComplete`: there are
 * none after it.
 */
export function searchPage(
  { ledger }: DevChain,
  address: string,
  { from, size, step, last }: { from: number; last: number; size: number; step: 1 | -1 },
): { found: Found[]; isComplete: boolean } {
  const found: Found[] = []
  for (const block of ledger.stored(from, last, step)) {
    const wanted = transactionsOf(block).filter((one) => concerns(one, address))
    if (found.length >= size && wanted.length > 0) return { found, isComplete: false }
    found.push(...(step > 0 ? wanted : wanted.toReversed()))
  }
  return { found, isComplete: true }
}
