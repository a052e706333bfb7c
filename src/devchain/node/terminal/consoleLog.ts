import { format } from 'node:util'

import type { AbiParameter, Hex } from 'viem'
import { decodeAbiParameters, toFunctionSelector } from 'viem/utils'

/** The parameter types of `console.log`, which takes up to four in any combination. */
const TYPES = ['uint256', 'string', 'bool', 'address']

const MAX_VALUES = 4

/** Parameters of every function of `console.sol`, by selector. Computed when a contract prints for the first time. */
let functions: ReadonlyMap<string, readonly AbiParameter[]> | undefined

/**
 * The text that a call of `console.sol` prints: the first value is a pattern with `%s` and `%d`, the others follow.
 * Undefined for other data.
 */
export function consoleText(data: Uint8Array): string | undefined {
  const bytes = Buffer.from(data).toString('hex')
  const inputs = (functions ??= consoleFunctions()).get(bytes.slice(0, 8))
  if (!inputs) return undefined
  if (inputs.length === 0) return ''
  const values = decoded(inputs, `0x${bytes.slice(8)}`)
  if (!values) return undefined
  const [first = '', ...rest] = values
  // Numbers can be too large for the format function, so they are passed as strings.
  return format(first.replaceAll(/((?<!%)(?:%%)*)(%[di])/g, '$1%s'), ...rest)
}

function decoded(inputs: readonly AbiParameter[], data: Hex): string[] | undefined {
  try {
    return decodeAbiParameters(inputs, data).map(String)
  } catch {
    return undefined
  }
}

function consoleFunctions(): Map<string, readonly AbiParameter[]> {
  const table = new Map<string, readonly AbiParameter[]>()
  const add = (name: string, types: readonly string[], spelled = types) =>
    table.set(
      toFunctionSelector(`${name}(${spelled.join(',')})`).slice(2),
      types.map((type) => ({ type })),
    )
  let lists: string[][] = [[]]
  for (let count = 0; count <= MAX_VALUES; count++) {
    for (const types of lists) {
      add('log', types)
      // Versions before 2.0 of the library hashed "uint" instead of "uint256".
      add(
        'log',
        types,
        types.map((type) => (type === 'uint256' ? 'uint' : type)),
      )
    }
    lists = lists.flatMap((types) => TYPES.map((type) => [...types, type]))
  }
  for (const type of ['int256', 'bytes', ...sizedBytes()]) add('log', [type])
  add('log', ['int256'], ['int'])
  add('log', ['string', 'int256'])
  add('log', ['string', 'int256'], ['string', 'int'])
  for (const [name, types] of NAMED) add(name, [types])
  add('logUint', ['uint256'], ['uint'])
  add('logInt', ['int256'], ['int'])
  return table
}

const sizedBytes = () => Array.from({ length: 32 }, (_, index) => `bytes${index + 1}`)

/** Functions that name the type of their one value. */
const NAMED: [name: string, type: string][] = [
  ['logInt', 'int256'],
  ['logUint', 'uint256'],
  ['logString', 'string'],
  ['logBool', 'bool'],
  ['logAddress', 'address'],
  ['logBytes', 'bytes'],
  ...sizedBytes().map((type): [string, string] => [`logB${type.slice(1)}`, type]),
]
