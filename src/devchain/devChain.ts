import { setTimeout as delay } from 'node:timers/promises'

import { Hono } from 'hono'

import { NodeUnreachableError } from '../native/errors.ts'
import type { NativeTransport } from '../native/transport.ts'
import { createNativeInterface } from './api/interface.ts'
import type { ChainBlock } from './block.ts'
import { createLedger } from './chain.ts'
import type { Ledger, MineOptions } from './chain.ts'
import type { Faults } from './faults.ts'
import type { Genesis } from './genesis.ts'
import { createJournal } from './journal.ts'
import { devAccounts, producerKeys } from './keys.ts'
import type { DevAccount } from './keys.ts'
import { COIN, SLOT } from './resources.ts'

/** A chain in this process, behind the node's HTTP interface. */
export type DevChain = {
  accounts: readonly DevAccount[]
  /** Last four bytes of the genesis block. */
  chainId: number
  ledger: Ledger
  /** Serves `/wallet/*` and `/walletsolidity/*`. */
  app: Hono
  /** The same interface without sockets. */
  transport: NativeTransport
  /** Begins to make blocks. */
  start(): Promise<void>
  close(): Promise<void>
  /** Called after each block and after blocks were undone, and waited for. Returns the function that ends it. */
  onBlock(listener: (head: ChainBlock) => Promise<void> | void): () => void
  /** Makes one block now. */
  mine(options?: Partial<MineOptions>): Promise<ChainBlock>
  /** Moves the chain's clock forward, milliseconds. Returns by how much it is ahead in all. */
  increaseTime(ms: number): number
  /** Milliseconds of the next block, once. */
  setNextTimestamp(ms: number): void
  automine: boolean
  setBlockTime(ms: number): void
  /** Undoes every block above a height. Their transactions wait again when `keep` is set. */
  rewind(number: number, keep: boolean): Promise<void>
  setFaults(faults: Faults): void
}

/** Time of the first block under a seed: 2025-01-01, on the grid of slots. */
const SEEDED_START = 1_735_689_600_000

