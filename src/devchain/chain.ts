import { BLOCK_VERSION, sealBlock } from './block.ts'
import type { ChainBlock } from './block.ts'
import { contractTypes } from './contracts/index.ts'
import { RefusedError } from './errors.ts'
import { applyTransaction, checkExpiration } from './execute.ts'
import type { Applied, Surroundings } from './execute.ts'
import { createGenesis } from './genesis.ts'
import type { Genesis } from './genesis.ts'
import { closeBlock, solidNumber } from './maintenance.ts'
import { checkSignatures } from './permissions.ts'
import { createHistory, createOverlay } from './state.ts'
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
  /** Changes the state before the transactions. */
  patch?: (state: Overlay) => void
}

type Pending = { transaction: ChainTransaction; applied: Applied }

/** How far back a transaction may refer to a block. */
const REFERENCE_WINDOW = 65_536

/**
 * The chain itself, without clock and network: transactions are offered, blocks are made when asked. Calls that change
 * it run one after another.
 *
 * @param types - The native contract types that it executes.
 */
export function createLedger(genesis: Genesis, types: Surroundings['types'] = contractTypes) {
  const history = createHistory()
  const blocks: ChainBlock[] = []
  const byId = new Map<string, number>()
  const places = new Map<string, { block: number; index: number }>()
  let pool: Pending[] = []
  let session: Overlay
  let turn = 0
  let queue: Promise<unknown> = Promise.resolve()

  const start = createOverlay(history)
  addBlock(createGenesis(start, genesis), start)
  session = createOverlay(history.at(0))
  const chainId = Number.parseInt(blocks[0]?.id.slice(-8) ?? '0', 16)

  function addBlock(block: ChainBlock, overlay: Overlay): void {
    const { number } = block.header
    history.apply(number, overlay.changes())
    blocks.push(block)
    byId.set(block.id, number)
    if (number > 0)
      block.transactions.forEach(({ transaction }, index) =>
        places.set(transaction.id, { block: number, index }),
      )
  }

  function drop(number: number): ChainBlock[] {
    const undone = blocks.splice(number + 1)
    history.truncate(number)
    for (const block of undone) {
      byId.delete(block.id)
      for (const { transaction } of block.transactions) places.delete(transaction.id)
    }
    return undone
  }

  const head = () => blocks.at(-1) as ChainBlock
  const exclusive = <result>(work: () => Promise<result>): Promise<result> => {
    const run = queue.then(work)
    queue = run.catch(() => undefined)
    return run
  }

  function refBlockHash(bytes: string): string | undefined {
    const low = Number.parseInt(bytes, 16)
    if (bytes.length !== 4) return undefined
    const newest = head().header.number
    const number = newest - ((newest - low) & 0xffff)
    if (number < 0 || newest - number >= REFERENCE_WINDOW) return undefined
    return blocks[number]?.id.slice(16, 32)
  }

  function surroundings(block: {
    number: number
    timestamp: number
    producer: string
  }): Surroundings {
    return {
      headTime: head().header.timestamp,
      types,
      refBlockHash,
      isKnown: (id) => places.has(id),
      block: { ...block, chainId, hashOf: (number) => blocks[number]?.id },
    }
  }

  const producerOfTurn = (number: number) =>
    genesis.producers[number % genesis.producers.length] as Genesis['producers'][number]

  const nextBlock = (timestamp: number) => {
    const number = head().header.number + 1
    return { number, timestamp, producer: producerOfTurn(number + turn).address }
  }

  /** Executes what waits once more on the newest block, and drops what is not valid any more. */
  async function renewSession(waiting: readonly ChainTransaction[]): Promise<void> {
    session = createOverlay(history.at(head().header.number))
    pool = []
    for (const transaction of waiting) await admit(transaction).catch(() => undefined)
  }

  async function admit(transaction: ChainTransaction): Promise<void> {
    const block = nextBlock(head().header.timestamp + 3000)
    const applied = await applyTransaction(session, transaction, surroundings(block))
    pool.push({ transaction, applied })
  }

  return {
    chainId,
    genesis,
    head,
    block: (number: number): ChainBlock | undefined => blocks[number],
    numberOf: (id: string) => byId.get(id),
    placeOf: (id: string) => places.get(id),
    pool: (): readonly Pending[] => pool,
    solid: () => blocks[solidNumber(history)] as ChainBlock,
    history,
    /** The newest state with what waits in the pool on top. */
    pendingState: (): StateReader => session,
    stateAt: (number: number): StateReader => history.at(number),
    surroundings,
    nextBlock,

    /**
     * Takes a transaction into the pool.
     *
     * @throws RefusedError as a broadcast reports it.
     */
    offer: (transaction: ChainTransaction) =>
      exclusive(async () => {
        if (
          pool.some((waiting) => waiting.transaction.id === transaction.id) ||
          places.has(transaction.id)
        )
          throw new RefusedError('DUP_TRANSACTION_ERROR', 'Transaction already exists.')
        if (transaction.contracts === 0)
          throw new RefusedError('CONTRACT_VALIDATE_ERROR', 'No contract!')
        checkExpiration(transaction, head().header.timestamp)
        checkSignatures(session, transaction)
        await admit(transaction)
      }),

    /** Makes one block of everything that waits; undefined when `pending` did not wait any more. */
    mine: (options: MineOptions) =>
      exclusive(async () => {
        const before = head()
        if (
          options.pending !== undefined &&
          !pool.some(({ transaction }) => transaction.id === options.pending)
        )
          return undefined
        const timestamp =
          typeof options.timestamp === 'number' ? options.timestamp : options.timestamp()
        const place = nextBlock(timestamp)
        const producer = options.producer ?? place.producer
        const around = surroundings({ ...place, producer })
        const work = createOverlay(history.at(before.header.number))
        const waiting = options.only ?? pool.map(({ transaction }) => transaction)
        const content: Pick<ChainBlock, 'transactions' | 'infos'> = { transactions: [], infos: [] }
        options.patch?.(work)
        for (const transaction of waiting) {
          let applied: Applied
          try {
            applied = await applyTransaction(work, transaction, around)
          } catch (error) {
            if (options.only) throw error
            // What is not valid any more leaves the pool.
            continue
          }
          content.transactions.push({
            transaction,
            results: applied.results,
            balances: applied.balances,
          })
          content.infos.push({
            ...applied.info,
            blockNumber: place.number,
            blockTimeStamp: timestamp,
          })
        }
        closeBlock(work, { ...place, producer })
        const key = genesis.producers.find(({ address }) => address === producer)?.key
        const block = sealBlock(
          {
            number: place.number,
            timestamp,
            parentHash: before.id,
            witness: producer,
            version: BLOCK_VERSION,
          },
          content,
          key,
        )
        addBlock(block, work)
        const mined = new Set(content.transactions.map(({ transaction }) => transaction.id))
        await renewSession(
          pool
            .map(({ transaction }) => transaction)
            .filter(({ id }) => !mined.has(id) && !waiting.some((item) => item.id === id)),
        )
        return block
      }),

    /** Undoes every block above `number`. Their transactions wait again when `keep` is set. */
    rewind: (number: number, keep: boolean) =>
      exclusive(async () => {
        const undone = drop(number)
        const freed = undone.flatMap((block) =>
          block.transactions.map(({ transaction }) => transaction),
        )
        const waiting = pool.map(({ transaction }) => transaction)
        await renewSession(keep ? [...freed, ...waiting] : waiting)
        return undone
      }),

    /** Undoes blocks above `number` at once, while nothing else is under way: a chain is being restored. */
    forget(number: number): void {
      drop(number)
      session = createOverlay(history.at(number))
    },

    changesOf: (number: number): ReadonlyMap<string, unknown> => history.changesAt(number),

    /** Lets the producers take turns in another order, so that a new branch differs from the old one. */
    shiftTurn: () => void turn++,

    /** Adds a block that was made before, with the changes that it made. */
    restore(block: ChainBlock, changes: ReadonlyMap<string, unknown>): void {
      const { number } = block.header
      if (number === 0) return
      const overlay = createOverlay(history)
      addBlock(block, { ...overlay, changes: () => changes })
      session = createOverlay(history.at(number))
    },
  }
}
