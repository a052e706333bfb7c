import { LRUCache } from 'lru-cache'
import type { Abi, Address, Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'

import { STANDARD_ABI } from '../../../codec/abi.ts'
import type { CoinDecimals } from '../../../codec/coin.ts'
import { toNativeAddress } from '../../../lib/address.ts'
import type { NativeClient } from '../../../native/client.ts'
import { readAbi, toAbi } from '../abi.ts'
import { cleanText, hexText } from '../text.ts'

/** One JSON-RPC call in this process. @throws RpcError */
export type Request = (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>

/** Name, symbol and decimals of a token contract. Text of a stranger: cleaned, but it may claim anything. */
export type Token = { name: string; symbol: string; decimals: number; supply: bigint | undefined }

/** A token of the chain itself (TRC-10). */
export type NativeToken = { id: string; name: string; decimals: number }

/** A contract as the page knows it: its name, and an ABI from the chain or from the build folder of the developer. */
export type Known = { name: string | undefined; abi: Abi }

/** Names and ABIs by the code of a contract, from the build folders of a developer. */
export type Artifacts = (code: Hex) => Known | undefined

/** Seconds that facts about contracts stay in memory. A page asks for the same ones many times. */
const TTL = 15

/** Contracts and tokens in memory. */
const KEPT = 1_000

/**
 * What the views read from: the gateway's own methods and the node's HTTP API. Facts about contracts and tokens are kept for
 * a short time, because one page needs the same ones in many rows.
 */
export function createSource({ artifacts, decimals, native, request }: createSource.Options) {
  const { wallet } = native
  const contracts = createKept(readContract)
  const tokens = createKept(readToken)
  const nativeTokens = createKept(readNativeToken)
  const names = createKept(readName)

  const ask = <result>(method: string, ...params: unknown[]) =>
    request({ method, params }) as Promise<result>

  /** Calls a function of the standards; undefined when the contract has no such function or answers something else. */
  async function call(to: Address, functionName: string, args: unknown[] = []): Promise<unknown> {
    const data = encodeFunctionData({ abi: STANDARD_ABI, functionName, args })
    try {
      const answer = await ask<Hex>('eth_call', { to, data }, 'latest')
      return decodeFunctionResult({ abi: STANDARD_ABI, functionName, data: answer })
    } catch {
      return undefined
    }
  }

  async function readContract(address: Address): Promise<Known> {
    const contract = await wallet.getContract({ value: toNativeAddress(address) })
    const abi = toAbi(contract?.abi?.entrys)
    const name = cleanText(contract?.name ?? '')
    if (abi.length > 0 || !artifacts) return { abi, name: name || undefined }
    const code = await ask<Hex>('eth_getCode', address, 'latest')
    const known = code === '0x' ? undefined : artifacts(code)
    return { abi: readAbi(known?.abi), name: name || known?.name }
  }

  async function readToken(address: Address): Promise<Token | undefined> {
    const answer = await call(address, 'symbol')
    const symbol = typeof answer === 'string' ? cleanText(answer, 16) : ''
    if (symbol === '') return undefined
    const [name, places, supply] = await Promise.all(
      ['name', 'decimals', 'totalSupply'].map((read) => call(address, read)),
    )
    return {
      name: (typeof name === 'string' && cleanText(name)) || symbol,
      symbol,
      decimals: Number(places ?? 0),
      supply: typeof supply === 'bigint' ? supply : undefined,
    }
  }

  async function readNativeToken(id: string): Promise<NativeToken> {
    const asset = await wallet.getAssetIssueById({ value: id })
    const name = cleanText(hexText(asset?.name) ?? '')
    return { id, name: name || `token ${id}`, decimals: asset?.precision ?? 0 }
  }

  async function readName(address: Address): Promise<string | undefined> {
    const [account, { name }] = await Promise.all([
      wallet.getAccount({ address: toNativeAddress(address) }),
      contracts(address),
    ])
    return name ?? (cleanText(hexText(account?.account_name) ?? '', 32) || undefined)
  }

  return {
    ask,
    call,
    decimals,
    wallet,
    /** The contract at an address; it has no name and an empty ABI when the chain knows neither. */
    contract: contracts,
    /** The name of an account or contract on the chain. */
    name: names,
    nativeToken: nativeTokens,
    /** The token at an address; undefined when the contract is none. */
    token: tokens,
    head: async () => Number(await ask<Hex>('eth_blockNumber')),
    /** The newest block that no reorg can remove. */
    async solid(): Promise<number> {
      const block = await ask<{ number: Hex } | null>('eth_getBlockByNumber', 'finalized', false)
      return Number(block?.number ?? 0)
    },
  }
}

export declare namespace createSource {
  type Options = {
    artifacts?: Artifacts | undefined
    /** Decimals of the coin in all amounts that are read. */
    decimals: CoinDecimals
    native: Pick<NativeClient, 'wallet'>
    /** Calls the gateway’s own methods. */
    request: Request
  }
}

/** What the views read from. */
export type Source = ReturnType<typeof createSource>

/** Keeps the answers of a read for a short time. Failures are not kept. */
function createKept<key extends string, value>(read: (key: key) => Promise<value>) {
  const kept = new LRUCache<key, Promise<value>>({ max: KEPT, ttl: TTL * 1_000 })
  return (key: key): Promise<value> => {
    const known = kept.get(key)
    if (known) return known
    const reading = read(key)
    kept.set(key, reading)
    reading.catch(() => kept.delete(key))
    return reading
  }
}
