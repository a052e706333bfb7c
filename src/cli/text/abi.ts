import type { Abi, Hex } from 'viem'
import { parseAbiItem } from 'viem/utils'

import * as codec from '../../codec/abi.ts'
import { revertReason } from '../../codec/revert.ts'
import { withChecksum } from '../../lib/address.ts'
import { CommandError, EXIT, usageError } from '../base/errors.ts'
import { failureOf } from '../base/failures.ts'
import { isRecord, stringify } from '../base/json.ts'
import { RpcFailure } from '../base/rpcClient.ts'
import { readText } from './input.ts'

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
      const [, event = whole, anonymous] = /^(event\b.*\))\s*(anonymous)$/.exec(whole) ?? []
      try {
        // As ethers writes it: tuple(uint256,address).
        const signature = event.replaceAll(/(?<=[(,]\s*)tuple\s*(?=\()/g, '')
        const item = parseAbiItem([signature] as readonly string[] as readonly [string])
        return checkedEvent({ ...(item as Abi[number]), ...(anonymous && { anonymous: true }) })
      } catch (error) {
        if (error instanceof CommandError) throw error
        throw usageError(
          `${option}: "${line}" is not a signature such as transfer(address,uint256)`,
        )
      }
    })
}

/** A topic each is what a log has for indexed members; one of its four names an event that is not anonymous. */
function checkedEvent(item: Abi[number]): Abi[number] {
  if (item.type !== 'event') return item
  const most = item.anonymous ? 4 : 3
  const count = item.inputs.filter(({ indexed }) => indexed).length
  if (count <= most) return item
  throw usageError(
    `the event ${item.name} has ${count} indexed members; ${item.anonymous ? 'an anonymous event' : 'an event'} has at most ${most}`,
  )
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

/** Decodes revert data: `Error(string)`, `Panic(uint256)`, or an error of the ABI; undefined for any other. */
export const decodeRevert = (data: Hex, abi: Abi) => printable(codec.decodeRevert(data, abi))

/** Decodes call data with the ABI or the standards. */
export const decodeCalldata = (data: Hex, abi: Abi) => printable(codec.decodeCalldata(data, abi))

/** Decodes a log with the ABI or the standards. */
export const decodeLog = (log: { topics: Hex[]; data: Hex }, abi: Abi) =>
  printable(codec.decodeLog(log, abi))

function printable(found: codec.Decoded | undefined): Decoded | undefined {
  if (!found) return undefined
  const { params, ...rest } = found
  return {
    ...rest,
    args: Object.fromEntries(params.map(({ name, value }) => [name, plain(value)])),
  }
}

/** Values for JSON: every integer as decimal text, so that none loses digits; hex in lower case. */
export function plain(value: unknown): unknown {
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
    ([name, value]) =>
      `${name}: ${typeof value === 'string' ? withChecksum(value) : stringify(value)}`,
  )
  return `${decoded.name}(${args.join(', ')})`
}

/**
 * An error with its revert decoded. Any other error is returned unchanged.
 *
 * @param known - asks for more ABIs, after it is clear that there is something to decode
 */
export async function explain(
  thrown: unknown,
  abiFile: string | undefined,
  known: () => Promise<Abi> = async () => [],
): Promise<CommandError> {
  const error = failureOf(thrown)
  if (error.exitCode !== EXIT.reverted) return error
  const data = error instanceof RpcFailure ? error.revertData : error.details['data']
  if (typeof data !== 'string') return error
  const given = abiFile === undefined ? [] : await loadAbi(abiFile)
  const abi = decodeRevert(data as Hex, given) ? given : [...given, ...(await known())]
  const { text, decoded } = describeRevert(data as Hex, abi)
  const method = error instanceof RpcFailure ? `${error.method}: ` : ''
  return new CommandError(`${method}execution reverted: ${text}`, {
    exitCode: EXIT.reverted,
    cause: error,
    details: { ...error.details, data, ...(decoded === undefined ? {} : { decoded }) },
  })
}

/** Throws an error with its revert decoded. */
export async function rethrow(...given: Parameters<typeof explain>): Promise<never> {
  throw await explain(...given)
}
