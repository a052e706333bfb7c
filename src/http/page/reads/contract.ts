import type { Abi, AbiFunction, Address, Hex } from 'viem'
import { decodeFunctionResult } from 'viem/utils'

import { decodeRevert } from '../../../codec/abi.ts'
import { encodeCall } from '../../../codec/abiArguments.ts'
import { assertDecodedSize } from '../../../codec/abiSize.ts'
import { unitsText } from '../../../codec/coin.ts'
import {
  functionsOf,
  MOST_DECODED,
  MOST_TEXT,
  readAbi,
  standardFunctions,
  valueText,
} from '../abi.ts'
import type { AddressFacts } from './address.ts'
import { type Source, tokenInList } from './source.ts'
import { decodedText } from './transaction.ts'

/** The functions that a contract page offers, and where its ABI is from. */
export type ContractFunctions = ReturnType<typeof split>

/** The result of a function that a visitor called, or its error. */
export type Answer = { key: string; args: readonly string[]; value?: string; error?: string }

/** Functions of one contract page, and their parameters: more would be no page. */
const MOST = 200
const MOST_PARAMETERS = 1_000

/** The functions of a contract: of its ABI, of its implementation, or those of the standards that its code has. */
export async function readFunctions(
  { address, code, implementation }: Pick<AddressFacts, 'address' | 'code' | 'implementation'>,
  source: Source,
): Promise<ContractFunctions> {
  const [own, behind] = await Promise.all([
    source.contract(address),
    implementation && source.contract(implementation),
  ])
  if (behind && behind.abi.length > 0) return split([...own.abi, ...behind.abi], 'implementation')
  if (own.abi.length > 0) return split(own.abi, 'chain')
  const codeBehind = implementation
    ? await source.ask<Hex>('eth_getCode', implementation, 'latest')
    : '0x'
  return split(standardFunctions(`${code}${codeBehind.slice(2)}`), 'guessed')
}

/** The functions of an ABI that a visitor pasted. */
export function givenFunctions(text: string): ContractFunctions | undefined {
  try {
    const abi = readAbi(JSON.parse(text))
    return abi.length > 0 ? split(abi, 'given') : undefined
  } catch {
    return undefined
  }
}

function split(abi: Abi, origin: 'chain' | 'given' | 'implementation' | 'guessed') {
  const once = [...new Map(abi.map((entry) => [keyOf(entry), entry])).values()]
  return {
    origin,
    read: firstOf(functionsOf(once, 'read')),
    write: firstOf(functionsOf(once, 'write')),
  }
}

/** The first functions, as many as a page may have. */
function firstOf(functions: readonly AbiFunction[]): AbiFunction[] {
  let left = MOST_PARAMETERS
  return functions.slice(0, MOST).filter(({ inputs, outputs }) => {
    left -= inputs.length + outputs.length
    return left >= 0
  })
}

function keyOf(entry: Abi[number]): string {
  return entry.type === 'function' ? functionKey(entry) : JSON.stringify(entry)
}

/** Names a function of an ABI: name and types of its parameters. */
export function functionKey({ inputs, name }: AbiFunction): string {
  return `${name}(${inputs.map(({ type }) => type).join(',')})`
}

/** Calls a function of a contract with arguments as text. The answer has the value or the error. */
export async function callFunction(
  to: Address,
  entry: AbiFunction,
  args: readonly string[],
  source: Source,
): Promise<Answer> {
  const key = functionKey(entry)
  try {
    const data = encodeText(entry, args)
    const result = await source.ask<Hex>('eth_call', { to, data }, 'latest')
    if (result === '0x' && entry.outputs.length > 0)
      return { key, args, error: 'The contract has no such function.' }
    assertDecodedSize(entry.outputs, result, MOST_DECODED)
    const value = valueText(decodeFunctionResult({ abi: [entry], data: result }))
    const units = await unitsOf(value, entry, to, source)
    return { key, args, value: units === undefined ? value : `${value} = ${units}` }
  } catch (error) {
    return { key, args, error: await errorText(error, to, source) }
  }
}

/** Functions of tokens that return an amount. */
const AMOUNTS = /^(allowance|balanceOf|totalSupply)$/

/** An amount that a token returned, in its units; undefined for another value. */
async function unitsOf(value: string, { name }: AbiFunction, to: Address, source: Source) {
  const token =
    AMOUNTS.test(name) && /^\d+$/.test(value) ? await tokenInList(to, source) : undefined
  return token && `${unitsText(BigInt(value), token.decimals)} “${token.symbol}”`
}

/** Encodes a call whose arguments are text. @throws TypeError, RangeError when they are too long */
export function encodeText(entry: AbiFunction, args: readonly string[]): Hex {
  const length = args.reduce((sum, text) => sum + text.length, 0)
  if (length > MOST_TEXT)
    throw new RangeError(`the arguments have more than ${MOST_TEXT} characters`)
  return encodeCall(entry, args)
}

async function errorText(error: unknown, to: Address, source: Source): Promise<string> {
  const { data, message } = error as { data?: unknown; message: string }
  if (typeof data === 'string' && data.length > 10) {
    const decoded = decodeRevert(data as Hex, (await source.contract(to)).abi, MOST_DECODED)
    if (decoded && !/^(Error|Panic)$/.test(decoded.name)) return `reverted: ${decodedText(decoded)}`
  }
  return (message.split('\n')[0] ?? '').slice(0, 300)
}
