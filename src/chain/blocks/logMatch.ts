import { createPackMatcher, type PackMatcher } from '../../codec/logPack/match.ts'
import type { LogMatch } from './chainTypes.ts'

/** The fields of a log that a search compares. */
export type LogKey = { address: string; topics: readonly string[] }

/** A prepared log search: one set lookup for each position. */
export type LogMatcher = ReturnType<typeof createLogMatcher>

/** The `hashOfItem` of the addresses and topics of a block's logs. `has` is true for all of them, and rarely for another one. */
export type LogItems = { has(hash: number): boolean }

/**
 * A 32-bit hash of an address or topic. It reads only both ends, where the values of a chain differ.
 *
 * @param text - lower case.
 * @param from - offset of the first digit.
 */
export function hashOfItem(text: string, from: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < from + FIRST; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  for (let at = text.length - LAST; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** Number of digits that the hash reads at the beginning and at the end. */
const FIRST = 8
const LAST = 16

/**
 * Prepares a search. A log matches when its address is one of the given addresses and its topic at each position is one
 * of the given topics. An empty list of addresses and an open position match anything, but a log must have at least as
 * many topics as the search has positions.
 */
export function createLogMatcher(search: LogMatch) {
  const { addresses, topics } = inLowerCase(search)
  const needed = [addresses, ...topics].flatMap((choice) =>
    choice && choice.length > 0 ? [choice.map((text) => hashOfItem(text, 2))] : [],
  )
  let inPack: PackMatcher | undefined
  const matchesInPack: PackMatcher = (pack, log) =>
    (inPack ??= createPackMatcher({
      addresses: addresses.map(bare),
      topics: topics.map((choice) => choice && choice.map(bare)),
    }))(pack, log)
  return {
    matches: testOf(addresses, topics),
    /** The same for a log in hex without `0x`. */
    matchesPlain: testOf(
      addresses.map(bare),
      topics.map((choice) => choice && choice.map(bare)),
    ),
    /** The same for a log of an encoded pack. */
    matchesInPack,
    /** Whether a block can have a match, from the addresses and topics of its logs. False is certain, true is not. */
    mayMatch: (items: LogItems) => needed.every((choice) => choice.some((hash) => items.has(hash))),
  }
}

/** As `createLogMatcher`, but only for logs in hex. It takes less memory. */
export function createLogTest(search: LogMatch): (log: LogKey) => boolean {
  const { addresses, topics } = inLowerCase(search)
  return testOf(addresses, topics)
}

function inLowerCase({ addresses, topics }: LogMatch) {
  return {
    addresses: addresses.map((item) => item.toLowerCase()),
    topics: topics.map((choice) => choice && choice.map((item) => item.toLowerCase())),
  }
}

function testOf(addresses: readonly string[], topics: readonly (readonly string[] | null)[]) {
  const wanted = choiceOf(addresses)
  const positions = topics.map(choiceOf)
  return ({ address, topics }: LogKey): boolean =>
    (!wanted || wanted.has(address)) &&
    topics.length >= positions.length &&
    positions.every((choice, index) => !choice || choice.has(topics[index] ?? ''))
}

function choiceOf(items: readonly string[] | null): ReadonlySet<string> | undefined {
  return items && items.length > 0 ? new Set(items) : undefined
}

const bare = (text: string) => text.slice(2)
