import { changeAccount } from '../execution/override.ts'
import { type Account, newAccount } from '../state/model.ts'
import { parameter, setParameters } from '../state/parameters.ts'
import type { State } from '../state/state.ts'
import type { SystemContract } from '../transactions/systemContracts.ts'
import { buildTransaction } from '../transactions/transaction.ts'
import { type ChainBlock, EMPTY_ROOT, sealBlock } from './block.ts'

/** The initial state of a chain. Accounts and producers determine the genesis block and so the chain id. */
export type Genesis = {
  accounts: readonly { address: string; balance: bigint; name?: string }[]
  /** Block producers, in the order of their turns. */
  producers: readonly { address: string; key?: string; url: string; votes: bigint }[]
  /** Contracts that exist from the start but are not part of the genesis block. */
  contracts?: readonly SystemContract[]
  /** Chain parameters that differ from {@link setParameters}. */
  parameters?: Readonly<Record<string, bigint>>
  /** Time of the first maintenance, milliseconds. */
  firstMaintenance: number
  /**
   * Whether the height is below that of the fork of 2018, as on a young private chain of real nodes. Before that fork stakes
   * do not pay for energy, only coins do. @default false
   */
  stakesPayNoEnergy?: boolean
  /** The chain id, which replaces the last four bytes of the genesis hash. @default those of the hash */
  chainId?: number
  /**
   * Smallest units of the state in one sun. Above 1 the native format cannot express amounts, and the chain rejects native
   * transactions. @default 1
   */
  unitsPerSun?: bigint
  /**
   * Time of the first block, milliseconds. With one the block shows no transactions either, as tools of Ethereum expect.
   * @default 0, and a transfer for each account, as on real chains
   */
  time?: number | undefined
  /** Lifetime of a proposal in milliseconds. @default three days */
  proposalLifetime?: number
}

const SENTENCE =
  'A new system must allow existing systems to be linked together without requiring any central control or coordination'
/** Creates the producers of a chain. `latestBlock`: the block that all of them have built on. */
function addProducers(state: State, { producers }: Genesis, latestBlock: number): void {
  for (const { address, url, votes } of producers) {
    const account: Account = state.get('account', address) ?? newAccount(address, 'AssetIssue', 0)
    state.set('account', address, { ...account, isWitness: true })
    state.set('witness', address, {
      address,
      url: Buffer.from(url).toString('hex'),
      voteCount: votes,
      produced: 0n,
      missed: 0n,
      latestBlock,
      latestSlot: 0,
      isJobs: true,
      brokerage: 20,
    })
  }
  const addresses = producers.map(({ address }) => address)
  state.set('list', 'witnesses', addresses)
}

/**
 * Adds the accounts and producers of a genesis to the state of a chain that continues from `block`. The accounts get at
 * least the coins of genesis, and the producers make the following blocks. Returns the block.
 */
export function goOnFrom(block: ChainBlock, state: State, genesis: Genesis): ChainBlock {
  for (const { address, balance } of genesis.accounts) {
    const account =
      state.get('account', address) ?? newAccount(address, 'Normal', block.header.timestamp)
    const more = balance > account.balance ? balance : account.balance
    state.set('account', address, { ...account, balance: more })
  }
  for (const { address, code } of genesis.contracts ?? [])
    if (!state.get('code', address)) changeAccount(state, address, { code }, block.header.timestamp)
  addProducers(state, genesis, block.header.number)
  return block
}

/**
 * Adds what a chain needs to continue from a block that may be of another genesis: its producers, its accounts and its contracts,
 * where the state does not have them.
 */
export function adoptGenesis({ header }: ChainBlock, state: State, genesis: Genesis): void {
  for (const { address, balance } of genesis.accounts)
    if (!state.get('account', address))
      state.set('account', address, {
        ...newAccount(address, 'Normal', header.timestamp),
        balance: balance * (genesis.unitsPerSun ?? 1n),
      })
  for (const { address, code } of genesis.contracts ?? [])
    if (!state.get('code', address)) changeAccount(state, address, { code }, header.timestamp)
  const active = (state.get('list', 'witnesses') ?? []).filter(
    (address) => state.get('witness', address)?.isJobs,
  )
  const own = genesis.producers.map(({ address }) => address)
  if (active.toSorted().join() !== own.toSorted().join())
    addProducers(state, genesis, header.number)
}

const NO_SENDER = Buffer.from(`0x${'0'.repeat(21)}`).toString('hex')

/** Writes the state of genesis and seals its block. Its id depends on a transfer without a sender to each account. */
export function createGenesis(state: State, genesis: Genesis): ChainBlock {
  setParameters(state, genesis.parameters)
  for (const { address, balance, name } of genesis.accounts)
    state.set('account', address, {
      ...newAccount(address, 'Normal', 0, Buffer.from(name ?? '').toString('hex')),
      balance: balance * (genesis.unitsPerSun ?? 1n),
    })
  for (const { address, code } of genesis.contracts ?? [])
    changeAccount(state, address, { code }, 0)
  addProducers(state, genesis, 0)
  state.set('property', 'lastAsset', 1_000_000n)
  state.set('property', 'nextMaintenance', BigInt(genesis.firstMaintenance))
  if (genesis.stakesPayNoEnergy) state.set('property', 'stakesPayNoEnergy', 1n)
  if (genesis.proposalLifetime !== undefined)
    state.set('property', 'proposalLifetime', BigInt(genesis.proposalLifetime))
  state.set('prices', 'energy', `0:${parameter(state, 'getEnergyFee')}`)
  state.set('prices', 'bandwidth', `0:${parameter(state, 'getTransactionFee')}`)
  state.set('prices', 'memo', `0:${parameter(state, 'getMemoFee')}`)

  const block = sealBlock(
    {
      number: 0,
      timestamp: 0,
      parentHash: '00'.repeat(32),
      witness: Buffer.from(SENTENCE).toString('hex'),
      version: 0,
    },
    {
      transactions: genesis.accounts.map(({ address, balance }) => ({
        transaction: buildTransaction({
          contract: {
            type: 'TransferContract',
            value: { owner_address: NO_SENDER, to_address: address, amount: balance },
          },
          ref_block_bytes: '',
          ref_block_hash: '',
          expiration: 0,
          timestamp: 0,
        }),
        results: [],
        balances: [{ address, amount: balance }],
      })),
      infos: [],
    },
  )
  const { chainId, time } = genesis
  return {
    ...block,
    ...(chainId !== undefined && {
      id: block.id.slice(0, -8) + chainId.toString(16).padStart(8, '0'),
    }),
    // The id does not depend on the time, because a state file recognises its chain by the id.
    ...(time !== undefined && {
      header: { ...block.header, timestamp: time, txTrieRoot: EMPTY_ROOT },
      transactions: [],
    }),
  }
}
