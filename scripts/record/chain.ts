import type { Block, TransactionInfo } from '../../src/native/wire/types.ts'
import { eachOf, type Recorder } from './recorder.ts'

/** The result of the walk. Later steps request all of it. */
export type Walked = {
  head: number
  blocks: Block[]
  /** Every 21-byte address on the chain, `41…`. */
  addresses: Set<string>
  transactions: string[]
}

/** Every block, transaction and info, in every way that the node lists them, on both prefixes. */
export async function recordChain(recorder: Recorder): Promise<Walked> {
  const newest = (await recorder.ask('/wallet/getnowblock')) as Block
  const head = newest.block_header.raw_data.number ?? 0
  const walked: Walked = { head, blocks: [], addresses: new Set(), transactions: [] }

  await eachOf(Array(head + 1).keys(), async (number) => {
    const block = (await recorder.ask('/wallet/getblockbynum', { num: number })) as Block
    walked.blocks[number] = block
    const infos = (await recorder.ask('/wallet/gettransactioninfobyblocknum', {
      num: number,
    })) as TransactionInfo[]
    collectAddresses([block, infos], walked.addresses)
    for (const transaction of block.transactions ?? []) walked.transactions.push(transaction.txID)
    await recorder.both('getblockbynum', { num: number })
    await recorder.both('getblockbyid', { value: block.blockID })
    await recorder.both('gettransactioninfobyblocknum', { num: number })
    await recorder.both('gettransactioncountbyblocknum', { num: number })
    for (const selector of [String(number), block.blockID])
      for (const detail of [true, false])
        await recorder.both('getblock', { id_or_num: selector, detail })
    await recorder.ask('/wallet/getblockbalance', { hash: block.blockID, number })
  })

  await eachOf(walked.transactions, async (id) => {
    await recorder.both('gettransactionbyid', { value: id })
    await recorder.both('gettransactioninfobyid', { value: id })
    await recorder.ask('/wallet/gettransactionreceiptbyid', { value: id })
    await recorder.ask('/wallet/gettransactionfrompending', { value: id })
  })

  await recorder.both('getnowblock')
  await recorder.ask('/wallet/getnowblock', undefined, { method: 'GET' })
  await recorder.ask('/walletsolidity/getnowblock', undefined, { method: 'GET' })
  await recorder.both('getblock', {})
  await recorder.both('getblock', { detail: true })
  for (const count of [1, 2, 3, 10, 99, 100, 0])
    await recorder.both('getblockbylatestnum', { num: count })
  for (const [startNum, endNum] of [
    [0, 1],
    [3, 5],
    [120, 130],
    [head, head + 5],
    [head + 1, head + 2],
    [5, 5],
    [0, 101],
  ])
    await recorder.both('getblockbylimitnext', { startNum, endNum })
  for (const number of [head + 1, head + 1000, 1e12]) {
    await recorder.both('getblockbynum', { num: number })
    await recorder.both('getblock', { id_or_num: String(number), detail: true })
    await recorder.both('gettransactioninfobyblocknum', { num: number })
    await recorder.both('gettransactioncountbyblocknum', { num: number })
  }
  return walked
}

/** Adds every string that has the shape of a 21-byte address, and log addresses, which lack the first byte. */
function collectAddresses(value: unknown, into: Set<string>): void {
  if (typeof value === 'string' && /^41[0-9a-f]{40}$/.test(value)) into.add(value)
  if (typeof value !== 'object' || value === null) return
  if ('topics' in value && 'address' in value) into.add(`41${String(value.address)}`)
  for (const child of Object.values(value)) collectAddresses(child, into)
}
