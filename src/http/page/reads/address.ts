import type { Address, Hex } from 'viem'

import type { RpcReceipt, RpcTransaction } from '../../../codec/types.ts'
import { toNativeAddress, toRpcAddressOrNull } from '../../../lib/address.ts'
import type {
  Account,
  AccountResource,
  Contract as ContractRecord,
} from '../../../native/wire/accountTypes.ts'
import { type Row, rowOf } from './row.ts'
import { ifAnswered, lastBlock, type NativeToken, type Source, type Token } from './source.ts'
import { findTransfers } from './transferPage.ts'

/** An account or contract, without the content of its tabs. */
export type AddressFacts = {
  address: Address
  balance: bigint
  account: Account | undefined
  resources: AccountResource | undefined
  contract: ContractRecord | undefined
  code: Hex
  name: string | undefined
  /** Absent on accounts and on contracts that are no token. */
  token: Token | undefined
  /** The contract whose code a proxy runs (EIP-1967). */
  implementation: Address | undefined
}

/**
 * A page of the transactions of an account, newest first. `newer` and `older` are the queries of its neighbours; `range` is what was
 * searched when the chain has no list of the transactions of an account.
 */
export type History = {
  rows: Row[]
  newer?: string | undefined
  older?: string | undefined
  range?: { from: number; to: number }
}

/** A token that an account has. `contract` is absent for a token of the chain itself. */
export type Holding =
  | { token: Token | NativeToken; contract: Address | undefined; amount: bigint }
  /** The reads of this contract failed, so the amount is unknown. */
  | { token: undefined; contract: Address; amount: undefined }

/** Storage slots of EIP-1967: the hash of `eip1967.proxy.implementation` and of `eip1967.proxy.beacon`, minus one. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const BEACON_SLOT = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'

/** Transactions of one page of a history. */
const PAGE = 25

/** Tokens whose balance is read for one account. */
const MOST_TOKENS = 30

/** Reads an account or contract. */
export async function readAddress(address: Address, source: Source): Promise<AddressFacts> {
  const native = toNativeAddress(address)
  const [balance, code, account, resources, contract, name] = await Promise.all([
    source.ask<Hex>('eth_getBalance', address, 'latest'),
    source.ask<Hex>('eth_getCode', address, 'latest'),
    source.wallet.getAccount({ address: native }),
    source.wallet.getAccountResource({ address: native }),
    source.wallet.getContract({ value: native }),
    source.name(address),
  ])
  const hasCode = code !== '0x'
  const [token, implementation] = await Promise.all([
    hasCode ? source.token(address) : undefined,
    hasCode ? implementationOf(address, source) : undefined,
  ])
  return {
    address,
    balance: BigInt(balance),
    account,
    resources,
    contract,
    code,
    name,
    token,
    implementation,
  }
}

async function implementationOf(address: Address, source: Source): Promise<Address | undefined> {
  // Without storage reads, the contract is shown without its implementation.
  const read = async (slot: string) =>
    addressOf(await ifAnswered(source.ask<Hex>('eth_getStorageAt', address, slot, 'latest')))
  const [direct, beacon] = await Promise.all([read(IMPLEMENTATION_SLOT), read(BEACON_SLOT)])
  if (direct || !beacon) return direct
  const behind = await source.call(beacon, 'implementation')
  return typeof behind === 'string' ? (behind.toLowerCase() as Address) : undefined
}

function addressOf(word: Hex = '0x'): Address | undefined {
  // Of a contract without storage some nodes answer no word at all.
  const address = word.slice(2).padStart(40, '0').slice(-40)
  return /^0+$/.test(address) ? undefined : `0x${address}`
}

/**
 * A page of the transactions of an account: of the chain's list of them, or found in the blocks up to `to`.
 *
 * @param before - only blocks below this one; 0 for all
 */
