import type { Hash } from 'viem'

import type { DevChain } from '../../index.ts'

/** The first block of this chain: on a fork the one after the fork block. */
const firstOwnBlock = ({ fork }: DevChain) => (fork?.block.header.number ?? 0) + 1

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
