import { createNativeClient, signTransaction } from '../../src/sdk/client.ts'
import { keys, labels } from './recordedChain.ts'

/** The contract of the recorded chain whose `set` emits one event. */
export const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}` as const

/** Sends transactions that emit one event of the Kitchen each to a node that produces blocks. Returns their hashes. */
export async function emitEvents(url: string, count: number, first = 1): Promise<`0x${string}`[]> {
  const node = createNativeClient(url)
  const hashes: `0x${string}`[] = []
  try {
    for (let value = first; value < first + count; value++) {
      const { transaction } = await node.wallet.triggerSmartContract({
        owner_address: keys.bob.hex,
        contract_address: labels.contracts.Kitchen.address,
        function_selector: 'set(uint256)',
        parameter: value.toString(16).padStart(64, '0'),
        fee_limit: 100_000_000,
      })
      if (!transaction) throw new Error('the node built no transaction')
      hashes.push(`0x${await node.send(signTransaction(transaction, keys.bob.pk))}`)
    }
  } finally {
    await node.close()
  }
  return hashes
}
