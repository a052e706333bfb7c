import type { LogMatch } from './chainTypes.ts'

/** The searched fields of a log. */
export type LogKey = { address: string; topics: readonly string[] }

/** A prepared log search: one set lookup for each position. */
export type LogMatcher = {
  matches(log: LogKey): boolean
  /** Whether a block whose logs have only these addresses and topics may have a match. False is certain. */
  mayMatch(items: ReadonlySet<string>): boolean
}

/**
 * Prepares a search. A log matches when its address is one of those given and its topic at each position is one of
 * those given. An empty list of addresses and an open position match anything, but a log must have as many topics as
 * the search has positions.
 */
export function createLogMatcher({ addresses, topics }: LogMatch): LogMatcher {
  const wanted = choice(addresses)
  const positions = topics.map(choice)
  return {
    matches: ({ address, topics }) =>
      (!wanted || wanted.has(address)) &&
      topics.length >= positions.length &&
      positions.every((choice, index) => !choice || choice.has(topics[index] ?? '')),
    mayMatch: (items) =>
      items.size > 0 && meets(wanted, items) && positions.every((choice) => meets(choice, items)),
  }
}

function choice(items: readonly string[] | null): ReadonlySet<string> | undefined {
  return items && items.length > 0 ? new Set(items.map((item) => item.toLowerCase())) : undefined
}

function meets(choice: ReadonlySet<string> | undefined, items: ReadonlySet<string>): boolean {
  if (!choice) return true
  for (const item of choice) if (items.has(item)) return true
  return false
}
