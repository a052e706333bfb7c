import type { Address, Hex } from 'viem'

import type { Kind } from '../../../codec/accounts.ts'
import type { RpcHistory } from '../../../codec/types.ts'
import { toNativeAddress, toRpcAddressOrNull } from '../../../lib/address.ts'
import { rowOf } from './row.ts'
import { ifAnswered, type NativeToken, type Source, type Token } from './source.ts'
import { findTransfers } from './transferPage.ts'

/** An account or contract, without the content of its tabs. */
export type AddressFacts = Awaited<ReturnType<typeof readAddress>>

/** A page of the transactions of an account, newest first. */
export type History = Awaited<ReturnType<typeof readHistory>>

/** A token that an account has. `contract` is absent for a token of the chain itself. */
export type Holding =
  | {
      token: Token | NativeToken
      contract: Address | undefined
      amount: bigint
      /** Those that the account has of tokens that are one of a kind, as far as they are among the newest transfers. */
      ids?: bigint[]
    }
  /** The reads of this contract failed, so the amount is unknown. */
  | { token: undefined; contract: Address; amount: undefined }

/** Storage slots of EIP-1967: the hash of `eip1967.proxy.implementation` and of `eip1967.proxy.beacon`, minus one. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const BEACON_SLOT = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'

/** Transactions of one page of a history. */
const PAGE = 25

/** Blocks that are searched back for one page where no log index has the accounts of all blocks. */
const MOST_SEARCHED = 1_000

/** Tokens whose balance is read for one account. */
const MOST_TOKENS = 30

/** Transfers in which they are looked for, and tokens that are one of a kind of one contract. */
const MOST_TRANSFERS = 200
const MOST_IDS = 20

/** Reads an account or contract. */
export async function readAddress(address: Address, source: Source) {
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
    // Absent on accounts and on contracts that are no token.
    token,
    // The contract whose code a proxy runs (EIP-1967).
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

/** Where a page of a history begins: a position of another page, or a block number. */
export type HistoryPlace = { before?: string | undefined; after?: string | undefined }

/**
 * A page of the transactions of an account. Without an index one call searches few blocks.
 *
 * @param kind - see `KINDS`; all of them without it
 * @param isSearch - whether older blocks are searched until a transaction is found, at most `MOST_SEARCHED`. Each call is charged.
 */
export async function readHistory(
  address: Address,
  kind: Kind | undefined,
  { isSearch, ...place }: HistoryPlace & { isSearch: boolean },
  source: Source,
) {
  const ask = (from: HistoryPlace) =>
    source.ask<RpcHistory>('ethgate_getTransactions', { address, ...from, kind, limit: PAGE })
  let answer = await ask(place)
  const to = Number(answer.searched.to)
  const goesOn = () => isSearch && !answer.complete && answer.transactions.length === 0
  while (goesOn() && answer.older !== null) {
    if (to - Number(answer.searched.from) >= MOST_SEARCHED) break
    answer = await ask({ before: answer.older })
  }
  const { complete, newer, older, searched, transactions } = answer
  const rows = await Promise.all(
    transactions.map(async ({ receipt, timestamp }) => {
      const block = Number(receipt.blockNumber)
      const { transaction } = await source.mined(receipt)
      return rowOf(transaction, { block, time: Number(timestamp), receipt }, source)
    }),
  )
  const link = kind ? `&kind=${kind}` : ''
  return {
    rows,
    // The queries of its neighbours.
    newer: newer === null ? undefined : `${link}&after=${newer}`,
    older: older === null ? undefined : `${link}&before=${older}`,
    // What was searched when no log index has the accounts of all blocks.
    ...(!complete && { range: { from: Number(searched.from), to } }),
  }
}

/**
 * The tokens of an account: those of the chain itself, and those of contracts in its newest transfers. Undefined when the
 * transfers cannot be read.
 */
export async function readHoldings(
  { account, address }: Pick<AddressFacts, 'account' | 'address'>,
  source: Source,
): Promise<Holding[] | undefined> {
  const page = await findTransfers(address, {}, source, MOST_TRANSFERS)
  if (!page) return undefined
  const idsOf = (contract: Address) => {
    const own = page.transfers.filter((one) => one.contract === contract && one.to === address)
    return [...new Set(own.flatMap(({ id }) => id ?? []))].slice(0, MOST_IDS)
  }
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
    Promise.all(contracts.map((contract) => holdingOf(contract, address, idsOf(contract), source))),
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
async function holdingOf(
  contract: Address,
  owner: Address,
  ids: readonly bigint[],
  source: Source,
): Promise<Holding[]> {
  try {
    const [token, amount, owners] = await Promise.all([
      source.token(contract),
      source.call(contract, 'balanceOf', [owner]),
      Promise.all(ids.map((id) => source.call(contract, 'ownerOf', [id]))),
    ])
    if (!token || typeof amount !== 'bigint' || amount === 0n) return []
    const own = ids.filter((_, at) => String(owners[at]).toLowerCase() === owner)
    return [{ token, contract, amount, ...(own.length > 0 && { ids: own }) }]
  } catch {
    // A contract that makes a node fail does not hide the other tokens.
    return [{ token: undefined, contract, amount: undefined }]
  }
}
