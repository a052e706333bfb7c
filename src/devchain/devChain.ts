import { Hono } from 'hono'

import { sleep } from '../lib/sleep.ts'
import { timeSlice } from '../lib/timeSlice.ts'
import { createNativeInterface } from './api/interface.ts'
import { createNativeApp, createNativeTransport } from './api/nativeServer.ts'
import { createArtifacts } from './artifacts.ts'
import type { ChainBlock } from './blocks/block.ts'
import { type DumpedChain, packState, unpackState } from './blocks/stateDump.ts'
import { createStateFile } from './blocks/stateFile.ts'
import { type AccountChange, changeAccount } from './execution/override.ts'
import type { Fork } from './fork/open.ts'
import { hardforkOf } from './ledger/blockContexts.ts'
import { createClock } from './ledger/clock.ts'
import { defineChain } from './ledger/defineChain.ts'
import { createLedger } from './ledger/ledger.ts'
import type { MineOptions, Snapshot } from './ledger/ledger.ts'
import { DERIVATION_PATH, MNEMONIC } from './state/keys.ts'
import { runFetching } from './state/missing.ts'
import { SLOT } from './state/resources.ts'
import type { Overlay } from './state/state.ts'
import { createUnlocked } from './state/unlocked.ts'
import type { SignedEthereum } from './transactions/ethereumTransaction.ts'

/** Blocks of one request that are all stored. Of more blocks the middle is a run. */
const MOST_STORED = 1_000

/** Number of stored blocks after a run. The chain can go back to each of them. */
const STORED_AFTER = 128

/** A snapshot of the chain with its time. */
type Mark = { chain: Snapshot; resumeTime: () => void }

/** A chain in this process with the node's HTTP interface. */
export type DevChain = Awaited<ReturnType<typeof createDevChain>>