export async function readHistory(
  address: Address,
  { after, before, to }: { before: number; after: number | undefined; to: number | undefined },
  source: Source,
): Promise<History> {
  type Answer = {
    txs: RpcTransaction[]
    receipts: (RpcReceipt & { timestamp: number })[]
    firstPage: boolean
    lastPage: boolean
  }
  const answer = await source
    .ask<Answer>(
      `ots_searchTransactions${after === undefined ? 'Before' : 'After'}`,
      address,
      after ?? before,
      PAGE,
    )
    .catch((error: { code?: number }) => {
      if (error.code === -32601) return undefined
      throw error
    })
  if (!answer) return searchBlocks(address, to, source)
  const rows = await Promise.all(
    answer.txs.map(async ({ hash }, index) => {
      const receipt = answer.receipts[index] as Answer['receipts'][number]
      const native = await source.wallet.getTransactionById({ value: hash.slice(2) })
      const place = { block: Number(receipt.blockNumber), time: receipt.timestamp, receipt }
      return native && rowOf(native, place, source)
    }),
  )
  const found = rows.filter((row) => row !== undefined)
  return {
    rows: found,
    newer: answer.firstPage ? undefined : `&after=${found[0]?.block ?? 0}`,
    older: answer.lastPage ? undefined : `&before=${found.at(-1)?.block ?? 0}`,
  }
}

/** Blocks that one page searches for the transactions of an account, those of one native call, and transactions at most. */
const SEARCHED = 100
const CHUNK = 25
const MOST_SEARCHED = 5_000

/** The transactions in the blocks up to `to` that name an account: as sender, receiver or contract. */
async function searchBlocks(
  address: Address,
  to: number | undefined,
  source: Source,
): Promise<History> {
  const last = lastBlock(to, await source.head())
  const native = toNativeAddress(address)
  const rows: Promise<Row>[] = []
  let from = last + 1
  let seen = 0
  while (from > 0 && last - from < SEARCHED - 1 && rows.length < PAGE && seen < MOST_SEARCHED) {
    const startNum = Math.max(0, from - CHUNK)
    const range = { startNum, endNum: from }
    const { block: blocks = [] } = await source.wallet.getBlockByLimitNext(range)
    for (const { block_header, transactions = [] } of blocks.toReversed()) {
      const { number = 0, timestamp = 0 } = block_header.raw_data
      const place = { block: number, time: Math.floor(timestamp / 1_000) }
      seen += transactions.length
      for (const transaction of transactions.toReversed()) {
        const fields = transaction.raw_data.contract?.[0]?.parameter?.value ?? {}
        if (Object.values(fields).includes(native)) rows.push(rowOf(transaction, place, source))
      }
      from = number
      if (rows.length >= PAGE) break
    }
    if (rows.length < PAGE) from = startNum
  }
  return {
    rows: await Promise.all(rows),
    older: from > 0 ? `&to=${from - 1}` : undefined,
    range: { from, to: last },
  }
}

/**
 * The tokens of an account: those of the chain itself, and those of contracts in its newest transfers. Undefined when the
 * transfers cannot be read.
 */
export async function readHoldings(
  { account, address }: AddressFacts,
  source: Source,
): Promise<Holding[] | undefined> {
  const page = await findTransfers(address, undefined, source)
  if (!page) return undefined
  const contracts = [...new Set(page.transfers.map(({ contract }) => contract))].slice(
    0,
    MOST_TOKENS,
  )
  const [own, ofContracts] = await Promise.all([
    Promise.all(
      (account?.assetV2 ?? []).slice(0, MOST_TOKENS).map(async ({ key, value }) => ({
        token: await source.nativeToken(key),
        contract: undefined,
        amount: BigInt(value),
      })),
    ),
    Promise.all(contracts.map((contract) => holdingOf(contract, address, source))),
  ])
  return [...own, ...ofContracts.flat()]
}

/** Who created a contract, and with which transaction where the chain has a list of them. */
export async function readCreation(
  { address, contract }: AddressFacts,
  source: Source,
): Promise<{ creator: Address; hash: Hex | undefined } | undefined> {
  const found = await ifAnswered(
    source.ask<{ creator: Address; hash: Hex } | null>('ots_getContractCreator', address),
  )
  if (found) return found
  const creator = toRpcAddressOrNull(contract?.origin_address)
  return creator ? { creator, hash: undefined } : undefined
}

/** What an account has of the token of a contract; none when the contract is no token, or the account has nothing. */
async function holdingOf(contract: Address, owner: Address, source: Source): Promise<Holding[]> {
  try {
    const [token, amount] = await Promise.all([
      source.token(contract),
      source.call(contract, 'balanceOf', [owner]),
    ])
    return token && typeof amount === 'bigint' && amount > 0n ? [{ token, contract, amount }] : []
  } catch {
    // A contract that makes a node fail does not hide the other tokens.
    return [{ token: undefined, contract, amount: undefined }]
  }
}
