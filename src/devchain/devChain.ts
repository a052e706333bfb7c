import { Hono } from 'hono'

import { sleep } from '../lib/sleep.ts'
import { createNativeInterface } from './api/interface.ts'
import { createNativeApp, createNativeTransport } from './api/nativeServer.ts'
import { createArtifacts } from './artifacts.ts'
import type { ChainBlock } from './blocks/block.ts'
import type { Genesis } from './blocks/genesis.ts'
import { packState } from './blocks/stateDump.ts'
import { type AccountChange, changeAccount } from './execution/override.ts'
import type { Fork } from './fork/open.ts'
import { createClock } from './ledger/clock.ts'
import { defineChain } from './ledger/defineChain.ts'
import { createLedger, type MineOptions } from './ledger/ledger.ts'
import {
  announce,
  endProduction,
  mine,
  mineMany,
  type Mining,
  type Production,
  productionOf,
  schedule,
  sendEthereum,
} from './ledger/production.ts'
import {
  addSnapshot,
  loadDump,
  markOf,
  noSnapshots,
  resetTo,
  revertTo,
  rewindTo,
} from './ledger/snapshots.ts'
import { openKept, patchState, restore, startOf, type StoredChain } from './ledger/storedChain.ts'
import { DERIVATION_PATH, MNEMONIC } from './state/keys.ts'
import { runFetching } from './state/missing.ts'
import { SLOT } from './state/resources.ts'
import type { Overlay } from './state/state.ts'
import { createUnlocked, type Unlocked } from './state/unlocked.ts'
import type { SignedEthereum } from './transactions/ethereumTransaction.ts'

/** A chain in this process with the node's HTTP interface. */
export type DevChain = Awaited<ReturnType<typeof createDevChain>>

