import type { Abi, AbiFunction, AbiParameter, Address, Hash, Hex } from 'viem'
import { decodeEventLog, decodeFunctionData, toFunctionSelector } from 'viem/utils'

import { STANDARD_ABI } from '../../codec/abi.ts'
import type { AbiEntry } from '../../native/wire/accountTypes.ts'

/** Decoded call data or a decoded log: a name and its arguments in order. */
export type DecodedCall = { name: string; args: { name: string; type: string; value: string }[] }

/** The ABI that the chain stores for a contract, in the format of Ethereum tools. Skips entries that cannot be read. */
export function toAbi(entries: readonly AbiEntry[] | undefined): Abi {
  return (entries ?? []).flatMap((entry): unknown[] => {
    const type = entry.type?.toLowerCase()
    const inputs = parameters(entry.inputs)
    if (type === 'function' && entry.name)
      return [
        {
          type,
          name: entry.name,
          inputs,
          outputs: parameters(entry.outputs),
          stateMutability: mutability(entry),
        },
      ]
    if (type === 'event' && entry.name)
      return [{ type, name: entry.name, inputs, anonymous: entry.anonymous ?? false }]
    if (type === 'error' && entry.name) return [{ type, name: entry.name, inputs }]
    return []
  }) as Abi
}

/** Read functions of a token, for a contract without an ABI. */
const READS = new Set(['name', 'symbol', 'decimals', 'totalSupply', 'balanceOf', 'allowance'])

/** The read functions of an ABI; without an ABI, those of a token. */
export function readFunctions(abi: Abi): AbiFunction[] {
  const known: Abi =
    abi.length > 0 ? abi : STANDARD_ABI.filter((item) => 'name' in item && READS.has(item.name))
  return known.filter(
    (entry): entry is AbiFunction =>
      entry.type === 'function' &&
      (entry.stateMutability === 'view' || entry.stateMutability === 'pure'),
  )
}

/** Decodes call data with the contract's ABI or the token standards; undefined when neither has the function. */
export function decodeInput(input: Hex, abi: Abi): DecodedCall | undefined {
  for (const known of [abi, STANDARD_ABI]) {
    try {
      const { args, functionName } = decodeFunctionData({ abi: known, data: input })
      const entry = known.find(
        (item): item is AbiFunction =>
          item.type === 'function' && toFunctionSelector(item) === input.slice(0, 10),
      )
      return { name: functionName, args: named(entry?.inputs ?? [], args) }
    } catch {
      // The next ABI may have it.
    }
  }
  return undefined
}

/** Decodes a log with the contract's ABI or the token standards; undefined when neither has the event. */
export function decodeLog(
  log: { data: Hex; topics: readonly Hash[] },
  abi: Abi,
): DecodedCall | undefined {
  for (const known of [abi, STANDARD_ABI]) {
    try {
      const { args, eventName } = decodeEventLog({
        abi: known,
        data: log.data,
        topics: log.topics as [Hash, ...Hash[]],
      }) as { args: readonly unknown[] | Record<string, unknown> | undefined; eventName: string }
      const entry = known.find((item) => item.type === 'event' && item.name === eventName)
      const inputs = entry && 'inputs' in entry ? entry.inputs : []
      return {
        name: eventName,
        args: named(
          inputs,
          Array.isArray(args)
            ? args
            : inputs.map(({ name }) => (args as Record<string, unknown> | undefined)?.[name ?? '']),
        ),
      }
    } catch {
      // The next ABI may have it.
    }
  }
  return undefined
}

/** A decoded value as text: integers in decimal, lists and tuples as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return value
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'bigint' ? String(inner) : inner,
  )
}

/** A parameter with its type: `address to`. */
export function parameterText({ name, type }: AbiParameter): string {
  return name ? `${type} ${name}` : type
}

function named(inputs: readonly AbiParameter[], values: readonly unknown[] = []) {
  return values.map((value, index) => ({
    name: inputs[index]?.name ?? String(index),
    type: inputs[index]?.type ?? '',
    value: valueText(value),
  }))
}

function parameters(list: AbiEntry['inputs']) {
  return (list ?? []).map(({ indexed, name, type }) => ({
    name: name ?? '',
    type: type === 'trcToken' ? 'uint256' : (type ?? ''),
    ...(indexed !== undefined && { indexed }),
  }))
}

/** The chain writes `View`, and only `constant` in old contracts. */
function mutability({ constant, payable, stateMutability }: AbiEntry): string {
  if (stateMutability) return stateMutability.toLowerCase()
  if (constant) return 'view'
  return payable ? 'payable' : 'nonpayable'
}

/** In a token transfer the zero address means that tokens were minted or burned. */
export function isZeroAddress(address: Address): boolean {
  return /^0x0+$/.test(address)
}
