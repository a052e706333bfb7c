import { createQueue } from '../../lib/queue.ts'
import type { TransactionInfo } from '../../native/wire/types.ts'
import type { ChainBlock } from '../blocks/block.ts'
import { type ChainChange, createBlockStore, type Mark } from '../blocks/blockStore.ts'
import { adoptGenesis, createGenesis, type Genesis, goOnFrom } from '../blocks/genesis.ts'
import type { EmptyRun } from '../blocks/runList.ts'
import { type DumpedChain, notADump } from '../blocks/stateDump.ts'
import { contractTypes } from '../contracts/index.ts'
import { closeEmptyBlocks, quietUntil, solidNumber } from '../contracts/maintenance.ts'
import type { ExecutionContext, TransactionNotes } from '../execution/execution.ts'
import type { Pending } from '../execution/pool.ts'
import type { Fork } from '../fork/open.ts'
import { EthereumError } from '../state/errors.ts'
import { changeFetching, runFetching } from '../state/missing.ts'
import { SLOT } from '../state/resources.ts'
import type { Overlay, StateReader } from '../state/state.ts'
import type { SignedEthereum } from '../transactions/ethereumTransaction.ts'
import { type EthereumRules, nativeRules } from '../transactions/rules.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import { createBlockContexts, hardforkOf } from './blockContexts.ts'
import { createRun, producerAt } from './emptyRun.ts'
import { makeBlock } from './makeBlock.ts'
import { createWaiting, type PendingState } from './waiting.ts'

/** A chain in memory: blocks, the state at every height, and the pool. */
export type Ledger = ReturnType<typeof createLedger>

/** Options of a new block. */
export type MineOptions = {
  /** Milliseconds. A function is called when the block is made. */
  timestamp: number | (() => number)
  /** @default the producer of the slot */
  producer?: string
  /** Exactly these transactions, which must all be valid. @default the valid transactions of the pool */
  only?: readonly ChainTransaction[]
  /** Makes no block unless this transaction is still in the pool. Another block may have taken it already. */
  pending?: string
}

/** A run of empty blocks to make: at most so many blocks, and the time from each to the next in milliseconds. */
export type RunOptions = { length: number; step: number }

/** Blocks of the shortest run, and at least one of each producer: then all blocks before the run are solidified. */
const LEAST_RUN = 100

/** A state of the chain that it can return to. */
export type Snapshot = Mark & { waiting: readonly Pending[]; restoreChoices: () => void }

/**
 * Creates the chain itself, without clock and network. Blocks are made on request. Calls that change the chain run one after
 * another.
 *
 * @param options.types - The native contract types to execute.
 * @param options.ethereum - Rules for Ethereum transactions.
 * @param options.nextTime - The one time of the next block, for the pool, estimates and the pending block.
 * @param options.fork - The chain to fork. The accounts and producers of genesis are added to it.
 * @throws MissingStateError if a value of the forked chain must be fetched first.
 */
