import type { AbiEvent } from 'viem'
import { toEventSelector } from 'viem/utils'

import { CommandError, usageError } from '../base/errors.ts'
import { get, scalar } from '../base/json.ts'
import type { Rpc } from '../base/rpcClient.ts'
import { parseAddress, tryAddress } from '../text/address.ts'
import { readItem } from '../text/signature.ts'
import type { LogFilter } from './logRange.ts'

/** The values of `--address` and `--topic`. */
export type SearchOptions = { address?: string[]; topic?: string[] }

/**
 * The filter of `eth_getLogs`. The n-th `--topic` is for position n: a 32-byte topic, an event's signature, an address or
 * a number (both padded), several of them with commas, or `any`. An anonymous event has no topic: the words after it begin at position 1.
 *
 * @throws CommandError (usage)
 */
export function searchFilter(options: SearchOptions): LogFilter {
  const address = options.address?.flatMap((text) =>
    text.split(',').map((part) => parseAddress(part.trim(), '--address').eth),
  )
  const topics = options.topic?.flatMap((text, index) => position(text, index, options.topic ?? []))
  if (topics !== undefined && topics.length > 4) throw usageError('a log has at most 4 topics')
  return { ...(address && { address }), ...(topics && { topics }) }
}

type Position = string | string[] | null

function position(text: string, index: number, all: readonly string[]): Position[] {
  if (/^(any|null|\*)?$/.test(text.trim())) return [null]
  const parts = splitOutside(text).map((part) => part.trim())
  const events = parts.filter((part) => part.includes('(')).map(eventOf)
  if (index === 0 && events.length === parts.length) checkMembers(events, all.length - 1)
  if (events.some(({ anonymous }) => anonymous)) {
    if (index === 0 && parts.length === 1) return []
    throw usageError(
      'an anonymous event has no topic that names it: give it alone, as the first word',
    )
  }
  const topics = parts.map(topic)
  return [topics.length === 1 ? (topics[0] ?? null) : topics]
}

const eventOf = (signature: string) => readItem(signature, 'event') as AbiEvent

/** Refuses more values than the events have indexed members, if they say which are indexed: no log would match. */
function checkMembers(events: readonly AbiEvent[], values: number): void {
  const counts = events.map(({ anonymous, inputs }) => {
    const indexed = inputs.filter((input) => input.indexed).length
    return indexed > 0 || anonymous ? indexed : Math.min(3, inputs.length)
  })
  const most = Math.max(...counts)
  if (values > most)
    throw usageError(
      `${values} values are given for indexed members, and ${events.map(({ name }) => name).join(', ')} has ${most}`,
    )
}

/** Splits a text at its commas, but not at those inside of parentheses: a signature has commas there. */
function splitOutside(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const letter of text) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (letter === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += letter
  }
  return parts
}

function topic(text: string): string {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  if (text.includes('(')) return toEventSelector(eventOf(text))
  if (tryAddress(text)) return `0x${parseAddress(text, 'topic').eth.slice(2).padStart(64, '0')}`
  if (/^\d+$/.test(text) && BigInt(text) < 2n ** 256n)
    return `0x${BigInt(text).toString(16).padStart(64, '0')}`
  throw usageError(
    `a topic is 32 bytes of hex, an event such as Transfer(address,address,uint256), an address, a number or any; got "${text}"`,
  )
}

/** A block: its height and its hash. */
export type BlockMark = { number: number; hash: string }

/**
 * Reads a block by height (decimal or 0x) or tag; undefined when there is none.
 *
 * @throws CommandError (usage) when the text is not a block reference
 */
export async function readMark(
  rpc: Rpc,
  text: string,
  option: string,
  signal?: AbortSignal,
): Promise<BlockMark | undefined> {
  const block = await rpc.call(
    'eth_getBlockByNumber',
    [blockParameter(text, option), false],
    signal,
  )
  if (block === null || block === undefined) return undefined
  const number = Number(scalar(get(block, 'number')) ?? Number.NaN)
  const hash = scalar(get(block, 'hash')) ?? ''
  if (!Number.isSafeInteger(number) || hash === '')
    throw new CommandError('eth_getBlockByNumber: the answer is not a block')
  return { number, hash }
}

/** As `readMark`. @throws CommandError also when the block does not exist yet */
export async function requireMark(
  rpc: Rpc,
  text: string,
  option: string,
  signal: AbortSignal,
): Promise<BlockMark> {
  const mark = await readMark(rpc, text, option, signal)
  if (mark) return mark
  throw new CommandError(`${option}: there is no block ${text} yet`)
}

/** A block for JSON-RPC: a height (decimal or 0x) or a tag. @throws CommandError (usage) */
export function blockParameter(text: string, option: string): string {
  if (/^(latest|earliest|finalized|safe|pending)$/.test(text)) return text
  if (/^\d+$/.test(text)) return `0x${BigInt(text).toString(16)}`
  if (/^0x[0-9a-f]+$/i.test(text)) return text.toLowerCase()
  throw usageError(
    `${option}: "${text}" is not a block: give a number, latest, finalized, safe or earliest`,
  )
}
