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

/** How a chain makes blocks, and what is under way. */
export type Production = {
  readonly chain: StoredChain
  /** Called after each change of the chain. */
  readonly listeners: Set<(head: ChainBlock) => Promise<void> | void>
  readonly onError: (error: unknown) => void
  readonly random: () => number
  /** Whether each transaction is mined at once. */
  automine: boolean
  /** Milliseconds between blocks without transactions: a random time of the range. 0 for no such blocks. */
  blockTime: { readonly least: number; readonly most: number }
  closed: boolean
  /** Resolves when the blocks of the transactions that were accepted are made. */
  due: Promise<unknown> | undefined
  /** Why the last block that no call waited for failed: the same reason is reported once. */
  lastReason: string | undefined
  timer: NodeJS.Timeout | undefined
}

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

/** The production of a chain that has not started. */
export function productionOf(
  chain: StoredChain,
  { automine = true, blockTime = 0, onError = () => {}, random = Math.random }: Mining,
): Production {
  return {
    chain,
    listeners: new Set(),
    onError,
    random,
    automine,
    blockTime: { least: blockTime, most: blockTime },
    closed: false,
    due: undefined,
    lastReason: undefined,
    timer: undefined,
  }
}

/** Calls the listeners, and waits for them. */
export async function announce({ chain, listeners }: Production): Promise<void> {
  await Promise.all([...listeners].map(async (listener) => listener(chain.ledger.head())))
}

/** Makes one block, and calls the listeners. */
export async function mine(
  production: Production,
  how: Partial<MineOptions> = {},
): Promise<ChainBlock> {
  const { announced } = await makeNext(production, how)
  await announced
  return production.chain.ledger.head()
}

/** Makes a block. Another call may have made it: the listeners have been called for it when `announced` resolves. */
async function makeNext(
  production: Production,
  how: Partial<MineOptions>,
): Promise<{ announced: Promise<void> }> {
  if (await makeBlock(production.chain, how)) {
    production.lastReason = undefined
    schedule(production)
  }
  return { announced: announce(production) }
}

/** Makes the next block without transactions when it is due. */
export function schedule(production: Production): void {
  clearTimeout(production.timer)
  const { least, most } = production.blockTime
  if (production.closed || most === 0) return
  const wait = least + Math.floor(production.random() * (most - least + 1))
  const fails = (error: unknown) => fail(production, error)
  production.timer = setTimeout(() => void mine(production).catch(fails), wait)
  production.timer.unref()
}

/** A block that no call waited for failed, as when the node of a fork does not answer. The next one may succeed. */
function fail(production: Production, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  if (reason !== production.lastReason) production.onError(error)
  production.lastReason = reason
  schedule(production)
}

/**
 * Makes blocks. `interval` is the time between them in milliseconds. Of more than 1,000 blocks the empty ones in the middle are
 * a run, which takes no memory for each block.
 */
export async function mineMany(
  production: Production,
  count: number,
  interval: number,
): Promise<void> {
  const { chain } = production
  const { clock, ledger } = chain
  for (let made = 0; made < count;) {
    const left = count - made - STORED_AFTER
    if (made > 0 && count > MOST_STORED)
      made += await makeRun(chain, left, interval > 0 ? interval : clock.spacing())
    if (made > 0 && interval > 0) clock.setNext(ledger.head().header.timestamp + interval)
    await makeBlock(chain)
    made++
    if (timeSlice.isOver()) await timeSlice.next()
  }
  schedule(production)
  await announce(production)
}

/**
 * Sends an Ethereum transaction. With automine it is in a block when this resolves, and the listeners have seen the block when
 * `announced` resolves.
 *
 * @param start - Makes the block only when its promise resolves. This then resolves as soon as the pool has the transaction,
 *   except with a fork or a state file, where a valid transaction can still fail.
 * @throws EthereumError
 */
export async function sendEthereum(
  production: Production,
  signed: SignedEthereum,
  start?: () => Promise<void>,
): Promise<{ announced: Promise<void> }> {
  const { file, fork, ledger } = production.chain
  const { id } = await ledger.offerEthereum(signed)
  const isReady = await runFetching(() => ledger.isReady(id))
  if (!production.automine || !isReady) return { announced: Promise.resolve() }
  // The node of a fork may not answer, and a disk may be full.
  const canFail = fork !== undefined || file !== undefined
  return start && !canFail
    ? makeLater(production, id, start)
    : makeNext(production, { pending: id })
}

/** Makes the block of an accepted transaction later. */
function makeLater(
  production: Production,
  id: string,
  start: () => Promise<void>,
): { announced: Promise<void> } {
  const made = start().then(() => makeNext(production, { pending: id }))
  production.due = made.catch((error: unknown) => fail(production, error))
  return { announced: made.then(({ announced }) => announced) }
}

/** Stops making blocks. Every transaction that was accepted for a block is in it when this resolves. */
export async function endProduction(production: Production): Promise<void> {
  production.closed = true
  clearTimeout(production.timer)
  await production.due
}
