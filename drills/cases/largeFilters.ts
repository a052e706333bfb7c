import type { Case } from '../case.ts'
import { callText } from '../requests.ts'

const FILTERS = 200
const ADDRESSES = 1_000
const TOPICS = 1_000
/** Requests in flight. */
const PARALLEL = 8

async function run(url: string) {
  let made = 0
  let refused = 0
  let wrong = 0
  let next = 0
  async function work() {
    while (next < FILTERS) {
      const response = await fetch(url, {
        method: 'POST',
        body: callText('eth_newFilter', [largeLogFilter(next++)]),
      })
      const { error, result } = (await response.json()) as {
        error?: { code: number }
        result?: string
      }
      if (typeof result === 'string') made++
      else if (error?.code === -32005) refused++
      else wrong++
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  return { tried: FILTERS, wrong, note: `${made} filters created, ${refused} rejected` }
}

/** The largest filter that is allowed, with different addresses and topics. */
export function largeLogFilter(index: number) {
  const text = (bytes: number, item: number) =>
    `0x${(index * 10_000 + item + 2 ** 40).toString(16).padStart(bytes * 2, '0')}`
  const addresses = Array.from({ length: ADDRESSES }, (_, item) => text(20, item))
  const topics = [0, 1, 2, 3].map((position) =>
    Array.from({ length: TOPICS }, (_, item) => text(32, position * TOPICS + item)),
  )
  return { address: addresses, topics }
}

/** The largest filters, more than one address may have by default, in memory. */
export const largeFilters: Case = {
  name: 'large-filters',
  what: `${FILTERS} filters of ${ADDRESSES} addresses and ${4 * TOPICS} topics`,
  run: ({ url }) => run(url),
}

/** The same with the filters in Redis. */
export const largeFiltersInRedis: Case = {
  name: 'large-filters-redis',
  what: `${FILTERS} filters of ${ADDRESSES} addresses and ${4 * TOPICS} topics, in Redis`,
  redis: true,
  run: ({ url }) => run(url),
}
