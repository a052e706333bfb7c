import { parseAddress, toNativeAddress, toBase58Address as toBase58 } from '../lib/address.ts'
import type { HexAddress } from '../lib/address.ts'
import { sleep as realSleep } from '../lib/sleep.ts'
import { REFUSALS } from '../native/broadcastVerdict.ts'
import { createNodeClient, type NativeClient } from '../native/client.ts'
import { decodeMessage, isBusyOrUnreachable, NodeAnswerError } from '../native/errors.ts'
import {
  type EncodableTransaction,
  encodeTransaction,
  expirationOf,
  rawDataBytes,
  rawDataToJson,
  transactionId,
} from '../native/protobuf/transaction.ts'
import { createFetchTransport } from '../native/transport/fetchTransport.ts'
import type { Hex, TransactionInfo } from '../native/wire/types.ts'
import { type Attempt, sendUntilKnown } from './unconfirmed.ts'

export { UnconfirmedError } from './unconfirmed.ts'
export type { HexAddress } from '../lib/address.ts'

export type {
  CallOptions,
  SolidityOperations,
  WalletOperations,
} from '../native/wire/operations.ts'
export * from '../native/wire/types.ts'
export { type ContractType } from '../native/protobuf/contracts.ts'
export {
  addressFromKey,
  type PrivateKey,
  recoverSigners,
  signHash,
  signTransaction,
} from '../native/protobuf/signature.ts'
export {
  decodeTransaction,
  type EncodableTransaction,
  encodeTransaction,
  type RawDataJson,
  rawDataFromJson,
  rawDataToJson,
  transactionId,
} from '../native/protobuf/transaction.ts'

/** A typed client of a node’s HTTP API, with functions to send transactions. */
export type Client = NativeClient & {
  /**
   * Broadcasts signed bytes. A transaction that the node already has counts as sent. While it is not known whether the node has it, as
   * when the connection closes, the same bytes are sent again.
   *
   * @returns the transaction's id.
   * @throws BroadcastError with the node's code when it refused the transaction; UnconfirmedError when that is not known
   */
  send(signed: EncodableTransaction): Promise<Hex>
  /**
   * Waits until a transaction is in a block. A failed contract call is in a block too: look at `receipt.result`. A node that does
   * not answer is asked again until the time is over.
   *
   * @throws Error when it is not in a block in time; the error of the last poll; at once that of a node which refuses the poll.
   */
  waitForTransaction(id: Hex, options?: Client.WaitOptions): Promise<TransactionInfo>
}

export declare namespace Client {
  type WaitOptions = {
    /** Milliseconds between two polls. @default 1_000 */
    interval?: number
    /** Wait until the block is solidified. After that no reorg can remove it. @default false */
    solid?: boolean
    /** Milliseconds; a built transaction expires after a minute. @default 75_000 */
    timeout?: number
  }
}

/**
 * A client of a node, or of a gateway that offers the node's HTTP API. Every operation is a function of `wallet` (newest
 * state) or `solidity` (solidified state); amounts beyond 2^53 − 1 sun are bigints, in answers and in requests.
 *
 * @example
 * const client = createNativeClient('http://127.0.0.1:8090')
 * const block = await client.wallet.getNowBlock()
 * const account = await client.wallet.getAccount({ address: toHexAddress('TRcdM4KTpBzgJHbwU7yRhbPratNVK829am') })
 *
 * @example
 * // Coins: the node builds, the key signs, the client sends and waits.
 * const unsigned = await client.wallet.createTransaction({ owner_address, to_address, amount: 1_000_000n })
 * const id = await client.send(signTransaction(unsigned, privateKey))
 * const info = await client.waitForTransaction(id)
 *
 * @example
 * // Two keys of one permission sign one after the other.
 * const unsigned = await client.wallet.createTransaction({ owner_address, to_address, amount: 1, Permission_id: 2 })
 * await client.send(signTransaction(signTransaction(unsigned, firstKey), secondKey))
 *
 * @param url - base address of `/wallet` and `/walletsolidity`.
 */
export function createNativeClient(
  url: string,
  { sleep = realSleep, ...options }: createNativeClient.Options = {},
): Client {
  const client = createNodeClient({ transport: createFetchTransport(url, options) })

  return {
    ...client,
    async send(signed) {
      const transaction = encodeTransaction(signed)
      const raw = rawDataBytes(signed)
      const id = transactionId(raw)
      const has = async (): Promise<boolean> => {
        for (const look of ['getTransactionFromPending', 'getTransactionById'] as const)
          if (await client.wallet[look]({ value: id }).catch(() => undefined)) return true
        return false
      }
      const send = async (): Promise<Attempt> => {
        try {
          const { code, message = '', result } = await client.wallet.broadcastHex({ transaction })
          if (result === true) return { accepted: true }
          const error = new BroadcastError(code ?? 'OTHER_ERROR', decodeMessage(message))
          // A node also knows ids of transactions that it refused, and refuses what is in a block already.
          if (await has()) return { accepted: true }
          return REFUSALS.has(error.code) ? { refused: error } : { unknown: error }
        } catch (error) {
          return (await has()) ? { accepted: true } : { unknown: error }
        }
      }
      await sendUntilKnown({ expiration: expirationOf(rawDataToJson(raw)), id }, send, sleep)
      return id
    },
    async waitForTransaction(id, { interval = 1_000, solid = false, timeout = 75_000 } = {}) {
      const value = id.replace(/^0x/, '')
      const operations = solid ? client.solidity : client.wallet
      const deadline = Date.now() + timeout
      for (;;) {
        const isLast = Date.now() > deadline
        const info = await operations.getTransactionInfoById({ value }).catch((error: unknown) => {
          // A later poll may succeed: the node starts again, or a proxy answers in its place.
          const mayPass = isBusyOrUnreachable(error) || error instanceof NodeAnswerError
          if (isLast || !mayPass) throw error
        })
        if (info) return info
        if (isLast) throw new Error(`transaction ${value} is not in a block yet`)
        await sleep(interval)
      }
    },
  }
}

export declare namespace createNativeClient {
  type Options = createFetchTransport.Options & {
    /** @default a timer */
    sleep?: (milliseconds: number) => Promise<void>
  }
}

/** The node's format of an address (`41` and 20 bytes of hex), from any format. @throws TypeError */
export function toHexAddress(address: string): HexAddress {
  return toNativeAddress(toEthereumAddress(address))
}

/** The base58 format of an address (`T…`), from any format. @throws TypeError */
export function toBase58Address(address: string): string {
  return toBase58(toEthereumAddress(address))
}

/** Ethereum's format of an address (`0x` and 20 bytes of hex), from any format. @throws TypeError */
export function toEthereumAddress(address: string): `0x${string}` {
  const parsed = parseAddress(address)
  if (parsed) return parsed
  throw new TypeError(`not an address: ${address}`)
}

/** The node refused a transaction. `code` is the node's code, such as `SIGERROR` or `TRANSACTION_EXPIRATION_ERROR`. */
export class BroadcastError extends Error {
  override name = 'BroadcastError'
  readonly code: string

  constructor(code: string, message: string) {
    super(`${code}: ${message}`)
    this.code = code
  }
}
