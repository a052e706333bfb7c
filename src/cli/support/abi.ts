import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  decodeAbiParameters,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiItem,
  toEventSelector,
  toFunctionSelector,
  toFunctionSignature,
} from 'viem'

import { revertReason } from '../../codec/revert.ts'
import { CommandError, EXIT, usageError } from './errors.ts'
import { readText } from './input.ts'
import { isRecord, stringify } from './json.ts'
import { RpcFailure } from './rpc.ts'

/** A decoded call, event or error: its name, its signature, and its arguments by name (or position) in order. */
export type Decoded = {
  kind: 'function' | 'event' | 'error'
  name: string
  signature: string
  args: Record<string, unknown>
}

/**
 * Reads `--abi`: a JSON ABI, a compiler's artifact (or a file of several), or a text with one signature a line.
 *
 * @throws CommandError (usage) when nothing in the file is an ABI.
 */
export async function loadAbi(path: string): Promise<Abi> {
  const text = await readText(path, '--abi')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return signatures(text.split('\n'), `--abi ${path}`)
  }
  const items = collectItems(json)
  if (items.length === 0) throw usageError(`--abi ${path}: no ABI in this file`)
  return items as Abi
}

/**
 * Reads signatures such as `transfer(address,uint256)` or `event Transfer(address indexed, …)`. Without a leading keyword
 * it is a function.
 *
 * @throws CommandError (usage)
 */
export function signatures(lines: readonly string[], option: string): Abi {
  return lines
    .map((line) => line.trim().replace(/;$/, ''))
    .filter((line) => line !== '' && !line.startsWith('//'))
    .map((line) => {
      const whole = /^(function|event|error|constructor|struct|fallback|receive)\b/.test(line)
        ? line
        : `function ${line}`
      try {
        return parseAbiItem([whole] as readonly string[] as readonly [string]) as Abi[number]
      } catch {
        throw usageError(
          `${option}: "${line}" is not a signature such as transfer(address,uint256)`,
        )
      }
    })
}

// Artifacts have the ABI in `abi`, some of them as text. The output of a build has many contracts.
function collectItems(json: unknown, depth = 0): unknown[] {
  if (depth > 5) return []
  if (Array.isArray(json))
    return json.every((item) => isRecord(item) && typeof item['type'] === 'string')
      ? json
      : json.flatMap((item) => collectItems(item, depth + 1))
  if (!isRecord(json)) return []
  const { abi } = json
  if (typeof abi === 'string') return collectItems(JSON.parse(abi), depth + 1)
  if (abi !== undefined) return collectItems(abi, depth + 1)
  return Object.values(json).flatMap((member) => collectItems(member, depth + 1))
}

/** Functions, events and errors of common token and access standards, so that they decode without `--abi`. */
export const WELL_KNOWN: Abi = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function mint(address to, uint256 value)',
  'function burn(uint256 value)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function setApprovalForAll(address operator, bool approved)',
  'function multicall(bytes[] data) returns (bytes[])',
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'error OwnableUnauthorizedAccount(address account)',
  'error OwnableInvalidOwner(address owner)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error ReentrancyGuardReentrantCall()',
  'error EnforcedPause()',
])

/** Decodes revert data: `Error(string)`, `Panic(uint256)`, or an error of the ABI; undefined for any other. */
export function decodeRevert(data: Hex, abi: Abi): Decoded | undefined {
  try {
    const { abiItem, args, errorName } = decodeErrorResult({ abi: [...abi, ...WELL_KNOWN], data })
    return decoded('error', errorName, abiItem.type === 'error' ? abiItem.inputs : [], args ?? [])
  } catch {
    return undefined
  }
}

/** Decodes call data with the ABI. */
export function decodeCalldata(data: Hex, abi: Abi): Decoded | undefined {
  try {
    const all: Abi = [...abi, ...WELL_KNOWN]
    const { args, functionName } = decodeFunctionData({ abi: all, data })
    const item = all.find(
      (item): item is AbiFunction =>
        item.type === 'function' &&
        item.name === functionName &&
        item.inputs.length === (args?.length ?? 0),
    )
    return decoded('function', functionName, item?.inputs ?? [], args ?? [])
  } catch {
    return undefined
  }
}

