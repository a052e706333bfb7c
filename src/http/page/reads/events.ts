import type { Abi, AbiEvent, Address, Hash } from 'viem'
import { toEventSelector } from 'viem/utils'

import { decodeLog, STANDARD_ABI } from '../../../codec/abi.ts'
import { MOST_DECODED } from '../abi.ts'
import { type ListPlace, readNewestLogs } from './logPage.ts'
import { type Source, tokenInList } from './source.ts'

/** The events of a contract in the blocks that were searched, newest first, and the names that a page can be limited to. */
export type EventPage = Awaited<ReturnType<typeof readEvents>>

/** Events of one page. */
const PAGE = 25

/** A page of the events of a contract. @param name - of the events, or their first topic; all of them without it */
export async function readEvents(
  address: Address,
  name: string | undefined,
  place: ListPlace,
  source: Source,
) {
  const [{ abi }, token] = await Promise.all([
    source.contract(address),
    tokenInList(address, source),
  ])
  const topics = name ? topicsOf(name, abi) : undefined
  const search = { address, ...(topics && { topics: [topics] }) }
  // An empty list of topics would match every event.
  const searches = topics?.length === 0 ? [] : [search]
  const { logs, ...page } = await readNewestLogs(searches, place, PAGE, source)
  const events = logs.map((log) => {
    return { log, name: undefined, event: decodeLog(log, abi, MOST_DECODED) }
  })
  const found = [...eventsOf(abi), ...events.flatMap(({ event }) => event ?? [])]
  return { ...page, events, names: [...new Set(found.map((one) => one.name))], token }
}

const eventsOf = (abi: Abi) =>
  abi.filter((entry): entry is AbiEvent => entry.type === 'event' && !entry.anonymous)

/** The first topics of the events with a name. A name that no event has is a topic, or matches nothing. */
export function topicsOf(name: string, abi: Abi): Hash[] {
  if (/^0x[0-9a-f]{64}$/i.test(name)) return [name.toLowerCase() as Hash]
  const named = [...eventsOf(abi), ...eventsOf(STANDARD_ABI)].filter((event) => event.name === name)
  return [...new Set(named.map((event) => toEventSelector(event)))]
}
