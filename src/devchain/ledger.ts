import type { TransactionInfo } from '../native/types.ts'
import { BLOCK_VERSION, sealBlock } from './block.ts'
import type { ChainBlock } from './block.ts'
import { createBlockStore } from './blockStore.ts'
import type { Mark } from './blockStore.ts'
import { contractTypes } from './contracts/index.ts'
import { EthereumError, RefusedError } from './errors.ts'
import { checkEthereum } from './ethereum/check.ts'
import { envelopeOf } from './ethereum/envelope.ts'
import { gasPriceOf } from './ethereum/execute.ts'
import { nativeRules } from './ethereum/rules.ts'
import type { EthereumRules } from './ethereum/rules.ts'
import type { SignedEthereum } from './ethereum/transaction.ts'
import { applyTransaction, checkExpiration } from './execute.ts'
import type { Applied, ExecutionContext } from './execution.ts'
import type { Fork } from './fork/fork.ts'
import { createGenesis, goOnFrom } from './genesis.ts'
import type { Genesis } from './genesis.ts'
import { closeBlock, solidNumber } from './maintenance.ts'
import { resolving } from './missing.ts'
import { checkSigners } from './permissions.ts'
import { createPool } from './pool.ts'
import type { Pending } from './pool.ts'
import { createOverlay } from './state.ts'
import type { Overlay, StateReader } from './state.ts'
import type { ChainTransaction } from './transaction.ts'

/** A chain of one process: blocks, their state at every height, and the transactions that wait. */
export type Ledger = ReturnType<typeof createLedger>

/** How a block is made. */
export type MineOptions = {
  /** Milliseconds; a function is asked when the block's turn has come. */
  timestamp: number | (() => number)
  /** @default whose turn it is */
  producer?: string
  /** Exactly these transactions, all of which must be valid. @default the pool, without what is not valid any more */
  only?: readonly ChainTransaction[]
  /** Makes no block unless this transaction still waits: another block may have taken it already. */
  pending?: string
}

/** What contracts see of a block: its base fee, which Ethereum transactions pay, and its randomness. */
type NextBlockChoice = Pick<ExecutionContext['block'], 'baseFee' | 'prevRandao'>

/** The chain at a moment, to go back to. */
export type Snapshot = Mark & { waiting: readonly Pending[] }

/** How far back a transaction may refer to a block. */
const REFERENCE_WINDOW = 65_536

/** Whether a transaction was found not to be valid, as opposed to trouble in finding out. */
const isRefusal = (error: unknown) =>
  error instanceof RefusedError || error instanceof EthereumError

/** Changes a state at once, however often the change must begin again for values that are fetched. */
async function changing(state: Overlay, change: (state: Overlay) => void): Promise<void> {
  await resolving(() => {
    const work = createOverlay(state)
    change(work)
    work.commit()
  })
}

/**
 * The chain itself, without clock and network: transactions are offered, blocks are made when asked. Calls that change
 * it run one after another.
 *
 * @param options.types - The native contract types that it executes.
 * @param options.ethereum - How it treats Ethereum transactions.
 * @param options.fork - The chain that it goes on from, with the accounts and producers of genesis added.
 * @throws MissingStateError where a value of the forked chain must be fetched first.
 */
