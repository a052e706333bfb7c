import { LRUCache } from 'lru-cache'
import type { Abi, Address, Hash, Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData, hexToBytes } from 'viem/utils'

import { STANDARD_ABI } from '../../../codec/abi.ts'
import type { CoinDecimals } from '../../../codec/coin.ts'
import type { RpcLog, RpcReceipt } from '../../../codec/types.ts'
import { toNativeAddress } from '../../../lib/address.ts'
import type { Call } from '../../../lib/call.ts'
import { BeyondHeadError, RpcError, UpstreamError } from '../../../lib/errors.ts'
import type { NativeClient } from '../../../native/client.ts'
import { createDedupe } from '../../../native/dedupe.ts'
import type {
  CallOptions,
  SolidityOperations,
  WalletOperations,
} from '../../../native/wire/operations.ts'
import type { Transaction, TransactionInfo } from '../../../native/wire/types.ts'
import { readAbi, toAbi } from '../abi.ts'
import { cleanText, hexText } from '../text.ts'

/** One JSON-RPC call in this process. Its native calls count for the meter of what it is made for. @throws RpcError */
export type Request = (
  call: { method: string; params?: readonly unknown[] },
  asking?: Call,
) => Promise<unknown>

/** A transaction of a block as the node sent it, with its outcome and the time of the block in milliseconds. */
export type Mined = {
  transaction: Transaction
  info: TransactionInfo | undefined
  timestamp: number
}

/** Reads a transaction of a block from memory if it is there. */
export type NativeAt = (number: number, index: number, call?: Call) => Promise<Mined | undefined>

/** Name, symbol and decimals of a token contract. Text of a stranger: cleaned, but it may claim anything. */
export type Token = { name: string; symbol: string; decimals: number; supply: bigint | undefined }

/** A token of the chain itself (TRC-10). */
export type NativeToken = { id: string; name: string; decimals: number }

/** A contract as the page knows it: its name, and an ABI from the chain or from the build folder of the developer. */
export type Known = { name: string | undefined; abi: Abi }

/** What a compiler was given: its version, the file of the contract, and its JSON input. */
export type Compilation = {
  compiler: string
  file: string
  input: {
    sources?: Record<string, { content?: string }>
    settings?: { optimizer?: { enabled?: boolean; runs?: number }; evmVersion?: string }
  }
}

/** Names, ABIs and sources by the code of a contract, from the build folders of a developer. */
export type Artifacts = {
  contractOf: (code: Uint8Array) => Known | undefined
  compilationOf: (code: Uint8Array) => Compilation | undefined
}

/** Seconds that facts about contracts stay in memory. A page asks for the same ones many times. */
const TTL = 15

/** Contracts and tokens in memory. */
const KEPT = 1_000

/**
 * What the views read from: the gateway's own methods and the node's HTTP API. Facts about contracts and tokens are kept for
 * a short time, because one page needs the same ones in many rows.
 *
 * Returns the source for the call of a visitor, who is charged for what it reads. Its calls end with that one.
 */
