import type { Abi, Address, Hash, Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData, numberToHex, pad } from 'viem/utils'

import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../codec/types.ts'
import type { NativeClient } from '../../native/client.ts'
import type {
  Account,
  AccountResource,
  Contract as ContractRecord,
} from '../../native/wire/accountTypes.ts'
import type { Asset } from '../../native/wire/networkTypes.ts'
import type { InternalTransaction, Transaction, TransactionInfo } from '../../native/wire/types.ts'
import { readFunctions, toAbi, valueText } from './decode.ts'

/** One JSON-RPC call in this process. @throws RpcError */
export type Request = (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>

/** A block with the native type of each transaction. */
export type BlockFacts = {
  block: Omit<RpcBlock, 'transactions'> & { transactions: RpcTransaction[] }
  receipts: Map<Hash, RpcReceipt>
  types: Map<Hash, string | undefined>
}

/** A transaction. The fields of its block are absent while it is pending. */
export type TransactionFacts = {
  transaction: RpcTransaction
  receipt: RpcReceipt | null
  native: Transaction | undefined
  info: TransactionInfo | undefined
  internal: InternalTransaction[]
  /** ABIs of the contracts that it calls, by address. */
  abis: Map<Address, Abi>
}

/** An account or contract. Amounts in sun. */
export type AddressFacts = {
  address: Address
  balance: bigint
  account: Account | undefined
  resources: AccountResource | undefined
  contract: ContractRecord | undefined
  hasCode: boolean
  abi: Abi
  tokens: { id: string; name: string; amount: bigint; precision: number }[]
  transfers: { logs: RpcLog[]; from: number; to: number } | undefined
}

/** Number of blocks behind the head whose token transfers an address page lists. */
const TRANSFER_BLOCKS = 1_000

/** Maximum number of contracts whose ABI is read for one transaction. */
const MAX_ABIS = 8

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/**
 * Reads the data of the pages through the gateway and the native HTTP API. Functions throw the errors of the gateway and
 * return undefined for absent data.
 */
export function createFacts({ native, request }: createFacts.Options) {
  const ask = <result>(method: string, ...params: unknown[]) =>
    request({ method, params }) as Promise<result>

  async function abiOf(address: Address): Promise<Abi> {
    const contract = await native.wallet.getContract({ value: nativeAddress(address) })
    return toAbi(contract?.abi?.entrys)
  }

  return {
    async head(): Promise<number> {
      return Number(await ask<Hex>('eth_blockNumber'))
    },

    /** Headers with transaction hashes, newest first, ending at `newest`. */
    async blocks(newest: number, count: number): Promise<RpcBlock[]> {
      const numbers = Array.from({ length: Math.min(count, newest + 1) }, (_, i) => newest - i)
      const blocks = await Promise.all(
        numbers.map((number) =>
          ask<RpcBlock | null>('eth_getBlockByNumber', numberToHex(number), false),
        ),
      )
      return blocks.filter((block) => block !== null)
    },

    /** @param ref - a number in decimal or a hash */
    async block(ref: string): Promise<BlockFacts | undefined> {
      const byHash = ref.startsWith('0x')
      const param = byHash ? ref : numberToHex(BigInt(ref))
      const block = await ask<BlockFacts['block'] | null>(
        byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
        param,
        true,
      )
      if (!block) return undefined
      const [receipts, nativeBlock] = await Promise.all([
        ask<RpcReceipt[] | null>('eth_getBlockReceipts', block.hash),
        native.wallet.getBlockById({ value: block.hash.slice(2) }),
      ])
      return {
        block,
        receipts: new Map(receipts?.map((receipt) => [receipt.transactionHash, receipt])),
        types: new Map(
          nativeBlock?.transactions?.map(({ raw_data, txID }) => [
            `0x${txID}`,
            raw_data.contract?.[0]?.type,
          ]),
        ),
      }
    },

    async transaction(hash: Hash): Promise<TransactionFacts | undefined> {
      const transaction = await ask<RpcTransaction | null>('eth_getTransactionByHash', hash)
      if (!transaction) return undefined
      const value = hash.slice(2)
      const [receipt, nativeTransaction, info] = await Promise.all([
        ask<RpcReceipt | null>('eth_getTransactionReceipt', hash),
        native.wallet.getTransactionById({ value }),
        native.wallet.getTransactionInfoById({ value }),
      ])
      const contracts = new Set<Address>()
      if (transaction.to && transaction.input !== '0x') contracts.add(transaction.to)
      for (const log of receipt?.logs ?? []) contracts.add(log.address)
      const abis = await Promise.all(
        [...contracts]
          .slice(0, MAX_ABIS)
          .map(async (address) => [address, await abiOf(address)] as const),
      )
      return {
        transaction,
        receipt,
        native: nativeTransaction,
        info,
        internal: info?.internal_transactions ?? [],
        abis: new Map(abis),
      }
    },

    async address(address: Address): Promise<AddressFacts> {
      const nativeForm = nativeAddress(address)
      const [balance, code, account, resources, contract] = await Promise.all([
        ask<Hex>('eth_getBalance', address, 'latest'),
        ask<Hex>('eth_getCode', address, 'latest'),
        native.wallet.getAccount({ address: nativeForm }),
        native.wallet.getAccountResource({ address: nativeForm }),
        native.wallet.getContract({ value: nativeForm }),
      ])
      const tokens = await Promise.all(
        (account?.assetV2 ?? []).slice(0, 50).map(async ({ key, value }) => {
          const asset: Asset | undefined = await native.wallet.getAssetIssueById({ value: key })
          const name = Buffer.from(asset?.name ?? '', 'hex').toString('utf8')
          return { id: key, name, amount: BigInt(value), precision: asset?.precision ?? 0 }
        }),
      )
      return {
        address,
        balance: BigInt(balance),
        account,
        resources,
        contract,
        hasCode: code !== '0x',
        abi: toAbi(contract?.abi?.entrys),
        tokens,
        transfers: await recentTransfers(address, code !== '0x'),
      }
    },

    /** Calls a read function of a contract. @throws Error naming the wrong argument; RpcError */
    async read(
      address: Address,
      signature: string,
      args: readonly string[],
    ): Promise<string | undefined> {
      const abi = await abiOf(address)
      const entry = readFunctions(abi).find((item) => functionKey(item) === signature)
      if (!entry) return undefined
      const data = encodeFunctionData({
        abi: [entry],
        args: args.map((text, index) => argument(text, entry.inputs[index]?.type ?? '')),
      })
      const result = await ask<Hex>('eth_call', { to: address, data }, 'latest')
      return valueText(decodeFunctionResult({ abi: [entry], data: result }))
    },

    energyPrice: async () => BigInt(await ask<Hex>('eth_gasPrice')),
  }

  /** Transfers from and to an account; for a contract also those of its own token. */
  async function recentTransfers(
    address: Address,
    isContract: boolean,
  ): Promise<AddressFacts['transfers']> {
    const to = Number(await ask<Hex>('eth_blockNumber'))
    const from = Math.max(0, to - TRANSFER_BLOCKS + 1)
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
    const word = pad(address)
    try {
      const found = await Promise.all([
        ask<RpcLog[]>('eth_getLogs', { ...range, topics: [TRANSFER_TOPIC, word] }),
        ask<RpcLog[]>('eth_getLogs', { ...range, topics: [TRANSFER_TOPIC, null, word] }),
        isContract
          ? ask<RpcLog[]>('eth_getLogs', { ...range, address, topics: [TRANSFER_TOPIC] })
          : [],
      ])
      const logs = new Map(found.flat().map((log) => [logKey(log), log]))
      return { logs: [...logs.values()].toSorted(newestFirst), from, to }
    } catch {
      // The page shows that the transfers could not be read. The other facts are useful without them.
      return undefined
    }
  }
}

export declare namespace createFacts {
  type Options = {
    /** Calls the gateway’s own methods. */
    request: Request
    native: Pick<NativeClient, 'wallet'>
  }
}

/** Names a function of an ABI: name and types of its parameters. */
export function functionKey({
  inputs,
  name,
}: {
  name: string
  inputs: readonly { type: string }[]
}): string {
  return `${name}(${inputs.map(({ type }) => type).join(',')})`
}

/** A typed argument: JSON for lists and tuples, decimal or hex for numbers. */
function argument(text: string, type: string): unknown {
  const given = text.trim()
  if (type.endsWith(']') || type.startsWith('tuple')) return JSON.parse(given)
  if (/^u?int/.test(type)) return BigInt(given)
  if (type === 'bool') return given === 'true'
  return given
}

function nativeAddress(address: Address): string {
  return `41${address.slice(2)}`
}

function logKey({ blockNumber, logIndex }: RpcLog): string {
  return `${blockNumber} ${logIndex}`
}

function newestFirst(a: RpcLog, b: RpcLog): number {
  return Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex)
}
