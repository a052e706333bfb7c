import { createPageMatcher, type LogSearch, type PageMatcher } from '../../codec/logPage/match.ts'
import { byAddress, byAddressAndTopic, byCount, byTopic, type Hasher } from '../format/keys.ts'

/** How a search is done. */
export type Plan = {
  /** Each is a list of values of which a log has one; a log has one of every list. None: every log has to be read. */
  constraints: string[][]
  /** Whether a log is one of those that are searched: hashes may be shared, and lists may be left out. */
  matches: PageMatcher
}

/** Pairs of address and first topic that are looked up; with more, addresses and topics are looked up for themselves. */
const MAX_PAIRS = 256

/** Topics that a log has at most. */
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
    constraints: constraints.map((hashes) => [...new Set(hashes)]),
    matches: createPageMatcher({ addresses, topics }),
  }
}