export function createSources({
  artifacts,
  decimals,
  epoch,
  native,
  nativeAt,
  request,
}: createSources.Options) {
  const contracts = createKept(KEPT, readContract, epoch)
  const compilations = createKept(KEPT, readCompilation, epoch)
  const tokens = createKept(KEPT, readToken, epoch)
  const nativeTokens = createKept(KEPT, readNativeToken, epoch)
  const names = createKept(KEPT, readName, epoch)

  async function readContract(address: Address, source: Source): Promise<Known> {
    const contract = await source.wallet.getContract({ value: toNativeAddress(address) })
    const abi = toAbi(contract?.abi?.entrys)
    const name = cleanText(contract?.name ?? '')
    if (abi.length > 0 || !artifacts) return { abi, name: name || undefined }
    const code = await source.ask<Hex>('eth_getCode', address, 'latest')
    const known = code === '0x' ? undefined : artifacts.contractOf(hexToBytes(code))
    return { abi: readAbi(known?.abi), name: name || known?.name }
  }

  async function readCompilation(
    address: Address,
    source: Source,
  ): Promise<Compilation | undefined> {
    const code = await source.ask<Hex>('eth_getCode', address, 'latest')
    return code === '0x' ? undefined : artifacts?.compilationOf(hexToBytes(code))
  }

  async function readToken(address: Address, source: Source): Promise<Token | undefined> {
    const answer = await source.call(address, 'symbol')
    const symbol = typeof answer === 'string' ? cleanText(answer, 16) : ''
    if (symbol === '') return undefined
    const [name, places, supply] = await Promise.all(
      ['name', 'decimals', 'totalSupply'].map((read) => source.call(address, read)),
    )
    return {
      name: (typeof name === 'string' && cleanText(name)) || symbol,
      symbol,
      decimals: Number(places ?? 0),
      supply: typeof supply === 'bigint' ? supply : undefined,
    }
  }

  async function readNativeToken(id: string, { wallet }: Source): Promise<NativeToken> {
    const asset = await wallet.getAssetIssueById({ value: id })
    const name = cleanText(hexText(asset?.name) ?? '')
    return { id, name: name || `token ${id}`, decimals: asset?.precision ?? 0 }
  }

  async function readName(address: Address, source: Source): Promise<string | undefined> {
    const [account, { name }] = await Promise.all([
      source.wallet.getAccount({ address: toNativeAddress(address) }),
      source.contract(address),
    ])
    return name ?? (cleanText(hexText(account?.account_name) ?? '', 32) || undefined)
  }

  return function sourceFor(asking: Call | undefined): Source {
    const ask = <result>(method: string, ...params: unknown[]) =>
      request({ method, params }, asking) as Promise<result>

    const source: Source = {
      ask,
      async call(to, functionName, args = []) {
        const data = encodeFunctionData({ abi: STANDARD_ABI, functionName, args })
        const answer = await ifAnswered(ask<Hex>('eth_call', { to, data }, 'latest'))
        try {
          return answer && decodeFunctionResult({ abi: STANDARD_ABI, functionName, data: answer })
        } catch {
          return undefined
        }
      },
      decimals,
      async mined({ blockNumber, transactionHash, transactionIndex }) {
        const found = await nativeAt(Number(blockNumber), Number(transactionIndex), asking)
        if (found?.transaction.txID !== transactionHash.slice(2)) throw moved(transactionHash)
        return found
      },
      solidity: asking ? callsFor(asking, native.solidity) : native.solidity,
      wallet: asking ? callsFor(asking, native.wallet) : native.wallet,
      asking,
      with: sourceFor,
      compilation: (address) => compilations(address, source),
      contract: (address) => contracts(address, source),
      name: (address) => names(address, source),
      nativeToken: (id) => nativeTokens(id, source),
      token: (address) => tokens(address, source),
      head: async () => Number(await ask<Hex>('eth_blockNumber')),
      async solid() {
        const block = await ask<{ number: Hex } | null>('eth_getBlockByNumber', 'finalized', false)
        return Number(block?.number ?? 0)
      },
    }
    return source
  }
}

export declare namespace createSources {
  type Options = {
    artifacts?: Artifacts | undefined
    /** Decimals of the coin in all amounts that are read. */
    decimals: CoinDecimals
    /** Another value after final blocks were replaced, as a development chain does: a contract can be another one then. @default one */
    epoch?: (() => number) | undefined
    native: Pick<NativeClient, 'solidity' | 'wallet'>
    nativeAt: NativeAt
    /** Calls the gateway’s own methods. */
    request: Request
  }
}

