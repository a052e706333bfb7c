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

/** Values that are right on every chain, by the name of the parameter. */
const FIXED: readonly (readonly [name: string, value: unknown])[] = [
  ['blockNumber', '0x0'],
  ['call', { method: 'eth_blockNumber', params: [] }],
  ['index', '0x0'],
  ['indices', ['0x0']],
  ['kind', 'newHeads'],
  ['message', 'hello'],
  ['nonce', '0x0'],
  ['page', '0x0'],
  ['pageSize', '0x19'],
  ['quantity', '0x0'],
  ['traceTypes', ['trace']],
]

/** Parameters whose value belongs to one chain: without one of this chain they are empty. */
const OF_CHAIN = new Set(['address', 'block', 'blockHash', 'filter', 'to', 'transactionHash'])

/** Values for this chain, the newest where there are several, by the name of the parameter. */
export async function liveExamples(): Promise<Map<string, unknown>> {
  const examples = new Map<string, unknown>(FIXED)
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
  const block = examples.get('block')
  examples.set('filter', { fromBlock: block, toBlock: block })
  return examples
}

/** Example values of a method: of the chain where the name says what is meant, otherwise of the document. */
export function examplesOf(method: MethodDoc, live: ReadonlyMap<string, unknown>): unknown[] {
  const given = method.examples?.[0]?.params.map(({ value }) => value) ?? []
  return method.params.map(({ name, required, schema }, index) => {
    // The page of `ethgate_getLogs` is an object, that of others a number.
    if (name === 'page' && schema.type === 'object') return { filter: live.get('filter') }
    if (!required && given[index] === undefined) return undefined
    return live.get(name) ?? (OF_CHAIN.has(name) ? undefined : given[index])
  })
}
