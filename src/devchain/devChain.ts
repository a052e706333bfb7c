import { Hono } from 'hono'

import { sleep } from '../lib/sleep.ts'
import { createNativeInterface } from './api/interface.ts'
import { createNativeApp, createNativeTransport } from './api/nativeServer.ts'
import { createArtifacts } from './artifacts.ts'
import type { Genesis } from './blocks/genesis.ts'
import { type AccountChange, changeAccount } from './execution/override.ts'
import type { Fork } from './fork/open.ts'
import { createClock } from './ledger/clock.ts'
import { defineChain } from './ledger/defineChain.ts'
import { createLedger } from './ledger/ledger.ts'
import { createProduction, type Mining } from './ledger/production.ts'
import { createSnapshots } from './ledger/snapshots.ts'
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
  const production = createProduction(chain, { blockTime, ...options.mining })
  const { mine, schedule } = production
  const { markStart, ...snapshots } = createSnapshots(chain, production.announce)
  const unlocked = createUnlocked(accounts)
  const printListeners = new Set<(printed: readonly Uint8Array[]) => void>()
  const native = nativeOf(chain, production, unlocked, (printed) =>
    printListeners.forEach((listener) => listener(printed)),
  )
  // Native clients see the blocks of accepted transactions too.
  const app = new Hono().use(async (_, next) => {
    await production.due()
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
    mine,
    mineMany: production.mineMany,
    /** Adds an Ethereum transaction to the pool and makes no block. Returns its hash without `0x`. @throws EthereumError */
    offer: async (signed: SignedEthereum): Promise<string> =>
      (await ledger.offerEthereum(signed)).id,
    send: production.send,
    /** Starts to make blocks. */
    async start(): Promise<void> {
      // Tools do not expect time 0 of the newest block.
      if (ledger.head().header.timestamp === 0) await mine()
      markStart()
      schedule()
    },
    /** Stops making blocks. Every transaction that was accepted for a block is in it when this resolves. */
    async close(): Promise<void> {
      await production.end()
      await fork?.close()
    },
    onBlock: production.onBlock,
    /** Calls the listener with what contracts print in constant calls of the native interface. */
    onPrinted: (listener: (printed: readonly Uint8Array[]) => void): void =>
      void printListeners.add(listener),
    blockTime: production.blockTime,
    setBlockTime: production.setBlockTime,
    /** Restores the mining settings of the start: undoes `automine` and `setBlockTime`. */
    restartMining: production.restart,
    ...snapshots,
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
  { clock, ledger }: StoredChain,
  production: ReturnType<typeof createProduction>,
  unlocked: Unlocked,
  onPrinted: (printed: readonly Uint8Array[]) => void,
) {
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
      if (production.automine) await production.mine({ pending: transaction.id })
    },
  })
}