export function createLedger(
  genesis: Genesis,
  {
    ethereum: rules = nativeRules,
    fork,
    nextTime: givenTime,
    types = contractTypes,
  }: createLedger.Options = {},
) {
  const ethereum = { ...rules }
  const first = fork?.block.header.number ?? 0
  const store = createBlockStore(fork && { base: fork.state, first })
  const start = store.overlay()
  const block = fork
    ? goOnFrom(fork.block, start, genesis)
    : { ...createGenesis(start, genesis), seen: hardforkOf(ethereum) }
  store.add(block, start.changes())
  const { head } = store
  const nextTime = givenTime ?? (() => head().header.timestamp + SLOT)
  const chainId = fork?.chainId ?? Number.parseInt(head().id.slice(-8), 16)
  const contexts = createBlockContexts({ chainId, ethereum, fork, genesis, nextTime, store, types })
  const waiting = createWaiting({ contexts, ethereum, genesis, store })
  /** By the records of the transactions. */
  const notes = new WeakMap<TransactionInfo, TransactionNotes>()
  /** Calls that read or change the pool or the blocks run one after the other. */
  const exclusive = createQueue()

  /** Makes a block on top of the newest one without storing it. */
  async function build({ only, producer, timestamp }: MineOptions) {
    const next = contexts.nextBlock(typeof timestamp === 'number' ? timestamp : timestamp())
    if (producer) next.producer = producer
    const state = store.overlay()
    const taken = only ?? (await waiting.ready())
    const made = await makeBlock(state, taken, {
      branch: store.newBranch(),
      context: contexts.contextOf(next),
      genesis,
      isComplete: only !== undefined,
      next,
      parent: store.head(),
      seen: contexts.choice(),
    })
    return { made, state, taken }
  }

  async function mine(options: MineOptions): Promise<ChainBlock> {
    const { made, state, taken } = await build(options)
    for (const [record, noted] of made.notes) notes.set(record, noted)
    store.add(made.block, state.changes())
    // The block omitted transactions that are no longer valid.
    const ids = new Set(taken.map(({ id }) => id))
    waiting.keep(({ id }) => !ids.has(id))
    contexts.made()
    return made.block
  }

  /** What the next blocks have in common; undefined unless all of them are empty. */
  async function steady() {
    const found = store.newBranch() === undefined ? contexts.steady() : undefined
    if (!found || waiting.all().length === 0) return found
    // A transaction that offers too little waits for the base fee to fall.
    const isFalling = found.seen.baseFee !== store.head().seen?.baseFee
    return isFalling || (await waiting.ready()).length > 0 ? undefined : found
  }

  async function mineRun({ length, step }: RunOptions): Promise<MadeRun | undefined> {
    const least = Math.max(LEAST_RUN, genesis.producers.length)
    const common = length < least ? undefined : await steady()
    if (!common) return undefined
    const parent = store.head()
    const state = store.overlay()
    const from = parent.header.number + 1
    const time = parent.header.timestamp + step
    const quiet = await runFetching(() => quietUntil(state))
    const count = Math.min(length, Math.ceil((quiet - time) / step))
    if (count < least) return undefined
    const to = from + count - 1
    const run: EmptyRun = { from, to, time, step, parent: parent.id, ...common }
    const producerOf = (number: number) => producerAt(genesis, number, common.turn).address
    await changeFetching(state, (work) =>
      closeEmptyBlocks(work, run, { at: producerOf, period: genesis.producers.length }),
    )
    const { blockAt } = createRun(run, genesis)
    const next = { number: to + 1, timestamp: time + count * step, producer: producerOf(to + 1) }
    const { block } = await makeBlock(state, [], {
      branch: undefined,
      context: contexts.contextOf(next),
      genesis,
      isComplete: true,
      next,
      parent: blockAt(to),
      // The base fee after the run is that of one more of its blocks.
      seen: blockAt(to + 1).seen ?? {},
    })
    addRun(run, block, state.changes())
    waiting.stateChanged()
    return { run, block, changes: state.changes() }
  }

  function addRun(run: EmptyRun, block: ChainBlock, changes: ReadonlyMap<string, unknown>): void {
    store.addRun(createRun(run, genesis))
    store.add(block, changes)
  }

  /** Stores a block or a patch that was made before. */
  function replay(change: ChainChange): void {
    const changes = new Map(change.changes)
    if (change.kind === 'patch') return store.patch(changes)
    if (change.kind === 'run') return addRun(change.run, change.block, changes)
    store.add(change.block, changes)
  }

  /** Whether each block of a chain follows from the one before it, and the first one is where this chain starts. @throws Error */
  function checkChain({ changes, producers }: DumpedChain): void {
    let parent: { id: string; header: { number: number } } | undefined
    for (const change of changes) {
      if (change.kind === 'patch') continue
      const { header, id } = change.block
      let before = parent
      if (change.kind === 'run' && parent) {
        const { from, parent: at, to } = change.run
        if (producers.join() !== addressesOf(genesis).join())
          throw new Error(
            'this state has empty blocks that were mined at once by other producers: start with the same --producers and --seed',
          )
        if (at !== parent.id || from !== parent.header.number + 1) throw notADump()
        before = createRun(change.run, genesis).blockAt(to)
      }
      const follows = before
        ? header.number === before.header.number + 1 && header.parentHash === before.id
        : header.number === first && change.kind === 'block'
      if (!follows) throw notADump()
      parent = { id, header }
    }
    if (!parent) throw notADump()
  }

  /** A block that says its chain id, if that is not the one of this chain. */
  const ofChain = (change: ChainChange, itsChainId: number): ChainChange => {
    if (change.kind === 'patch' || itsChainId === chainId) return change
    const { block } = change
    return { ...change, block: { ...block, seen: { chainId: itsChainId, ...block.seen } } }
  }

  /** Adds the producers, accounts and contracts of genesis that the state does not have. Returns the changes. */
  async function adopt(): Promise<ReadonlyMap<string, unknown>> {
    const work = store.overlay()
    await changeFetching(work, (state) => adoptGenesis(store.head(), state, genesis))
    if (work.changes().size > 0) store.patch(work.changes())
    return work.changes()
  }

  async function load(dumped: DumpedChain): Promise<void> {
    checkChain(dumped)
    const pool = waiting.all().map(({ transaction }) => transaction)
    store.clear(dumped.branches)
    for (const change of dumped.changes) replay(ofChain(change, dumped.chainId))
    await adopt()
    store.branch()
    await waiting.replaceByValid(pool)
  }

  async function rewind(number: number, keep: boolean): Promise<Mark> {
    const run = store.nextRun(number)
    if (run && run.from <= number)
      throw new EthereumError(
        `block ${number} is one of the empty blocks ${run.from} to ${run.to}, which were mined at once: the chain can go back to blocks before or after them`,
      )
    const mark = store.markAt(number)
    const undone = store.returnTo(mark).flatMap((block) => block.transactions)
    await waiting.replaceByValid(
      [...(keep ? undone : []), ...waiting.all()].map(({ transaction }) => transaction),
    )
    return mark
  }

  async function patch(change: (state: Overlay) => void) {
    const work = store.overlay()
    await changeFetching(work, change)
    store.patch(work.changes())
    waiting.stateChanged()
    return work.changes()
  }

  return {
    chainId: contexts.chainId,
    setChainId: contexts.setChainId,
    setSigner: contexts.setSigner,
    genesis,
    head: store.head,
    block: store.block,
    stored: store.stored,
    nextRun: store.nextRun,
    numberOf: store.numberOf,
    placeOf: store.placeOf,
    changedAt: (...of: Parameters<typeof store.changedAt>) => store.changedAt(...of),
    /** The state after the block at a height. @throws ForkError before a fork if the node does not keep the state */
    stateAt: (number: number): StateReader =>
      fork && number < first ? fork.stateAt(number) : store.stateAt(number),
    blockAt: contexts.blockAt,
    /** The chain that this one forks. */
    fork,
    solid: () => store.block(solidNumber(store.state())) as ChainBlock,
    contextOf: contexts.contextOf,
    contextAt: contexts.contextAt,
    next: contexts.next,
    chooseNext: contexts.chooseNext,
    setCoinbase: contexts.setCoinbase,
    clearChoices: contexts.clearChoices,
    shiftTurn: contexts.shiftTurn,
    /** What the chain does not store of a transaction, by its record; nothing after a restart. */
    notesOf: (info: TransactionInfo): TransactionNotes => notes.get(info) ?? {},
    /** Rules for Ethereum transactions. */
    rules: ethereum,
    /** Sets the highest gas limit that a transaction may have. */
    setGasLimit: (limit: bigint): void => void (ethereum.gasLimit = limit),
    /** The newest state without the pool. */
    newestState: (): StateReader => store.state(),
    /** The blocks with the state after each of them. `decimals`: those of the coin. */
    dump: (decimals: number): DumpedChain => ({
      decimals,
      chainId,
      producers: addressesOf(genesis),
      branches: store.branches(),
      changes: [...store.changes()],
    }),

    /**
     * Replaces the chain by one that starts at the same block. Its state gets the accounts and producers of this chain that it
     * does not have. Transactions stay in the pool if they are valid.
     *
     * @throws Error when its blocks do not follow from each other; nothing is changed then.
     */
    load: (dumped: DumpedChain) => exclusive(() => load(dumped)),
    /** The keys of a table that begin with a text, of any state. */
    keysOf: store.keysOf,
    /** The changes of the newest block or patch. */
    lastChanges: store.lastChanges,

    /** The transactions of the pool, in the order of their arrival. */
    pool: waiting.all,
    isReady: waiting.isReady,
    withoutGap: waiting.withoutGap,
    pendingNonce: waiting.nonceOf,

    /** The newest state with the pool on top. */
    pendingState: async (): Promise<PendingState> => waiting.known() ?? exclusive(waiting.state),

    /** Adds a native transaction to the pool. @throws RefusedError with the reason that a broadcast reports */
    offer: (transaction: ChainTransaction) => exclusive(() => waiting.offer(transaction)),

    /** Adds an Ethereum transaction to the pool. @throws EthereumError when no block can contain it */
    offerEthereum: (signed: SignedEthereum) => exclusive(() => waiting.offerEthereum(signed)),

    /** Removes transactions from the pool. */
    drop: (isDropped: (transaction: ChainTransaction) => boolean) =>
      exclusive(async () => waiting.keep((transaction) => !isDropped(transaction))),

    /** Makes one block of the pool; undefined when `pending` was no longer in the pool. */
    mine: (options: MineOptions) =>
      exclusive(async () =>
        options.pending === undefined || waiting.has(options.pending) ? mine(options) : undefined,
      ),

    /**
     * Makes a run of empty blocks, whose blocks are computed when they are read, and a stored block after it. Makes nothing when
     * the next blocks are too few or not all empty and alike: a transaction, a vote or a chosen value waits for one of them.
     */
    mineRun: (options: RunOptions) => exclusive(() => mineRun(options)),

    /** The block that `mine` would make of the pool, without making it. */
    pendingBlock: () => exclusive(async () => (await build({ timestamp: nextTime })).made.block),

    /** Changes the state without a block. Returns the changes. */
    patch: (change: (state: Overlay) => void) => exclusive(() => patch(change)),

    snapshot: (): Snapshot => ({
      ...store.mark(),
      waiting: [...waiting.all()],
      restoreChoices: contexts.mark(),
    }),

    /** Restores a snapshot: blocks, state, pool, and what tools chose for later blocks. */
    revert: (snapshot: Snapshot) =>
      exclusive(async () => {
        store.returnTo(snapshot)
        snapshot.restoreChoices()
        waiting.replace(snapshot.waiting)
      }),

    /**
     * Removes every block above `number`. With `keep` their transactions return to the pool. Returns a mark of the newest block.
     *
     * @throws EthereumError when that block is in a run, which has no state of its own
     */
    rewind: (number: number, keep: boolean) => exclusive(() => rewind(number, keep)),

    /** Adds the blocks and changes of a state file. No other call may run meanwhile. */
    restore: {
      adopt,
      change(change: ChainChange): void {
        if (change.kind === 'patch' || change.block.header.number > first) replay(change)
      },
      returnTo: (mark: Mark): void => void store.returnTo(mark),
    },
  }
}

const addressesOf = ({ producers }: Genesis) => producers.map(({ address }) => address)

/** A run that was made, and the stored block after it with all changes of the state. */
type MadeRun = { run: EmptyRun; block: ChainBlock; changes: ReadonlyMap<string, unknown> }

export declare namespace createLedger {
  type Options = {
    ethereum?: EthereumRules
    fork?: Fork
    /** The time of the next block if it is made now, milliseconds. @default one slot after the newest block */
    nextTime?: () => number
    types?: ExecutionContext['types']
  }
}
