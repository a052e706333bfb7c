import type { NativeClient } from '../../native/client.ts'
import { contractRecord } from '../contracts/records.ts'
import { ForkError } from '../state/errors.ts'
import { type Account, newAccount, type Tables } from '../state/model.ts'
import { slotOf } from '../state/resources.ts'
import { readAccount } from './account.ts'
import type { Entries, ReadState } from './base.ts'
import type { BlockReads } from './blockReads.ts'
import { readDelegation, readDelegationIndex } from './delegation.ts'
import { readAssetIds, readLastAsset, readOneAsset, readProposals, readWitnesses } from './lists.ts'

type Table = keyof Tables

/**
 * Reads the state of a node's chain at one block if the node has it, otherwise at the newest block.
 *
 * @param exact - The reads at the block.
 */
export function createForkReader({
  exact,
  native,
  timestamp,
}: createForkReader.Options): ReadState {
  const slot = slotOf(timestamp)

  /** An account that existed at the block. */
  async function account(address: string): Promise<Account | undefined> {
    const [node, balance] = await Promise.all([
      native.wallet.getAccount({ address }),
      exact.balance(address),
    ])
    if (node && (node.create_time ?? 0) > timestamp) return undefined
    const read = node && readAccount(node, slot)
    const known = read && (balance === undefined ? read : { ...read, balance })
    if (known && known.type !== 'Contract') return known
    const code = await exact.code(address)
    if (known && !(await isLater(address, code))) return known
    // The contract was created or destroyed after the block. Coins can be at an address before a contract is.
    const type = code?.length ? 'Contract' : 'Normal'
    return balance || code?.length
      ? { ...newAccount(address, type, 0), balance: balance ?? 0n }
      : undefined
  }

  /** Whether a contract was created after the block, when it had this code. Contracts that transactions created have no time. */
  async function isLater(address: string, code: Uint8Array | undefined): Promise<boolean> {
    // A contract may have no code; where nonces are counted it has one.
    return code?.length === 0 && ((await exact.nonce(address)) ?? 0n) === 0n
  }

  async function accountEntries(address: string): Promise<Entries> {
    const found = await account(address)
    const entries: [string, unknown][] = [[`account:${address}`, found]]
    if (found?.type === 'Contract') return entries
    // On another development chain an account can have the code of a delegation (EIP-7702).
    const code = found && (await exact.code(address))
    entries.push([`code:${address}`, code?.length ? code : undefined])
    entries.push([`contract:${address}`, undefined])
    return entries
  }

  async function contractEntries(address: string): Promise<Entries> {
    const [info, code] = await Promise.all([
      native.wallet.getContractInfo({ value: address }),
      exact.code(address),
    ])
    const runtime = code ?? bytesOf(info?.runtimecode)
    const factor = BigInt(info?.contract_state?.energy_factor ?? 0)
    const contract = info?.smart_contract && {
      ...contractRecord.read(info.smart_contract),
      address,
      ...(factor > 0n && { energyFactor: factor }),
    }
    return [
      [`code:${address}`, runtime.length > 0 ? runtime : undefined],
      [`contract:${address}`, (await isLater(address, code)) ? undefined : contract],
    ]
  }

  async function slotEntries(key: string): Promise<Entries> {
    const [owner = '', position = ''] = key.split('/')
    const [address = ''] = owner.split('.')
    const value = (await exact.storage(address, position)).replace(/^(00)+/, '')
    return [[`storage:${key}`, value === '' ? undefined : value]]
  }

  async function property(key: string): Promise<Entries> {
    const [kind, address = ''] = key.split(':')
    if (kind === 'allowance') {
      const found = await native.wallet.getAccount({ address })
      const allowance = BigInt(found?.allowance ?? 0)
      return [[`property:${key}`, allowance === 0n ? undefined : allowance]]
    }
    if (key === 'lastAsset') return readLastAsset(native)
    if (key === 'proposals') return readProposals(native)
    return []
  }

  const readers: { [table in Table]: (key: string) => Promise<Entries> } = {
    account: accountEntries,
    code: contractEntries,
    contract: contractEntries,
    storage: slotEntries,
    nonce: async (address) => [[`nonce:${address}`, await exact.nonce(address)]],
    property,
    witness: () => readWitnesses(native),
    proposal: () => readProposals(native),
    asset: (id) => readOneAsset(native, id),
    delegation: (key) => readDelegation(native, key),
    delegationIndex: (key) => readDelegationIndex(native, key),
    list: (name) => (name === 'assets' ? readAssetIds(native) : Promise.resolve([])),
    accountId: async (id) => {
      const found = await native.wallet.getAccountById({
        account_id: Buffer.from(id).toString('hex'),
      })
      return [[`accountId:${id}`, found?.address]]
    },
    // Both are read at the start of the chain.
    parameter: async (key) => Promise.reject(new ForkError(`the node has no parameter ${key}`)),
    prices: async () => [],
  }

  return (table, key) => readers[table](key)
}

export declare namespace createForkReader {
  type Options = {
    exact: BlockReads
    native: NativeClient
    /** Time of the block, milliseconds. */
    timestamp: number
  }
}

const bytesOf = (hex = '') => new Uint8Array(Buffer.from(hex, 'hex'))
