import { createPackMatcher, type LogSearch, type PackMatcher } from '../../codec/logPack/match.ts'
import { byAddress, byAddressAndTopic, byCount, byTopic, type Hasher } from '../format/keys.ts'

/** How a search is done. */
export type Plan = {
  /** A log must have one value of each list. Without lists every log is read. */
  constraints: string[][]
  /** Whether a log matches. Needed because hashes may collide and lists may be left out. */
  matches: PackMatcher
}

/** Maximum pairs of address and first topic. With more, addresses and topics are looked up separately. */
const MAX_PAIRS = 256

/** Maximum topics of a log. */
const MAX_TOPICS = 4

/** Turns a search into the lists to look up; undefined when no log can match. */
export function planOf({ addresses, topics }: LogSearch, hash: Hasher): Plan | undefined {
  if (topics.length > MAX_TOPICS) return undefined
  const constraints: string[][] = []
  const chosen = topics.map((choice) => (choice && choice.length > 0 ? choice : undefined))
  const [first] = chosen
  const pairs = first && addresses.length > 0 && first.length * addresses.length <= MAX_PAIRS
  if (pairs)
    constraints.push(
      addresses.flatMap((address) => first.map((topic) => hash(byAddressAndTopic(address, topic)))),
    )
  else if (addresses.length > 0)
    constraints.push(addresses.map((address) => hash(byAddress(address))))
  for (const [position, choice] of chosen.entries())
    if (choice && !(pairs && position === 0))
      constraints.push(choice.map((topic) => hash(byTopic(position, topic))))
  if (constraints.length === 0 && topics.length > 0)
    constraints.push(
      Array.from({ length: MAX_TOPICS - topics.length + 1 }, (_, more) =>
        hash(byCount(topics.length + more)),
      ),
    )
  return {
    // Lookups in sorted order are faster, because neighbouring keys are in the same pack of the database.
    constraints: constraints.map((hashes) => [...new Set(hashes)].toSorted()),
    matches: createPackMatcher({ addresses, topics }),
  }
}