/** Creates a chain with funded accounts. It makes no block before `start`. */
export async function createDevChain(options: createDevChain.Options = {}) {
  const {
    decimals = 6,
    fork,
    now = Date.now,
    onError = () => {},
    profile = 'ethereum',
    random = Math.random,
    seed,
    state: stateFile,
  } = options
  const initialBlockTime = options.blockTime ?? (profile === 'native' ? SLOT : 0)
  const kept = stateFile === undefined ? undefined : createStateFile(stateFile)
  const entries = kept?.read() ?? []
  const [first] = entries
  const { accounts, ethereum, genesis } = defineChain({
    ...options,
    ...(first?.kind === 'chain' && { startTime: first.time }),
  })
  /** The values that a state file must match. */
  const identity = () =>
    (fork ? fork.block.id : ledger.block(0)?.id) + (decimals === 18 ? '/18' : '')
  // In parallel, because reads in sequence from a distant node would take seconds.
  await Promise.all(
    [...genesis.accounts, ...genesis.producers].map(({ address }) =>
      runFetching(() => fork?.state.get('account', address)),
    ),
  )
  const ledger = await runFetching(() =>
    createLedger(genesis, { ethereum, nextTime: () => clock.next(), ...(fork && { fork }) }),
  )
  const clock = createClock({
    headTime: () => ledger.head().header.timestamp,
    now,
    repeatable: seed !== undefined,
    start: options.timestamp,
    step: profile === 'native' ? 1 : 1_000,
  })
  // The clock continues from the time of the fork block, as in anvil and Hardhat.
  if (fork && seed === undefined) clock.set(fork.block.header.timestamp)
  if (options.timestamp !== undefined) clock.startAt(options.timestamp)
  const unlocked = createUnlocked(accounts)
  const printListeners = new Set<(printed: readonly Uint8Array[]) => void>()
  const listeners = new Set<(head: ChainBlock) => Promise<void> | void>()
  const snapshots = new Map<number, Mark>()
  let started: Mark | undefined
  /** The chain at the start, once another one was loaded. */
  let startedWith: DumpedChain | undefined
  let lastSnapshot = 0
  let blockTime = { least: initialBlockTime, most: initialBlockTime }
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let automine = options.automine ?? true
  /** Why the last block that no call waited for failed: the same reason is reported once. */
  let lastReason: string | undefined
  /** Resolves when the blocks of the transactions that were accepted are made. */
  let due: Promise<unknown> | undefined

  await restore()

  async function restore(): Promise<void> {
    const { time } = genesis
    if (!first) return kept?.append({ kind: 'chain', genesis: identity(), time, hardforks: true })
    if (first.kind !== 'chain' || first.genesis !== identity())
      throw new Error(
        `${stateFile} holds another chain: it was made with other accounts, balances, producers, decimals, another chain id or another fork block`,
      )
    // Blocks without one ran on the chain's own EVM, unless the file does not say it.
    const unsaid = first.hardforks ? {} : hardforkOf(ethereum)
    for (const entry of entries) {
      if (entry.kind === 'block') {
        const { block } = entry
        ledger.restore.change({ ...entry, block: { ...block, seen: { ...unsaid, ...block.seen } } })
      }
      if (entry.kind === 'run' || entry.kind === 'patch') ledger.restore.change(entry)
      if (entry.kind === 'return') ledger.restore.returnTo(entry.mark)
      if (entry.kind === 'load') await ledger.load(unpackState(entry.dump).chain as DumpedChain)
    }
    entries.length = 0
    // The file may be of a chain with other producers, which would make no more blocks.
    const changes = await ledger.restore.adopt()
    if (changes.size > 0) kept?.append({ kind: 'patch', changes: [...changes] })
    if (options.timestamp === undefined) clock.resume()
    else clock.startAt(options.timestamp)
  }

  /** Makes and stores a block without calling the listeners. */
  async function make(how: Partial<MineOptions> = {}): Promise<ChainBlock | undefined> {
    const block = await ledger.mine({ timestamp: () => clock.take(), ...how })
    if (block) kept?.append({ kind: 'block', block, changes: [...ledger.lastChanges()] })
    return block
  }

  /** Makes a run of empty blocks and the block after it. Returns how many blocks it made: 0 when no run can be made now. */
  async function makeRun(length: number, step: number): Promise<number> {
    const made = await ledger.mineRun({ length, step })
    if (!made) return 0
    const { block, changes, run } = made
    clock.reach(block.header.timestamp)
    kept?.append({ kind: 'run', run, block, changes: [...changes] })
    return block.header.number - run.from + 1
  }

  async function mine(how: Partial<MineOptions> = {}): Promise<ChainBlock> {
    const { announced } = await makeNext(how)
    await announced
    return ledger.head()
  }

  /** Makes a block. Another call may have made it: the listeners have been called for it when `announced` resolves. */
  async function makeNext(how: Partial<MineOptions>): Promise<{ announced: Promise<void> }> {
    if (await make(how)) {
      lastReason = undefined
      schedule()
    }
    return { announced: announce() }
  }

  async function returnTo({ chain, resumeTime }: Mark): Promise<void> {
    await ledger.revert(chain)
    const { number, revision } = chain
    kept?.append({ kind: 'return', mark: { number, revision } })
    resumeTime()
    await announce()
  }

  async function patch(change: (state: Overlay) => void): Promise<void> {
    const changes = await ledger.patch(change)
    kept?.append({ kind: 'patch', changes: [...changes] })
  }

  async function announce(): Promise<void> {
    await Promise.all([...listeners].map(async (listener) => listener(ledger.head())))
  }

  function schedule(): void {
    clearTimeout(timer)
    const { least, most } = blockTime
    if (closed || most === 0) return
    const wait = least + Math.floor(random() * (most - least + 1))
    timer = setTimeout(() => void mine().catch(fail), wait)
    timer.unref()
  }

  /** A block that no call waited for failed, as when the node of a fork does not answer. The next one may succeed. */
  function fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (reason !== lastReason) onError(error)
    lastReason = reason
    schedule()
  }

  async function replaceBy(chain: DumpedChain, dump: Uint8Array): Promise<void> {
    await ledger.load(chain)
    kept?.append({ kind: 'load', dump })
    snapshots.clear()
  }

  /** Whether a dumped chain has its first block where this one has it. */
  function startsHere({ changes: [change] }: DumpedChain): boolean {
    if (change?.kind !== 'block') return false
    const { header, id } = change.block
    return fork ? id === fork.block.id : header.number === 0
  }

  const mark = (): Mark => ({ chain: ledger.snapshot(), resumeTime: clock.mark() })

  const native = createNativeInterface({
    ledger,
    now: clock.now,
    sleep: (ms) => sleep(ms, undefined, { ref: false }),
    onPrinted: (printed) => printListeners.forEach((listener) => listener(printed)),
    async submit(transaction) {
      const owner = String(transaction.value['owner_address'])
      await ledger.offer(
        unlocked.isImpersonated(owner) ? { ...transaction, impersonated: true } : transaction,
      )
      if (automine) await mine({ pending: transaction.id })
    },
  })

  async function offer(signed: SignedEthereum): Promise<string> {
    const { id } = await ledger.offerEthereum(signed)
    return id
  }

  /** Makes the block of an accepted transaction later. */
  function makeLater(id: string, start: () => Promise<void>): { announced: Promise<void> } {
    const made = start().then(() => makeNext({ pending: id }))
    due = made.catch(fail)
    return { announced: made.then(({ announced }) => announced) }
  }

  // Native clients see the blocks of accepted transactions too.
  const app = new Hono().use(async (_, next) => {
    await due
    await next()
  })

  return {
    accounts,
    /** Decimals of the coin. */
    decimals,
    /** The last four bytes of the genesis block, or what a tool has set. */
    get chainId() {
      return ledger.chainId()
    },
    ledger,
    /** The accounts that send without a signature. */
    unlocked,
    /** Mnemonic and derivation path of the accounts. */
    mnemonic: options.mnemonic ?? MNEMONIC,
    derivationPath: options.derivationPath ?? DERIVATION_PATH,
    /** The chain that this one forks. */
    fork,
    clock,
    /** The custom errors that the chain can name. */
    artifacts: createArtifacts(options.artifacts),
    /** Serves `/wallet/*` and `/walletsolidity/*`. */
    app: app.route('/', createNativeApp(native)),
    /** The native interface without sockets. */
    transport: createNativeTransport(native),
    /** Whether each transaction is mined at once. */
    get automine() {
      return automine
    },
    set automine(on) {
      automine = on
    },
    /** Makes one block. */
    mine,
    /** Adds an Ethereum transaction to the pool and makes no block. Returns its hash without `0x`. @throws EthereumError */
    offer,
    /**
     * Sends an Ethereum transaction. With automine it is in a block when this resolves, and the listeners of `onBlock` have seen
     * the block when `announced` resolves.
     *
     * @param start - Makes the block only when its promise resolves. This then resolves as soon as the pool has the transaction,
     *   except with a fork or a state file, where a valid transaction can still fail.
     * @throws EthereumError
     */
    async send(
      signed: SignedEthereum,
      start?: () => Promise<void>,
    ): Promise<{ announced: Promise<void> }> {
      const id = await offer(signed)
      const isReady = await runFetching(() => ledger.isReady(id))
      if (!automine || !isReady) return { announced: Promise.resolve() }
      // The node of a fork may not answer, and a disk may be full.
      const canFail = fork !== undefined || kept !== undefined
      return start && !canFail ? makeLater(id, start) : makeNext({ pending: id })
    },
    /**
     * Makes blocks. `interval` is the time between them in milliseconds. Of more than 1,000 blocks the empty ones in the middle are
     * a run, which takes no memory for each block.
     */
    async mineMany(count: number, interval = 0): Promise<void> {
      for (let made = 0; made < count;) {
        const left = count - made - STORED_AFTER
        if (made > 0 && count > MOST_STORED)
          made += await makeRun(left, interval > 0 ? interval : clock.spacing())
        if (made > 0 && interval > 0) clock.setNext(ledger.head().header.timestamp + interval)
        await make()
        made++
        if (timeSlice.isOver()) await timeSlice.next()
      }
      schedule()
      await announce()
    },
    /** Starts to make blocks. */
    async start(): Promise<void> {
      // Tools do not expect time 0 of the newest block.
      if (ledger.head().header.timestamp === 0) await mine()
      started = mark()
      schedule()
    },
    /** Stops making blocks. Every transaction that was accepted for a block is in it when this resolves. */
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await due
      await fork?.close()
    },
    /** Calls the listener after each change of the chain and waits for it. Returns the function that removes it. */
    onBlock(listener: (head: ChainBlock) => Promise<void> | void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Calls the listener with what contracts print in constant calls of the native interface. */
    onPrinted: (listener: (printed: readonly Uint8Array[]) => void): void =>
      void printListeners.add(listener),
    /** Milliseconds between blocks without transactions, or the least of a range; 0 for no such blocks. */
    blockTime: () => blockTime.least,
    /** Sets the milliseconds between blocks, or the range of a random time for each block. */
    setBlockTime(least: number, most = least): void {
      blockTime = { least, most }
      schedule()
    },
    /** Removes every block above a height. With `keep` their transactions return to the pool. */
    async rewind(number: number, keep: boolean): Promise<void> {
      const mark = await ledger.rewind(number, keep)
      kept?.append({ kind: 'return', mark })
      for (const [id, { chain }] of snapshots)
        if (chain.revision > mark.revision) snapshots.delete(id)
      await announce()
    },
    /** The snapshots that can be restored, with the newest block of each. */
    snapshots: () => [...snapshots].map(([id, { chain }]) => ({ id, block: chain.number })),
    /** Stores the chain: blocks, state, pool and time. Returns the number of the snapshot. */
    snapshot(): number {
      snapshots.set(++lastSnapshot, mark())
      return lastSnapshot
    },
    /** Restores a snapshot and deletes it and all later ones. False when it does not exist. */
    async revert(id: number): Promise<boolean> {
      const snapshot = snapshots.get(id)
      if (!snapshot) return false
      for (const later of snapshots.keys()) if (later >= id) snapshots.delete(later)
      await returnTo(snapshot)
      return true
    },
    /** Deletes a snapshot. False when it does not exist. */
    dropSnapshot: (id: number): boolean => snapshots.delete(id),
    /** Restores the chain as it was when this process started. */
    async reset(): Promise<void> {
      snapshots.clear()
      ledger.clearChoices()
      if (started && startedWith) {
        await replaceBy(startedWith, packState(startedWith))
        started = { ...started, chain: ledger.snapshot() }
        startedWith = undefined
      }
      if (started) await returnTo(started)
    },
    /** The chain as bytes, for `loadState`: blocks, and the state after each of them. */
    dumpState: () => packState(ledger.dump(decimals)),
    /**
     * Replaces the chain by a dumped one. A fork of another block, and a dump without blocks, only add its accounts to the newest state.
     *
     * @throws Error when the bytes are not such a state, or amounts have other decimals there
     */
    async loadState(dump: Uint8Array): Promise<void> {
      const { accounts: values, chain } = unpackState(dump)
      if (chain && chain.decimals !== decimals)
        throw new Error(
          `amounts of this state have ${chain.decimals} decimals, and those of this chain ${decimals}`,
        )
      if (!chain || !startsHere(chain)) return patch((state) => state.setAll(values))
      const whole = ledger.dump(decimals)
      // Each change has a revision of its own, from 0 on.
      if (started)
        startedWith ??= { ...whole, changes: whole.changes.slice(0, started.chain.revision + 1) }
      await replaceBy(chain, dump)
      clock.reach(ledger.head().header.timestamp)
      await announce()
    },
    /** Changes the state of the newest block, without a block. */
    patch,
    /** Changes one account of the newest block, by address of 42 hex characters. */
    changeAccount: (address: string, change: AccountChange): Promise<void> =>
      patch((state) => changeAccount(state, address, change, ledger.head().header.timestamp)),
    setFaults: native.setFaults,
  }
}

export declare namespace createDevChain {
  type Options = Omit<defineChain.Options, 'startTime'> & {
    /** Build folder of Hardhat or Foundry, whose custom errors the chain can name. */
    artifacts?: string | undefined
    /** The chain to fork, with its own chain id, parameters and past. */
    fork?: Fork | undefined
    /** Milliseconds between blocks without transactions; 0 for no such blocks. @default 0; 3,000 for the native profile */
    blockTime?: number
    /** Whether each transaction is mined at once. @default true */
    automine?: boolean
    /** File that stores the chain, to continue after a restart. */
    state?: string
    /** Called when a block that no call waits for cannot be made, once for each reason in a row. */
    onError?: (error: unknown) => void
    /** A number from 0 to 1, for random block times. @default Math.random */
    random?: () => number
  }
}