/** Creates a chain with funded accounts. It makes no block before `start`. */
export async function createDevChain(options: createDevChain.Options = {}) {
  const { fork, rules: { decimals = 6, profile } = {}, state } = options
  const kept = state === undefined ? undefined : openKept(state)
  const { accounts, ethereum, genesis } = defineChain({ ...options, ...startOf(kept) })
  const ledger = await openLedger(genesis, {
    ethereum,
    nextTime: () => clock.next(),
    ...(fork && { fork }),
  })
  const clock = clockOf(options, () => ledger.head().header.timestamp)
  const chain: StoredChain = { clock, decimals, file: kept?.file, fork, ledger }
  if (kept) await restore(chain, kept, options.time?.timestamp)
  const blockTime = profile === 'native' ? SLOT : 0
  const production = productionOf(chain, { blockTime, ...options.mining })
  const { listeners } = production
  const snapshots = noSnapshots()
  const unlocked = createUnlocked(accounts)
  const printListeners = new Set<(printed: readonly Uint8Array[]) => void>()
  const native = nativeOf(production, unlocked, (printed) =>
    printListeners.forEach((listener) => listener(printed)),
  )
  // Native clients see the blocks of accepted transactions too.
  const app = new Hono().use(async (_, next) => {
    await production.due
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
    mnemonic: options.accounts?.mnemonic ?? MNEMONIC,
    derivationPath: options.accounts?.derivationPath ?? DERIVATION_PATH,
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
      return production.automine
    },
    set automine(on) {
      production.automine = on
    },
    /** Makes one block. */
    mine: (how?: Partial<MineOptions>): Promise<ChainBlock> => mine(production, how),
    /** Adds an Ethereum transaction to the pool and makes no block. Returns its hash without `0x`. @throws EthereumError */
    offer: async (signed: SignedEthereum): Promise<string> =>
      (await ledger.offerEthereum(signed)).id,
    /** Sends an Ethereum transaction, as `sendEthereum`. @throws EthereumError */
    send: (signed: SignedEthereum, start?: () => Promise<void>) =>
      sendEthereum(production, signed, start),
    /** Makes blocks, as `mineMany`. `interval` is the time between them in milliseconds. */
    mineMany: (count: number, interval = 0): Promise<void> => mineMany(production, count, interval),
    /** Starts to make blocks. */
    async start(): Promise<void> {
      // Tools do not expect time 0 of the newest block.
      if (ledger.head().header.timestamp === 0) await mine(production)
      snapshots.started = markOf(chain)
      schedule(production)
    },
    /** Stops making blocks. Every transaction that was accepted for a block is in it when this resolves. */
    async close(): Promise<void> {
      await endProduction(production)
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
    blockTime: () => production.blockTime.least,
    /** Sets the milliseconds between blocks, or the range of a random time for each block. */
    setBlockTime(least: number, most = least): void {
      production.blockTime = { least, most }
      schedule(production)
    },
    /** Removes every block above a height. With `keep` their transactions return to the pool. */
    async rewind(number: number, keep: boolean): Promise<void> {
      await rewindTo(chain, snapshots, number, keep)
      await announce(production)
    },
    /** The snapshots that can be restored, with the newest block of each. */
    snapshots: () => [...snapshots.marks].map(([id, mark]) => ({ id, block: mark.chain.number })),
    /** Stores the chain: blocks, state, pool and time. Returns the number of the snapshot. */
    snapshot: (): number => addSnapshot(chain, snapshots),
    /** Restores a snapshot and deletes it and all later ones. False when it does not exist. */
    async revert(id: number): Promise<boolean> {
      const isReverted = await revertTo(chain, snapshots, id)
      if (isReverted) await announce(production)
      return isReverted
    },
    /** Deletes a snapshot. False when it does not exist. */
    dropSnapshot: (id: number): boolean => snapshots.marks.delete(id),
    /** Restores the chain as it was when this process started. */
    async reset(): Promise<void> {
      if (await resetTo(chain, snapshots)) await announce(production)
    },
    /** The chain as bytes, for `loadState`: blocks, and the state after each of them. */
    dumpState: () => packState(ledger.dump(decimals)),
    /** Replaces the chain by a dumped one, as `loadDump`. @throws Error when the bytes are no state of such a chain */
    async loadState(dump: Uint8Array): Promise<void> {
      if (await loadDump(chain, snapshots, dump)) await announce(production)
    },
    /** Changes the state of the newest block, without a block. */
    patch: (change: (state: Overlay) => void): Promise<void> => patchState(chain, change),
    /** Changes one account of the newest block, by address of 42 hex characters. */
    changeAccount: (address: string, change: AccountChange): Promise<void> =>
      patchState(chain, (state) =>
        changeAccount(state, address, change, ledger.head().header.timestamp),
      ),
    setFaults: native.setFaults,
  }
}

export declare namespace createDevChain {
  type Options = Omit<defineChain.Options, 'startTime'> & {
    /** Build folder of Hardhat or Foundry, whose custom errors the chain can name. */
    artifacts?: string | undefined
    /** The chain to fork, with its own chain id, parameters and past. */
    fork?: Fork | undefined
    mining?: Mining | undefined
    /** File that stores the chain, to continue after a restart. */
    state?: string | undefined
  }
}

/** Creates the ledger, after it has read what it needs of the forked chain. */
async function openLedger(genesis: Genesis, options: createLedger.Options) {
  const { fork } = options
  // In parallel, because reads in sequence from a distant node would take seconds.
  await Promise.all(
    [...genesis.accounts, ...genesis.producers].map(({ address }) =>
      runFetching(() => fork?.state.get('account', address)),
    ),
  )
  return runFetching(() => createLedger(genesis, options))
}

/** The clock of a new chain. @param headTime - of the newest block */
function clockOf({ fork, rules, time = {} }: createDevChain.Options, headTime: () => number) {
  const { now = Date.now, seed, timestamp } = time
  const clock = createClock({
    headTime,
    now,
    repeatable: seed !== undefined,
    start: timestamp,
    step: rules?.profile === 'native' ? 1 : 1_000,
  })
  // The clock continues from the time of the fork block, as in anvil and Hardhat.
  if (fork && seed === undefined) clock.set(fork.block.header.timestamp)
  if (timestamp !== undefined) clock.startAt(timestamp)
  return clock
}

/** The node's interface of a chain. */
function nativeOf(
  production: Production,
  unlocked: Unlocked,
  onPrinted: (printed: readonly Uint8Array[]) => void,
) {
  const { clock, ledger } = production.chain
  return createNativeInterface({
    ledger,
    now: clock.now,
    sleep: (ms) => sleep(ms, undefined, { ref: false }),
    onPrinted,
    async submit(transaction) {
      const owner = String(transaction.value['owner_address'])
      await ledger.offer(
        unlocked.isImpersonated(owner) ? { ...transaction, impersonated: true } : transaction,
      )
      if (production.automine) await mine(production, { pending: transaction.id })
    },
  })
}