/** Makes a chain with funded accounts. Nothing moves before `start`. */
export async function createDevChain(options: createDevChain.Options = {}): Promise<DevChain> {
  const {
    accounts: count = 10,
    balance = 1_000_000n,
    blockTime: initialBlockTime = SLOT,
    now: clock = Date.now,
    producers = 5,
    seed,
    state: stateFile,
  } = options
  const accounts = devAccounts(count)
  const genesis: Genesis = options.genesis ?? {
    accounts: accounts.map(({ address }) => ({ address, balance: balance * COIN })),
    producers: producerKeys(seed ?? '', producers).map(({ address, key }, index) => ({
      address,
      key,
      url: `http://producer${index + 1}.invalid`,
      votes: BigInt(100 - index),
    })),
    firstMaintenance: 0,
    ...(options.parameters && { parameters: options.parameters }),
  }
  const ledger = createLedger(genesis)
  const journal = stateFile === undefined ? undefined : createJournal(stateFile)
  const listeners = new Set<(head: ChainBlock) => Promise<void> | void>()
  let ahead = 0
  let nextTimestamp: number | undefined
  let blockTime = initialBlockTime
  let timer: NodeJS.Timeout | undefined
  let closed = false

  restore()

  function restore(): void {
    const entries = journal?.read() ?? []
    const [first] = entries
    if (!first) return journal?.append({ kind: 'chain', genesis: ledger.head().id })
    if (first.kind !== 'chain' || first.genesis !== ledger.head().id)
      throw new Error(
        `${stateFile} holds another chain: it was made with other accounts, balances or producers`,
      )
    for (const entry of entries) {
      if (entry.kind === 'block') ledger.restore(entry.block, new Map(entry.changes))
      if (entry.kind === 'rewind') ledger.forget(entry.number)
    }
    ahead = Math.max(0, ledger.head().header.timestamp - clock())
  }

  const now = () =>
    seed === undefined
      ? clock() + ahead
      : Math.max(ledger.head().header.timestamp, SEEDED_START) + ahead

  function timestampOfNext(): number {
    const { timestamp } = ledger.head().header
    const chosen =
      nextTimestamp ??
      (seed === undefined ? now() : Math.max(timestamp, SEEDED_START) + SLOT + ahead)
    if (seed !== undefined) ahead = 0
    nextTimestamp = undefined
    return Math.max(chosen, timestamp + 1)
  }

  async function mine(how: Partial<MineOptions> = {}): Promise<ChainBlock> {
    const block = await ledger.mine({ timestamp: timestampOfNext, ...how })
    if (!block) return ledger.head()
    journal?.append({
      kind: 'block',
      block,
      changes: [...ledger.changesOf(block.header.number)],
    })
    schedule()
    await announce()
    return block
  }

  async function announce(): Promise<void> {
    await Promise.all([...listeners].map(async (listener) => listener(ledger.head())))
  }

  function schedule(): void {
    clearTimeout(timer)
    if (closed || blockTime === 0) return
    timer = setTimeout(() => void mine().catch(schedule), blockTime)
    timer.unref()
  }

  const native = createNativeInterface({
    ledger,
    now,
    sleep: (ms) => delay(ms, undefined, { ref: false }),
    async submit(transaction) {
      await ledger.offer(transaction)
      if (chain.automine) await mine({ pending: transaction.id })
    },
  })

  const chain: DevChain = {
    accounts,
    chainId: ledger.chainId,
    ledger,
    app: createApp(native),
    transport: createTransport(native),
    automine: options.automine ?? true,
    mine,
    async start() {
      if (ledger.head().header.number === 0) await mine()
      schedule()
    },
    async close() {
      closed = true
      clearTimeout(timer)
    },
    onBlock(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    increaseTime: (ms) => (ahead += ms),
    setNextTimestamp: (ms) => void (nextTimestamp = ms),
    setBlockTime(ms) {
      blockTime = ms
      schedule()
    },
    async rewind(number, keep) {
      await ledger.rewind(number, keep)
      journal?.append({ kind: 'rewind', number })
      await announce()
    },
    setFaults: native.setFaults,
  }
  return chain
}

export declare namespace createDevChain {
  type Options = {
    /** Funded accounts. @default 10 */
    accounts?: number
    /** Coins of each. @default 1,000,000 */
    balance?: bigint
    /** Milliseconds between blocks when no transaction comes; 0 for none. @default 3,000 */
    blockTime?: number
    /** A block at once when a transaction comes. @default true */
    automine?: boolean
    /** Producers in turn; the solidified block trails the head by about 70 percent of them. @default 5 */
    producers?: number
    /** Makes every block and hash repeatable: times count from a fixed date, three seconds a block. */
    seed?: string
    /** File that keeps the chain over restarts. */
    state?: string
    /** Chain parameters by key. */
    parameters?: Readonly<Record<string, bigint>>
    /** Replaces accounts, producers and parameters. */
    genesis?: Genesis
    /** Milliseconds. @default Date.now */
    now?: () => number
  }
}

type Native = ReturnType<typeof createNativeInterface>

function createApp(native: Native): Hono {
  const app = new Hono()
  for (const path of ['/wallet/*', '/walletsolidity/*'])
    app.all(path, async (context) => {
      const url = new URL(context.req.url)
      const { drop, status, text } = await native.answer({
        path: url.pathname,
        method: context.req.method,
        body: await context.req.text(),
        query: url.searchParams,
      })
      if (drop) (context.env as { incoming?: { destroy(): void } }).incoming?.destroy()
      return new Response(text, {
        status,
        headers: { 'content-type': 'application/json;charset=utf-8' },
      })
    })
  return app
}

function createTransport(native: Native): NativeTransport {
  return {
    async send(path, body, { signal }) {
      signal?.throwIfAborted()
      const [name = '', query = ''] = path.split('?')
      const { drop, status, text } = await native.answer({
        path: name,
        method: body === undefined ? 'GET' : 'POST',
        body: body ?? '',
        query: new URLSearchParams(query),
      })
      signal?.throwIfAborted()
      if (drop) throw new NodeUnreachableError()
      return { status, text }
    },
    close: async () => undefined,
  }
}
