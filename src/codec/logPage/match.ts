import { type Page, type PageLog, textOf, textOfHex } from './reader.ts'

/** What is searched: hex without `0x`, lower case. An empty list or `null` matches everything at its place. */
export type LogSearch = {
  addresses: readonly string[]
  topics: readonly (readonly string[] | null)[]
}

/** Whether a log of a page is one of those that are searched. */
export type PageMatcher = (page: Page, log: PageLog) => boolean

/** Prepares a search in pages. A log must have as many topics as the search has positions. */
export function createPageMatcher({ addresses, topics }: LogSearch): PageMatcher {
  const wanted = choiceOf(addresses)
  const positions = topics.map(choiceOf)
  return ({ bytes }, log) =>
    log.topics.length >= positions.length &&
    (!wanted || wanted.has(textOf(bytes, log.address))) &&
    positions.every((choice, position) => {
      const topic = log.topics[position]
      return !choice || (topic !== undefined && choice.has(textOf(bytes, topic)))
    })
}

function choiceOf(values: readonly string[] | null): ReadonlySet<string> | undefined {
  return values && values.length > 0 ? new Set(values.map(textOfHex)) : undefined
}
