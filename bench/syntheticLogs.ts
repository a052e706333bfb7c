// Blocks of synthetic logs: as on a busy chain, few contracts and accounts have most of the logs.
import type { PlainLog } from '../src/codec/logPack/plainLog.ts'
import type { IndexBlock } from '../src/logIndex/format/block.ts'

/** Logs of a block on average. */
const LOGS_A_BLOCK = 58
const CONTRACTS = 50_000
const ACCOUNTS = 2_000_000
/** The share of the busiest contract. */
const HOTTEST = 0.4
const EVENTS = 200

/** The first topic of a transfer. */
export const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** 20 pseudo-random bytes: the n-th contract by traffic. */
export const contract = (rank: number) => mixed(rank + 1, 40)
/** The n-th account by traffic. */
export const account = (rank: number) => mixed(rank + 100_000_007, 40)
/** An address as a topic. */
export const topicOf = (address: string) => address.padStart(64, '0')

/** The same blocks each time. */
export function createSyntheticChain(): { block(number: number): IndexBlock } {
  return {
    block(number) {
      const random = createRandom(number + 1)
      const count = Math.floor(random() * random() * 4 * LOGS_A_BLOCK)
      const logs: PlainLog[] = []
      for (let index = 0; index < count; index++) {
        const isTransfer = random() < 0.7
        const rank = random() < HOTTEST ? 0 : zipf(random, CONTRACTS)
        const parties = [zipf(random, ACCOUNTS), zipf(random, ACCOUNTS)].map((rank) =>
          topicOf(account(rank)),
        )
        const event = mixed(Math.floor(random() * EVENTS) + 7, 64)
        logs.push({
          index,
          transactionIndex: index >> 1,
          transactionHash: mixed(number * 4_096 + (index >> 1), 64),
          address: contract(rank),
          topics: isTransfer
            ? [TRANSFER, ...parties]
            : [event, ...parties.slice(0, Math.floor(random() * 3))],
          data: Math.floor(random() * 2 ** 40)
            .toString(16)
            .padStart(64, '0'),
        })
      }
      return {
        number,
        hash: hashOf(number),
        parentHash: hashOf(number - 1),
        timestamp: 1_700_000_000 + number * 3,
        logs,
        transactions: Array.from({ length: Math.ceil(count / 2) }, (_, index) => {
          const accounts = new Map([[account(zipf(random, ACCOUNTS)), 1]])
          for (const { address, topics } of logs.slice(index * 2, index * 2 + 2)) {
            accounts.set(address, 2)
            if (topics[0] === TRANSFER)
              for (const topic of topics.slice(1)) accounts.set(topic.slice(24), 8)
          }
          return { accounts, created: [] }
        }),
      }
    },
  }
}

const hashOf = (number: number) =>
  `${Math.max(0, number).toString(16).padStart(16, '0')}${mixed(number + 3, 48)}`

/** A rank by Zipf’s law: the logarithm of ranks is even. */
function zipf(random: () => number, count: number): number {
  return Math.floor(Math.exp(random() * Math.log(count)))
}

/** Hex digits made from a number. */
function mixed(value: number, digits: number): string {
  const random = createRandom(value)
  let text = ''
  while (text.length < digits)
    text += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return text.slice(0, digits)
}

/** Mulberry32: numbers from 0 to 1, the same for each seed. */
function createRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}
