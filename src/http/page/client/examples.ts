import { rpc } from './rpc.ts'

type Schema = { type?: string; enum?: unknown[]; default?: unknown }

/** A method in the OpenRPC document. */
export type MethodDoc = {
  name: string
  summary?: string
  params: { name: string; required?: boolean; description?: string; schema: Schema }[]
  examples?: { params: { value: unknown }[] }[]
}

/** Blocks that are searched for a transaction. */
const SEARCHED = 20

/** Values from the newest blocks, by the name of the parameter. */
export async function liveExamples(): Promise<Map<string, unknown>> {
  const examples = new Map<string, unknown>()
  const { result: head } = await rpc('eth_blockNumber', [])
  const newest = Number(head)
  for (let number = newest; number >= Math.max(0, newest - SEARCHED); number--) {
    const { result } = await rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
    const block = result as {
      hash: string
      miner: string
      transactions: { hash: string; from: string; to: string | null }[]
    } | null
    if (!block) break
    const [transaction] = block.transactions
    if (!examples.has('blockHash') || transaction) {
      examples.set('blockHash', block.hash)
      examples.set('block', `0x${number.toString(16)}`)
      examples.set('address', transaction?.from ?? block.miner)
    }
    if (!transaction || number === 0) continue
    examples.set('transactionHash', transaction.hash)
    examples.set('to', transaction.to ?? transaction.from)
    break
  }
  return examples
}

/** Example values of a method: of the chain where the name says what is meant, otherwise of the document. */
export function examplesOf(method: MethodDoc, live: ReadonlyMap<string, unknown>): unknown[] {
  const given = method.examples?.[0]?.params.map(({ value }) => value) ?? []
  return method.params.map(({ name }, index) => live.get(name) ?? given[index])
}
