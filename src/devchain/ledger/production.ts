import { timeSlice } from '../../lib/timeSlice.ts'
import type { ChainBlock } from '../blocks/block.ts'
import { runFetching } from '../state/missing.ts'
import type { SignedEthereum } from '../transactions/ethereumTransaction.ts'
import type { MineOptions } from './ledger.ts'
import { makeBlock, makeRun, type StoredChain } from './storedChain.ts'

/** Blocks of one request that are all stored. Of more blocks the middle is a run. */
const MOST_STORED = 1_000

/** Number of stored blocks after a run. The chain can go back to each of them. */
const STORED_AFTER = 128

/** How blocks are made. */
export type Mining = {
  /** Whether each transaction is mined at once. @default true */
  automine?: boolean
  /** Milliseconds between blocks without transactions; 0 for no such blocks. @default 0; 3,000 for the native profile */
  blockTime?: number
  /** Called when a block that no call waits for cannot be made, once for each reason in a row. */
  onError?: (error: unknown) => void
  /** A number from 0 to 1, for random block times. @default Math.random */
  random?: () => number
}

/** Makes the blocks of a chain. */
export function createProduction(
  chain: StoredChain,
  { automine = true, blockTime = 0, onError = () => {}, random = Math.random }: Mining,
) {
  const { clock, file, fork, ledger } = chain
  const listeners = new Set<(head: ChainBlock) => Promise<void> | void>()
  let between = { least: blockTime, most: blockTime }
  let closed = false
  /** Resolves when the blocks of the transactions that were accepted are made. */
  let due: Promise<unknown> | undefined
  /** Why the last block that no call waited for failed: the same reason is reported once. */
  let lastReason: string | undefined
  let timer: NodeJS.Timeout | undefined

  async function announce(): Promise<void> {
    await Promise.all([...listeners].map(async (listener) => listener(ledger.head())))
  }

  async function mine(how: Partial<MineOptions> = {}): Promise<ChainBlock> {
    const { announced } = await makeNext(how)
    await announced
    return ledger.head()
  }

  /** Makes a block. Another call may have made it: the listeners have been called for it when `announced` resolves. */
  async function makeNext(how: Partial<MineOptions>): Promise<{ announced: Promise<void> }> {
    if (await makeBlock(chain, how)) {
      lastReason = undefined
      schedule()
    }
    return { announced: announce() }
  }

  function schedule(): void {
    clearTimeout(timer)
    const { least, most } = between
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

  /** Makes the block of an accepted transaction later. */
  function makeLater(id: string, start: () => Promise<void>): { announced: Promise<void> } {
    const made = start().then(() => makeNext({ pending: id }))
    due = made.catch(fail)
    return { announced: made.then(({ announced }) => announced) }
  }

  const production = {
    /** Whether each transaction is mined at once. */
    automine,
    /** Calls the listeners, and waits for them. */
    announce,
    /** Resolves when the blocks of the transactions that were accepted are made. */
    due: () => due,
    /** Makes one block, and calls the listeners. */
    mine,
    /** Makes the next block without transactions when it is due. */
    schedule,

    /**
     * Makes blocks. `interval` is the time between them in milliseconds. Of more than 1,000 blocks the empty ones in the middle are
     * a run, which takes no memory for each block.
     */
    mineMany: async (count: number, interval = 0): Promise<void> => {
      for (let made = 0; made < count;) {
        const left = count - made - STORED_AFTER
        if (made > 0 && count > MOST_STORED)
          made += await makeRun(chain, left, interval > 0 ? interval : clock.spacing())
        if (made > 0 && interval > 0) clock.setNext(ledger.head().header.timestamp + interval)
        await makeBlock(chain)
        made++
        if (timeSlice.isOver()) await timeSlice.next()
      }
      schedule()
      await announce()
    },

    /**
     * Sends an Ethereum transaction. With automine it is in a block when this resolves, and the listeners have seen the block when
     * `announced` resolves.
     *
     * @param start - Makes the block only when its promise resolves. This then resolves as soon as the pool has the transaction,
     *   except with a fork or a state file, where a valid transaction can still fail.
     * @throws EthereumError
     */
    send: async (
      signed: SignedEthereum,
      start?: () => Promise<void>,
    ): Promise<{ announced: Promise<void> }> => {
      const { id } = await ledger.offerEthereum(signed)
      const isReady = await runFetching(() => ledger.isReady(id))
      if (!production.automine || !isReady) return { announced: Promise.resolve() }
      // The node of a fork may not answer, and a disk may be full.
      const canFail = fork !== undefined || file !== undefined
      return start && !canFail ? makeLater(id, start) : makeNext({ pending: id })
    },

    /** Calls the listener after each change of the chain and waits for it. Returns the function that removes it. */
    onBlock: (listener: (head: ChainBlock) => Promise<void> | void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    /** Milliseconds between blocks without transactions, or the least of a range; 0 for no such blocks. */
    blockTime: () => between.least,

    /** Sets the milliseconds between blocks, or the range of a random time for each block. */
    setBlockTime: (least: number, most = least): void => {
      between = { least, most }
      schedule()
    },

    /** Restores the settings of the start. */
    restart: (): void => {
      production.automine = automine
      production.setBlockTime(blockTime)
    },

    /** Stops making blocks. Every transaction that was accepted for a block is in it when this resolves. */
    async end(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await due
    },
  }
  return production
}