/** The signature of the function or error whose selector the data begins with, such as `Error(string)`. */
export function signatureOf(data: Hex, abi: Abi): string | undefined {
  return [...abi, ...WELL_KNOWN, ...BUILT_IN]
    .filter((item) => item.type === 'function' || item.type === 'error')
    .map((item) => toFunctionSignature({ ...item, type: 'function' } as AbiFunction))
    .find((signature) => toFunctionSelector(signature) === data.slice(0, 10))
}

/** The errors of the language itself. */
const BUILT_IN: Abi = parseAbi(['error Error(string message)', 'error Panic(uint256 reason)'])

/** Decodes a log with the ABI. Several events may share a topic and differ in their indexed parameters, so each is tried. */
export function decodeLog(log: { topics: Hex[]; data: Hex }, abi: Abi): Decoded | undefined {
  for (const event of [...abi, ...WELL_KNOWN]) {
    if (event.type !== 'event' || event.anonymous || toEventSelector(event) !== log.topics[0])
      continue
    try {
      const { args } = decodeEventLog({
        abi: [event],
        data: log.data,
        topics: log.topics as [Hex, ...Hex[]],
        strict: true,
      })
      return decoded('event', event.name, event.inputs, args ?? [])
    } catch {
      // Same name and types, other indexed parameters: the next one may match.
    }
  }
  return undefined
}

/** Decodes returned bytes with the outputs of a function. */
export function decodeReturn(data: Hex, outputs: readonly AbiParameter[]): unknown[] {
  return decodeAbiParameters(outputs, data).map((value) => plain(value))
}

function decoded(
  kind: Decoded['kind'],
  name: string,
  inputs: readonly AbiParameter[],
  args: unknown,
): Decoded {
  const values = inputs.map((input, index) =>
    Array.isArray(args) ? args[index] : (args as Record<string, unknown>)[input.name ?? ''],
  )
  return {
    kind,
    name,
    signature: `${name}(${inputs.map((input) => typeName(input)).join(',')})`,
    args: Object.fromEntries(
      inputs.map((input, index) => [input.name || String(index), plain(values[index])]),
    ),
  }
}

function typeName(input: AbiParameter): string {
  if (!input.type.startsWith('tuple')) return input.type
  const { components } = input as AbiParameter & { components: readonly AbiParameter[] }
  return `(${components.map((component) => typeName(component)).join(',')})${input.type.slice(5)}`
}

/** Values for JSON: every integer as decimal text, so that none loses digits; hex in lower case. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return value.toString()
  if (typeof value === 'string') return /^0x[0-9a-fA-F]*$/.test(value) ? value.toLowerCase() : value
  if (Array.isArray(value)) return value.map((item) => plain(item))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]))
  return value
}

/** The message of a revert. */
export function describeRevert(
  data: Hex,
  abi: Abi,
): { text: string; decoded: Decoded | undefined } {
  if (data === '0x') return { text: 'without a reason', decoded: undefined }
  const decoded = decodeRevert(data, abi)
  if (decoded === undefined)
    return {
      text: `with unknown error ${data.length > 74 ? `${data.slice(0, 74)}…` : data}; use --abi with a file that has the error to decode it`,
      decoded,
    }
  return { text: revertReason(data) ?? describe(decoded), decoded }
}

/** `Transfer(from: 0x…, value: 5)`. */
export function describe(decoded: Decoded): string {
  const args = Object.entries(decoded.args).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : stringify(value)}`,
  )
  return `${decoded.name}(${args.join(', ')})`
}

/** An error with its revert decoded. Any other error is returned unchanged. */
export async function explain(error: unknown, abiFile: string | undefined): Promise<unknown> {
  if (!(error instanceof CommandError) || error.exitCode !== EXIT.reverted) return error
  const data = error instanceof RpcFailure ? error.revertData : error.details['data']
  if (typeof data !== 'string') return error
  const abi = abiFile === undefined ? [] : await loadAbi(abiFile)
  const { text, decoded } = describeRevert(data as Hex, abi)
  const method = error instanceof RpcFailure ? `${error.method}: ` : ''
  return new CommandError(`${method}execution reverted: ${text}`, {
    exitCode: EXIT.reverted,
    cause: error,
    details: { ...error.details, data, ...(decoded === undefined ? {} : { decoded }) },
  })
}
