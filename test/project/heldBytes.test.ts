import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { HELD_PLACES, type HeldPlace } from '../../src/lib/heldBytes.ts'

/** The files that take the bytes of each place from the budget. */
const TAKEN_IN: Record<HeldPlace, string[]> = {
  answers: ['src/http/unsent.ts'],
  bodies: ['src/http/body.ts', 'src/http/charge.ts'],
  filters: ['src/chain/filters/memory.ts'],
  frames: ['src/http/ws.ts'],
  simulations: ['src/devchain/simulator/simulator.ts'],
  subscriptions: ['src/chain/subscriptions/memory.ts'],
  'unpacked bodies': ['src/http/body.ts'],
}

/** Files that are not tests, by patterns of git. */
const filesOf = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !/\.(test|contract)\.ts$/.test(file))

test('default: the files that take each place', () => {
  const files = filesOf('src/*.ts', 'src/*.tsx')
  const found: Record<string, string[]> = Object.fromEntries(
    HELD_PLACES.map((place) => [place, []]),
  )
  for (const file of files)
    for (const [, place = ''] of readFileSync(file, 'utf8').matchAll(/\.hold\([^)]*?'([\w ]+)'\)/g))
      if (!found[place]?.includes(file)) found[place]?.push(file)
  expect(found).toEqual(TAKEN_IN)
})

/** The parts of the gateway that get what clients send. Pages keep nothing between requests but facts of the chain. */
const ROOMS = [
  'chain/filters',
  'chain/subscriptions',
  'devchain/simulator',
  'http',
  'limits',
  'rpc/jsonrpc',
]

/** Every file there with a collection that begins empty and grows, and what bounds it. */
const GROWS: Record<string, string> = {
  'src/chain/filters/deliveries.ts': 'one page for each answer in flight',
  'src/chain/filters/memory.ts': 'taken from the budget, and the limits of filters',
  'src/chain/filters/page.ts': 'one page: --filter-page',
  'src/chain/filters/pending.ts': 'the hashes of one look at the pool of the node',
  'src/chain/filters/pendingLog.ts': 'a number of hashes, the same for all clients',
  'src/chain/filters/redisCounts.ts': 'ids of filters that were used in two seconds',
  'src/chain/subscriptions/catchUpQueue.ts': 'one entry for each subscription',
  'src/chain/subscriptions/pendingReads.ts': 'a number of hashes for each subscription',
  'src/chain/subscriptions/registry.ts':
    'taken from the budget, and limits for each socket and client',
  'src/chain/subscriptions/statuses.ts': 'one entry for each subscription, until the next block',
  'src/devchain/simulator/places.ts':
    'a number of simulations, whose bytes are taken from the budget',
  'src/devchain/simulator/simulationThread.ts': 'one entry for each node',
  'src/http/jsonRpc.ts': 'empty for ever',
  'src/http/send.ts': 'one buffer of each power of two',
  'src/http/unsent.ts': 'taken from the budget',
  'src/http/walletPassthrough.ts': 'a part of --cache-bytes',
  'src/http/ws.ts': '--ws-connections; unfinished messages are taken from the budget',
  'src/http/wsConnection.ts': 'the messages of one read; the socket is not read while they wait',
  'src/limits/callers.ts': 'one entry for each API key of the file',
  'src/limits/keysFile.ts': 'the entries of the file',
  'src/limits/limiter.ts': 'callers of the last seconds',
  'src/limits/limits.ts': 'calls in flight, and a number of idle callers',
  'src/limits/spending.ts': 'one entry for each API key of the file, and for recent transactions',
  'src/limits/store.ts': 'a number of callers',
  'src/limits/usage.ts': 'one entry for each API key and method',
  'src/rpc/jsonrpc/answer.ts': 'one answer: --response-limit',
  'src/rpc/jsonrpc/delivery.ts': 'the listeners of one answer',
  'src/rpc/jsonrpc/inspect.ts': 'the ids of one batch, whose text is taken from the budget',
}

test('behavior: every collection that grows in these parts has a bound', () => {
  const growing =
    /^ {0,2}(?:const|let) \w+(?:: [^=]+)? = (?:new (?:Map|Set|LRUCache)(?:<.*>)?\((?:\)|\{)|\[\]$)/m
  const files = filesOf(...ROOMS.map((room) => `src/${room}/*.ts`))
  const found = files
    .filter((file) => !file.startsWith('src/http/page/'))
    .filter((file) => growing.test(readFileSync(file, 'utf8')))
  expect(found).toEqual(Object.keys(GROWS))
})