export function createLedger(
  genesis: Genesis,
  { ethereum: rules = nativeRules, fork, types = contractTypes }: createLedger.Options = {},
) {
  const ethereum = { ...rules }
  const first = fork?.block.header.number ?? 0
  const store = createBlockStore(fork && { base: fork.state, first })
  const { head } = store
  let pool = createPool()
  /** The newest state with the pool on top; undefined until somebody asks. */
  let session: Overlay | undefined
  /** A copy of it, for readers that may still read when the next transaction has come. */
  let readable: StateReader | undefined
  let turn = 0
  /** What the next block is to have. */
  let chosen: NextBlockChoice = {}
  /** The account that contracts see as the producer. */
  let coinbase: string | undefined
  /** What transactions printed, by their records. */
  const printed = new WeakMap<TransactionInfo, readonly Uint8Array[]>()
  let queue: Promise<unknown> = Promise.resolve()

  const start = store.overlay()
  store.add(
    fork ? goOnFrom(fork.block, start, genesis) : createGenesis(start, genesis),
    start.changes(),
  )
  const chainId = fork?.chainId ?? Number.parseInt(head().id.slice(-8), 16)

  /** A block, before a fork without its transactions. */
  const blockAt = (number: number) =>
    fork && number >= 0 && number < first ? fork.blockAt(number) : store.block(number)
  const hashOf = (number: number) => blockAt(number)?.id

  const exclusive = <result>(work: () => Promise<result>): Promise<result> => {
    const run = queue.then(work)
    queue = run.catch(() => undefined)
    return run
  }

  function refBlockHash(bytes: string, newest = head().header.number): string | undefined {
    const low = Number.parseInt(bytes, 16)
    if (bytes.length !== 4) return undefined
    const number = newest - ((newest - low) & 0xffff)
    if (number < 0 || newest - number >= REFERENCE_WINDOW) return undefined
    return hashOf(number)?.slice(16, 32)
  }

  function contextOf(block: {
    number: number
    timestamp: number
    producer: string
  }): ExecutionContext {
    return {
      headTime: head().header.timestamp,
      types,
      refBlockHash: (bytes) => refBlockHash(bytes),
      isKnown: (id) => store.placeOf(id) !== undefined,
      block: {
        ...block,
        chainId,
        hashOf,
        ...(block.number > head().header.number ? choice() : store.block(block.number)?.seen),
      },
      ethereum,
    }
  }

  /** What contracts see of the next block where it was chosen. */
  const choice = () => ({ ...chosen, ...(coinbase && { producer: coinbase }) })

  /** A block of the chain as its transactions met it. */
  function contextAt({ header: { number, timestamp, witness } }: ChainBlock): ExecutionContext {
    return {
      ...contextOf({ number, timestamp, producer: witness }),
      headTime: store.block(number - 1)?.header.timestamp ?? 0,
      refBlockHash: (bytes) => refBlockHash(bytes, number - 1),
      isKnown: () => false,
    }
  }

  const producerOfTurn = (number: number) =>
    genesis.producers[number % genesis.producers.length] as Genesis['producers'][number]

  const nextBlock = (timestamp: number) => {
    const number = head().header.number + 1
    return { number, timestamp, producer: producerOfTurn(number + turn).address }
  }

  /** Executes a transaction on top of what waits already. */
  async function admit(state: Overlay, transaction: ChainTransaction): Promise<Applied> {
    const block = nextBlock(head().header.timestamp + 3000)
    return resolving(() => applyTransaction(state, transaction, contextOf(block)))
  }

  function readableSession(): StateReader | undefined {
    if (!session || readable) return readable
    const copy = store.overlay()
    copy.setAll(session.changes())
    return (readable = copy)
  }

  /** The newest state with the pool on top. What is not valid there any more leaves the pool. */
  async function renewSession(): Promise<Overlay> {
    const state = store.overlay()
    for (const transaction of await readyTransactions())
      await admit(state, transaction).then(
        (applied) => pool.tried(transaction.id, applied),
        (error: unknown) => {
          if (!isRefusal(error)) throw error
          pool.keep(({ id }) => id !== transaction.id)
        },
      )
    setSession(state)
    return state
  }

  function setSession(state: Overlay | undefined): void {
    session = state
    readable = undefined
  }

  const readyTransactions = () => resolving(() => pool.ready(store.state()))

  async function seal(options: MineOptions): Promise<ChainBlock> {
    const timestamp =
      typeof options.timestamp === 'number' ? options.timestamp : options.timestamp()
    const before = head()
    const place = nextBlock(timestamp)
    const producer = options.producer ?? place.producer
    const context = contextOf({ ...place, producer })
    const seen = choice()
    const work = store.overlay()
    const waiting = options.only ?? (await readyTransactions())
    const content: Pick<ChainBlock, 'transactions' | 'infos' | 'seen'> = {
      transactions: [],
      infos: [],
      ...(Object.keys(seen).length > 0 && { seen }),
    }
    for (const transaction of waiting) {
      let applied: Applied
      try {
        applied = await resolving(() => applyTransaction(work, transaction, context))
      } catch (error) {
        if (options.only || !isRefusal(error)) throw error
        // What is not valid any more leaves the pool.
        continue
      }
      const { balances, info, results } = applied
      content.transactions.push({
        transaction: applied.transaction ?? transaction,
        results,
        balances,
      })
      const record = { ...info, blockNumber: place.number, blockTimeStamp: timestamp }
      content.infos.push(record)
      if (applied.printed) printed.set(record, applied.printed)
    }
    await changing(work, (state) => closeBlock(state, { ...place, producer }))
    const key = genesis.producers.find(({ address }) => address === producer)?.key
    const { number } = place
    const block = sealBlock(
      { number, timestamp, parentHash: before.id, witness: producer, version: BLOCK_VERSION },
      content,
      key,
    )
    store.add(block, work.changes())
    const taken = new Set(waiting.map(({ id }) => id))
    pool.keep(({ id }) => !taken.has(id))
    setSession(undefined)
    chosen = {}
    return block
  }

  return {
    chainId,
    genesis,
    head,
    block: store.block,
    numberOf: store.numberOf,
    placeOf: store.placeOf,
    changedAt: (...of: Parameters<typeof store.changedAt>) => store.changedAt(...of),
    /** The state after the block at a height. @throws ForkError where it is before a fork and the node keeps none */
    stateAt: (number: number): StateReader =>
      fork && number < first ? fork.stateAt(number) : store.stateAt(number),
    /** The block at a height, before a fork without its transactions. @throws MissingStateError where it must be fetched first */
    blockAt,
    /** The chain that this one goes on from. */
    fork,
    pool: (): readonly Pending[] => pool.all(),
    solid: () => store.block(solidNumber(store.state())) as ChainBlock,
    contextOf,
    contextAt,
    nextBlock,
    /** What a transaction printed on the console of `console.sol`, by its record. */
    printedBy: (info: TransactionInfo): readonly Uint8Array[] => printed.get(info) ?? [],
    /** How Ethereum transactions are treated. */
    rules: ethereum,
    /** The newest state without the pool. */
    newestState: (): StateReader => store.state(),

    /** The newest state with what waits in the pool on top. */
    pendingState: async (): Promise<StateReader> =>
      readableSession() ??
      (pool.all().length === 0
        ? store.state()
        : exclusive(async () => {
            if (!session) await renewSession()
            return readableSession() as StateReader
          })),

    /**
     * Takes a native transaction into the pool.
     *
     * @throws RefusedError as a broadcast reports it.
     */
    offer: (transaction: ChainTransaction) =>
      exclusive(async () => {
        if (pool.has(transaction.id) || store.placeOf(transaction.id))
          throw new RefusedError('DUP_TRANSACTION_ERROR', 'Transaction already exists.')
        if ((genesis.unitsPerSun ?? 1n) > 1n)
          throw new RefusedError(
            'OTHER_ERROR',
            'this chain counts in 18 decimals and takes no native transactions',
          )
        if (transaction.contracts === 0)
          throw new RefusedError('CONTRACT_VALIDATE_ERROR', 'No contract!')
        checkExpiration(transaction, head().header.timestamp)
        const state = session ?? (await renewSession())
        await resolving(() => checkSigners(state, transaction))
        readable = undefined
        pool.add({ transaction, applied: await admit(state, transaction) })
      }),

    /**
     * Takes an Ethereum transaction into the pool. It replaces the one with its sender and nonce that waits.
     *
     * @throws EthereumError when it can never be in a block, or the one that waits pays as much.
     */
    offerEthereum: (signed: SignedEthereum, time: number) =>
      exclusive(async () => {
        const state = store.state()
        const context = contextOf(nextBlock(time))
        const replaced = await resolving(() => checkEthereum(signed, { context, pool, state }))
        const price = gasPriceOf(state, context)
        const transaction = await resolving(() =>
          envelopeOf(signed, { addresses: ethereum.addresses, head: head(), price, state, time }),
        )
        if (replaced) pool.keep(({ id }) => id !== replaced)
        pool.add({ transaction })
        setSession(undefined)
        return transaction
      }),

    /** Whether the next block takes a transaction that waits. */
    isReady: (id: string): boolean =>
      pool.ready(store.state()).some((transaction) => transaction.id === id),

    /** The nonce of an account's next transaction, after those that wait. */
    pendingNonce: (address: string): bigint => pool.nonceOf(store.state(), address),

    /** Takes transactions out of the pool. */
    drop: (isDropped: (transaction: ChainTransaction) => boolean) =>
      exclusive(async () => {
        pool.keep((transaction) => !isDropped(transaction))
        setSession(undefined)
      }),

    /** Makes one block of everything that waits; undefined when `pending` did not wait any more. */
    mine: (options: MineOptions) =>
      exclusive(async () =>
        options.pending === undefined || pool.has(options.pending) ? seal(options) : undefined,
      ),

    /** Changes the state without a block. Returns what changed. */
    patch: (change: (state: Overlay) => void) =>
      exclusive(async () => {
        const work = store.overlay()
        await changing(work, change)
        store.patch(work.changes())
        setSession(undefined)
        return work.changes()
      }),

    snapshot: (): Snapshot => ({ ...store.mark(), waiting: [...pool.all()] }),

    /** Goes back to a snapshot: blocks, state and pool. */
    revert: (snapshot: Snapshot) =>
      exclusive(async () => {
        store.returnTo(snapshot)
        pool = createPool(snapshot.waiting)
        setSession(undefined)
      }),

    /** Undoes every block above `number`. Their transactions wait again when `keep` is set. Returns the point gone back to. */
    rewind: (number: number, keep: boolean) =>
      exclusive(async () => {
        const mark = store.markAt(number)
        const undone = store.returnTo(mark)
        const waiting = pool.all()
        pool = createPool()
        if (keep)
          for (const { transaction } of undone.flatMap((block) => block.transactions))
            pool.add({ transaction })
        for (const { transaction } of waiting) pool.add({ transaction })
        await renewSession()
        return mark
      }),

    /** Chooses what contracts see of the next block, and only there. */
    chooseNext: (choice: NextBlockChoice): void => void (chosen = { ...chosen, ...choice }),

    /** Chooses the producer that contracts see from now on. */
    setCoinbase: (address: string): void => void (coinbase = address),

    /** Sets the most gas that one transaction may ask for. */
    setGasLimit: (limit: bigint): void => void (ethereum.gasLimit = limit),

    /** Every value of the newest state, by `table:key`. */
    entries: (): Iterable<[string, unknown]> => store.entries(),

    /** Lets the producers take turns in another order, so that a new branch differs from the old one. */
    shiftTurn: () => void turn++,

    /** Adds what was kept of a chain, while nothing else is under way. */
    restore: {
      block(block: ChainBlock, changes: ReadonlyMap<string, unknown>): void {
        if (block.header.number > first) store.add(block, changes)
      },
      patch: (changes: ReadonlyMap<string, unknown>): void => store.patch(changes),
      returnTo: (mark: Mark): void => void store.returnTo(mark),
    },

    /** What the newest block or patch changed. */
    lastChanges: store.lastChanges,
  }
}

export declare namespace createLedger {
  type Options = { ethereum?: EthereumRules; fork?: Fork; types?: ExecutionContext['types'] }
}
