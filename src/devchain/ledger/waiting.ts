import type { BlockStore } from '../blocks/blockStore.ts'
import { envelopeOf } from '../blocks/envelope.ts'
import type { Genesis } from '../blocks/genesis.ts'
import { checkEthereum } from '../execution/check.ts'
import { applyTransaction, checkExpiration } from '../execution/execute.ts'
import { gasPriceOf, paidPriceOf } from '../execution/executeEthereum.ts'
import type { Applied, ExecutionContext } from '../execution/execution.ts'
import { bestFirst, createPool, type Pending } from '../execution/pool.ts'
import { isRefusal, RefusedError } from '../state/errors.ts'
import { runFetching } from '../state/missing.ts'
import type { Overlay, StateReader } from '../state/state.ts'
import type { SignedEthereum } from '../transactions/ethereumTransaction.ts'
import { checkSigners } from '../transactions/permissions.ts'
import type { EthereumRules } from '../transactions/rules.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import type { BlockContext } from '../vm/blockContext.ts'
import type { BlockContexts } from './blockContexts.ts'

/**
 * Creates the pool of a chain, and the state after its transactions. Calls that change or execute the pool must not overlap.
 *
 * @param options.store - The blocks of the chain.
 */
export function createWaiting({ contexts, ethereum, genesis, store }: createWaiting.Options) {
  const { head } = store
  const { next } = contexts
  let pool = createPool()
  /** The newest state with the pool on top, and the context in which the pool ran; undefined until it is needed. */
  let session: { state: Overlay; context: ExecutionContext } | undefined
  /** A copy of the state of `session` for readers, who may use it after the next transaction. */
  let readable: StateReader | undefined

  function setSession(made: typeof session): void {
    session = made
    readable = undefined
  }

  /** The transactions of the next block, in order. Those that offer less than its price wait. */
  function readyNow(): ChainTransaction[] {
    const state = store.state()
    const context = next()
    const price = gasPriceOf(state, context)
    return bestFirst(pool.ready(state, price), ({ ethereum: signed }) =>
      signed ? paidPriceOf(signed, price, context) : price,
    )
  }

  const ready = () => runFetching(readyNow)

  /** Executes a transaction on top of the pool. */
  const admit = (
    { context, state }: NonNullable<typeof session>,
    transaction: ChainTransaction,
  ): Promise<Applied> => runFetching(() => applyTransaction(state, transaction, context))

  /** Executes the pool on top of the newest state. Drops transactions that are no longer valid. */
  async function renew(): Promise<NonNullable<typeof session>> {
    const made = { state: store.overlay(), context: next() }
    for (const transaction of await ready())
      await admit(made, transaction).then(
        (applied) => pool.tried(transaction.id, applied),
        (error: unknown) => {
          if (!isRefusal(error)) throw error
          pool.keep(({ id }) => id !== transaction.id)
        },
      )
    setSession(made)
    return made
  }

  /** The state for readers; undefined if the pool must be executed first, also when the next block has another time by now. */
  function known(): PendingState | undefined {
    const { block } = next()
    if (pool.all().length === 0) return { state: store.state(), block }
    return session && secondOf(session.context.block) === secondOf(block)
      ? readableOf(session)
      : undefined
  }

  function readableOf({ context, state }: NonNullable<typeof session>): PendingState {
    if (!readable) {
      const copy = store.overlay()
      copy.setAll(state.changes())
      readable = copy
    }
    return { state: readable, block: context.block }
  }

  return {
    all: (): readonly Pending[] => pool.all(),
    has: (id: string): boolean => pool.has(id),

    /** The transactions of the next block, in order. */
    ready,

    /** The transactions that could be in the next block at any price: those without a nonce gap before them. */
    withoutGap: (): readonly ChainTransaction[] => pool.ready(store.state()),

    /** Whether the next block contains a transaction. */
    isReady: (id: string): boolean => readyNow().some((transaction) => transaction.id === id),

    /** The nonce of an account's next transaction, after those in the pool. */
    nonceOf: (address: string): bigint => pool.nonceOf(store.state(), address),

    known,

    /** The newest state with the pool on top. */
    state: async (): Promise<PendingState> => known() ?? readableOf(await renew()),

    /** Adds a native transaction. @throws RefusedError with the reason that a broadcast reports */
    async offer(transaction: ChainTransaction): Promise<void> {
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
      const current = session ?? (await renew())
      await runFetching(() => checkSigners(current.state, transaction))
      readable = undefined
      pool.add({ transaction, applied: await admit(current, transaction) })
    },

    /**
     * Adds an Ethereum transaction. It replaces one with the same sender and nonce.
     *
     * @throws EthereumError when no block can contain it, or when it does not pay enough to replace the other one.
     */
    async offerEthereum(signed: SignedEthereum): Promise<ChainTransaction> {
      const state = store.state()
      const context = next()
      const time = context.block.timestamp
      const replaced = await runFetching(() => checkEthereum(signed, { context, pool, state }))
      const price = paidPriceOf(signed.ethereum, gasPriceOf(state, context), context)
      const transaction = await runFetching(() =>
        envelopeOf(signed, { addresses: ethereum.addresses, head: head(), price, state, time }),
      )
      if (replaced) pool.keep(({ id }) => id !== replaced)
      pool.add({ transaction })
      setSession(undefined)
      return transaction
    },

    /** Keeps only these transactions. */
    keep(wanted: (transaction: ChainTransaction) => boolean): void {
      pool.keep(wanted)
      setSession(undefined)
    },

    /** Must be called after a change of the newest state. */
    stateChanged: (): void => setSession(undefined),

    /** Replaces the pool. */
    replace(waiting: readonly Pending[]): void {
      pool = createPool(waiting)
      setSession(undefined)
    },

    /** Replaces the pool with the valid ones of these transactions. */
    async replaceByValid(transactions: readonly ChainTransaction[]): Promise<void> {
      pool = createPool(transactions.map((transaction) => ({ transaction })))
      await renew()
    },
  }
}

/** Contracts see the time of their block in seconds. */
const secondOf = ({ timestamp }: BlockContext) => Math.floor(timestamp / 1000)

/** The newest state with the pool on top, and the block context of calls on it: the block that would be made now. */
export type PendingState = { state: StateReader; block: BlockContext }

export declare namespace createWaiting {
  type Options = {
    contexts: BlockContexts
    ethereum: EthereumRules
    genesis: Genesis
    store: BlockStore
  }
}