/** What the views read from. */
export type Source = {
  /** A method of the gateway. @throws RpcError */
  ask<result>(method: string, ...params: unknown[]): Promise<result>
  /**
   * Calls a function of the standards; undefined when the contract has no such function or answers something else.
   *
   * @throws RpcError when no node answers
   */
  call(to: Address, functionName: string, args?: unknown[]): Promise<unknown>
  readonly decimals: CoinDecimals
  /** The transaction of a log or a receipt. @throws UpstreamError when a reorg moved it */
  mined(place: Pick<RpcLog, 'blockNumber' | 'transactionHash' | 'transactionIndex'>): Promise<Mined>
  /** The state at the solidified block. */
  readonly solidity: SolidityOperations
  readonly wallet: WalletOperations
  /** Of the visitor; undefined for work that no visitor is charged for. */
  readonly asking: Call | undefined
  /** The same source for another call. */
  with(asking: Call | undefined): Source
  /** What the compiler of a contract was given, where the developer's build folders have it. */
  compilation(address: Address): Promise<Compilation | undefined>
  /** The contract at an address; it has no name and an empty ABI when the chain knows neither. */
  contract(address: Address): Promise<Known>
  /** The name of an account or contract on the chain. */
  name(address: Address): Promise<string | undefined>
  nativeToken(id: string): Promise<NativeToken>
  /** The token at an address; undefined when the contract is none. @throws RpcError when no node answers */
  token(address: Address): Promise<Token | undefined>
  head(): Promise<number>
  /** The newest block that no reorg can remove. */
  solid(): Promise<number>
}

/** Codes of failures of the gateway or of its nodes. Any other error is an answer: of a contract, or about what the chain lacks. */
const FAILURES = new Set([-32603, -32005])

/** The answer of a method; undefined when it is an error. @throws RpcError when no node answers */
export async function ifAnswered<result>(asked: Promise<result>): Promise<result | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof RpcError && !FAILURES.has(error.code)) return undefined
    throw error
  }
}

/** The last block of a table: the one that a visitor asked for, otherwise the newest. @throws BeyondHeadError */
export function lastBlock(asked: number | undefined, head: number): number {
  if (asked !== undefined && asked > head) throw new BeyondHeadError(asked, head)
  return asked ?? head
}

/** The token of a row in a list. A contract that makes a node fail does not hide the whole list. */
export function tokenInList(address: Address, source: Source): Promise<Token | undefined> {
  return source.token(address).catch(() => undefined)
}

/** Reads the receipts of the transactions of logs, each once. @throws UpstreamError when a reorg moved one */
export function receiptsOf(source: Source) {
  const asked = new Map<Hash, Promise<RpcReceipt | null>>()
  return async ({ blockHash, transactionHash: hash }: RpcLog): Promise<RpcReceipt> => {
    const read = asked.get(hash) ?? source.ask<RpcReceipt | null>('eth_getTransactionReceipt', hash)
    asked.set(hash, read)
    const receipt = await read
    if (receipt?.blockHash !== blockHash) throw moved(hash)
    return receipt
  }
}

/** All rows of a list belong to one branch. What is read later for a row must come from the same block. */
export const moved = (hash: Hash) =>
  new UpstreamError(`a reorg moved transaction ${hash}: try again`)

/**
 * Keeps the answers of a read for a short time. Failures are not kept. Visitors who ask at the same time share one read,
 * which ends when all of them have left.
 */
export function createKept<key extends string, value>(
  max: number,
  read: (key: key, source: Source) => Promise<value>,
  epoch: () => number = () => 0,
) {
  const kept = new LRUCache<string, { value: value }>({ max, ttl: TTL * 1_000 })
  const dedupe = createDedupe()
  return async (key: key, source: Source): Promise<value> => {
    const place = `${epoch()} ${key}`
    const known = kept.get(place)
    if (known) return known.value
    return dedupe(place, source.asking, async (shared) => {
      const value = await read(key, shared ? source.with(shared) : source)
      kept.set(place, { value })
      return value
    })
  }
}

/** Native calls that are made for a call. */
function callsFor<operations extends SolidityOperations>(
  asking: Call,
  operations: operations,
): operations {
  const calls = Object.entries(operations) as [
    string,
    (request: unknown, options: CallOptions) => unknown,
  ][]
  return Object.fromEntries(
    calls.map(([name, call]) => [name, (request: unknown) => call(request, asking)]),
  ) as unknown as operations
}
