// The thread that searches. It has an engine of its own, so that it neither waits for the writer nor for the gateway.
import { parentPort, workerData } from 'node:worker_threads'

import type { AccountRequest } from '../../chain/reads/accountIndex.ts'
import { answerCalls, transfer } from '../../lib/threadCalls.ts'
import { openEngine } from '../engine/open.ts'
import { createAccountSearcher } from '../search/accounts.ts'
import { createSearcher, type SearchRequest } from '../search/search.ts'
import { coverageOf, readSegments, withAccounts } from '../store/coverage.ts'
import { type Facts, readFacts } from '../store/facts.ts'

/** The settings of a reader. */
export type ReaderData = {
  address: string
  /** Milliseconds that one search may take. */
  deadline: number
  /** Hash of block 0, hex without `0x`: an index of another chain is not searched. */
  genesis: string
  /** Milliseconds of work after which a search may be split between two threads. Absent takes the default. */
  splitAfter?: number
}

const { address, deadline, genesis, splitAfter } = workerData as ReaderData
const engine = await openEngine(address)
let facts: Facts | undefined
let searchers: ReturnType<typeof searchersOf> | undefined

const searchersOf = (facts: Facts) => ({
  logs: createSearcher({ deadline, engine, facts, splitAfter }),
  accounts: createAccountSearcher({ deadline, engine, facts }),
})

/** Undefined until the index was written for the first time. */
async function open(): Promise<typeof searchers> {
  if (!facts) {
    const found = await readFacts(engine)
    if (found?.genesis === genesis) facts = found
  }
  if (facts) searchers ??= searchersOf(facts)
  return searchers
}

if (parentPort)
  answerCalls(parentPort, {
    async search({ maySplit, ...request }: SearchRequest & { maySplit: boolean }, signal, note) {
      const found = await (await open())?.logs.search(request, signal, maySplit ? note : undefined)
      if (!found) return undefined
      // The buffer of the rows is theirs alone, so the whole of it is handed over.
      return transfer(found, [
        found.bytes.buffer as ArrayBuffer,
        found.blocks.buffer as ArrayBuffer,
        found.ends.buffer as ArrayBuffer,
      ])
    },
    accounts: async (request: AccountRequest, signal) =>
      (await open())?.accounts.search(request, signal),
    async coverage() {
      await open()
      const segments = facts ? await engine.read(readSegments) : []
      return {
        addresses: facts?.addresses,
        bytes: await engine.size(),
        ranges: coverageOf(segments),
        accounts: coverageOf(withAccounts(segments)).map(({ from, to }) => ({ from, to })),
      }
    },
    close: () => engine.close(),
  })
