import { isObject } from '../../lib/isObject.ts'

/** Fields in which the gateway differs from the node’s own JSON-RPC on purpose. docs/mapping.md has the reasons. */
const DEVIATING_FIELDS: ReadonlySet<string> = new Set([
  'baseFeePerGas',
  'blockTimestamp',
  'chainId',
  'gas',
  'gasLimit',
  'input',
  'logsBloom',
  'nonce',
  'sha3Uncles',
  'stateRoot',
  'transactionsRoot',
  'yParity',
])

/** Quantities that the node pads with zeros. */
const PADDED = new Set(['r', 's', 'v'])

/** Methods that only read and that both sides serve. */
export const COMPARABLE_METHODS: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_chainId',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
])

/** A place where two answers differ: its path in the result, and both values. */
export type Difference = { path: string; ours: unknown; theirs: unknown }

/** Maximum number of differences that one comparison reports. */
const MAX_DIFFERENCES = 20

/** Maximum number of characters of a reported value. */
const MAX_TEXT = 200

/** The places where two results differ, without known deviations. */
export function compareResults(ours: unknown, theirs: unknown): Difference[] {
  const found: Difference[] = []
  visit('', ours, theirs)
  return found

  function visit(path: string, ours: unknown, theirs: unknown): void {
    if (found.length >= MAX_DIFFERENCES) return
    if (Array.isArray(ours) && Array.isArray(theirs)) {
      if (ours.length !== theirs.length)
        found.push({ path: join(path, 'length'), ours: ours.length, theirs: theirs.length })
      else ours.forEach((item, index) => visit(join(path, String(index)), item, theirs[index]))
      return
    }
    if (isObject(ours) && isObject(theirs)) {
      const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
      for (const name of names)
        if (!DEVIATING_FIELDS.has(name) && !(name === 'value' && isCreation(ours)))
          visit(join(path, name), unpadded(name, ours[name]), unpadded(name, theirs[name]))
      return
    }
    if (ours !== theirs) found.push({ path, ours: cut(ours), theirs: cut(theirs) })
  }
}

/** Whether an object is a transaction that creates a contract. The node always reports its value as zero. */
function isCreation(fields: Record<string, unknown>): boolean {
  return fields['to'] === null && 'input' in fields
}

/** A value for a report. Long texts are cut. */
function cut(value: unknown): unknown {
  return typeof value === 'string' && value.length > MAX_TEXT
    ? `${value.slice(0, MAX_TEXT)}…`
    : value
}

function unpadded(name: string, value: unknown): unknown {
  return PADDED.has(name) && typeof value === 'string' ? BigInt(value).toString() : value
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
