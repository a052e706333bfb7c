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
  'unpacked bodies': ['src/http/unpack.ts'],
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
    for (const [, place = ''] of readFileSync(file, 'utf8').matchAll(
      /\b(?:hold(?:For)?|take)\([^)]*?'([\w ]+)'[,)]/g,
    ))
      if (!found[place]?.includes(file)) found[place]?.push(file)
  expect(found).toEqual(TAKEN_IN)
})

/** The parts of the gateway that get what clients send. Pages keep nothing between requests but facts of the chain. */
const ROOMS = [
  'chain/changes',
  'chain/filters',
  'chain/subscriptions',
  'devchain/simulator',
  'http',
  'limits',
  'rpc/jsonrpc',
]

/** Every file there with collections that begin empty and grow, their names, and what bounds them. */
const GROWS: Record<string, string> = {
  'src/chain/changes/page.ts: items': 'one page: --filter-page',
  'src/chain/filters/deliveries.ts: attempts, kept': 'one page for each answer in flight',
  'src/chain/filters/memory.ts: filters, clients, memory':
    'taken from the budget, and the limits of filters',
  'src/chain/filters/pending.ts: listeners, announced, unwritten':
    'the hashes of one look at the pool of the node',
  'src/chain/filters/pendingLog.ts: seen, entries': 'a number of hashes, the same for all clients',
  'src/chain/filters/redisCounts.ts: used': 'ids of filters that were used in two seconds',
  'src/chain/subscriptions/catchUpQueue.ts: jobs, waiting, servedOf':
    'one entry for each subscription',
  'src/chain/subscriptions/pendingReads.ts: waiting': 'a number of hashes for each subscription',
  'src/chain/subscriptions/registry.ts: sockets, unlisteners, clients':
    'taken from the budget, and limits for each socket and client',
  'src/chain/subscriptions/statuses.ts: reads':
    'one entry for each subscription, until the next block',
  'src/devchain/simulator/places.ts: running, asked':
    'a number of simulations, whose bytes are taken from the budget',
  'src/devchain/simulator/simulationThread.ts: states': 'one entry for each node',
  'src/devchain/simulator/turns.ts: callers': 'the callers of the simulations that run',
  'src/http/send.ts: spare, piece': 'one buffer of each power of two, and the parts of one answer',
  'src/http/unsent.ts: readers': 'taken from the budget',
  'src/http/walletPassthrough.ts: cache': 'a part of --cache-bytes',
  'src/http/ws.ts: connections, perClient':
    '--ws-connections; unfinished messages are taken from the budget',
  'src/http/wsConnection.ts: open, closeListeners, waiting':
    'the messages of one read; the socket is not read while they wait',
  'src/limits/callers.ts: known, byHash': 'one entry for each API key of the file',
  'src/limits/keysFile.ts: names, hashes': 'the entries of the file',
  'src/limits/limiter.ts: accounts': 'callers of the last seconds',
  'src/limits/limits.ts: inFlight': 'calls in flight, and a number of idle callers',
  'src/limits/spending.ts: counted':
    'one entry for each API key of the file, and for recent transactions',
  'src/limits/store.ts: tallies': 'a number of callers',
  'src/limits/usage.ts: rows, ofToday': 'one entry for each API key and method',
  'src/rpc/jsonrpc/answer.ts: parts': 'one answer: --response-limit',
  'src/rpc/jsonrpc/inspect.ts: ids': 'the ids of one batch, whose text is taken from the budget',
  'src/rpc/jsonrpc/server.ts: answers': 'the answers of one batch: --response-limit',
}

test('behavior: every collection that grows in these parts has a bound', () => {
  const growing =
    /^ {0,2}(?:const|let) (\w+)(?:: [^=]+)? = (?:new (?:Map|Set|LRUCache)(?:<.*>)?\((?:\)|\{)|\[\]$)/gm
  const found = filesOf(...ROOMS.map((room) => `src/${room}/*.ts`))
    .filter((file) => !file.startsWith('src/http/page/'))
    .map((file) => {
      const names = [...readFileSync(file, 'utf8').matchAll(growing)].map(([, name]) => name)
      return names.length > 0 ? `${file}: ${names.join(', ')}` : ''
    })
    .filter((line) => line !== '')
  expect(found).toEqual(Object.keys(GROWS))
})
