import {
  type Chain,
  type ChainSerializers,
  type Client,
  createClient,
  defineChain,
  type Hex,
  http,
  type LocalAccount,
  serializeTransaction,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

import { signTransaction } from '../native/protobuf/signature.ts'
import { encodeTransaction } from '../native/protobuf/transaction.ts'
import { buildNative, intentOf, type Request, type WantedTransaction } from './build.ts'
import { createNonces, type Nonces } from './nonces.ts'
import { type FeeQuote, type QuotedCall, readQuote } from './quote.ts'

export type { FeeQuote, QuotedCall } from './quote.ts'

/** An account of viem whose transactions carry the chain's own signature. */
export type NativeAccount = LocalAccount<'native'>

/**
 * An account for viem. Messages and typed data are signed as in Ethereum; transactions natively. Use it with a chain of
 * `defineNativeChain`, which prepares the bytes to sign.
 *
 * @example
 * const chain = defineNativeChain({ id: 2991466444, url: 'http://127.0.0.1:8545' })
 * const account = toNativeAccount('0x…')
 * const wallet = createWalletClient({ account, chain, transport: http() })
 * const hash = await wallet.sendTransaction({ to: '0x…', value: 1_000_000n }) // 1 coin, in sun
 *
 * @throws TypeError, Error when the key is not a private key.
 */
export function toNativeAccount(privateKey: Hex): NativeAccount {
  const { nonceManager: _, ...account } = privateKeyToAccount(privateKey)
  return {
    ...account,
    source: 'native',
    signTransaction: async (transaction) => {
      const { native } = transaction as Prepared
      if (!native)
        throw new Error(
          'the transaction was not prepared for this chain: use a client whose chain is made by defineNativeChain',
        )
      return `0x${encodeTransaction(signTransaction({ raw_data_hex: native }, privateKey))}`
    },
  }
}

/** A request with the nonce that the program gave, and with the bytes that a native account signs, `raw_data_hex`. */
type Prepared = { givenNonce?: number | undefined; native?: string }

/** The nonces of each account. */
const noncesOf = new WeakMap<NativeAccount, Nonces>()

/**
 * A chain definition for viem. Everything that viem sends from a native account goes out natively signed; a plain
 * `privateKeyToAccount` stays an Ethereum account, for gateways that manage its key.
 *
 * @example
 * const chain = defineNativeChain({ id: 2991466444, url: 'http://127.0.0.1:8545' })
 */
export function defineNativeChain({
  decimals = 6,
  id,
  name = 'Native chain',
  now,
  reference,
  symbol = 'COIN',
  url,
}: defineNativeChain.Options): Chain {
  return defineChain({
    id,
    name,
    nativeCurrency: { decimals, name: symbol, symbol },
    rpcUrls: { default: { http: [url] } },
    blockTime: 3_000,
    // Transactions have no nonces on the chain, so none replaces another.
    supportsTransactionReplacementDetection: false,
    prepareTransactionRequest: [
      createPrepare({ now, reference }),
      { runAt: ['beforeFillTransaction', 'afterFillParameters'] },
    ],
    serializers: { transaction: serialize },
  } as const satisfies Chain)
}

export declare namespace defineNativeChain {
  type Options = {
    /** The answer of `eth_chainId`. */
    id: number
    /** Address of the gateway. */
    url: string
    /** 6 (amounts in sun), or 18 with the `/wei` address of a gateway. @default 6 */
    decimals?: 6 | 18
    name?: string
    symbol?: string
    /** The time, in milliseconds; for a development chain whose time was moved. @default Date.now */
    now?: () => number
    /**
     * Address of another gateway of the same chain. A transaction is signed only when it has the reference block too, so that one
     * gateway alone cannot obtain a signature for another chain.
     */
    reference?: string
  }
}

/**
 * What a transaction costs if it is sent now, and who pays. Amounts in the unit of the client's address.
 *
 * @example
 * const { coins, feeLimit } = await getFeeQuote(client, { from: account.address, to: token, data })
 *
 * @throws the error of viem for a call that fails
 */
export function getFeeQuote(client: Client, call: QuotedCall): Promise<FeeQuote> {
  return readQuote(requestOf(client), call)
}

type Prepare = Extract<NonNullable<Chain['prepareTransactionRequest']>, readonly unknown[]>[0] &
  object

/** Requests from the gateway the native transaction that a native account signs. */
function createPrepare({
  now,
  reference,
}: {
  now: (() => number) | undefined
  reference: string | undefined
}): Prepare {
  const second =
    reference === undefined ? undefined : requestOf(createClient({ transport: http(reference) }))
  return async (request, { client, phase }) => {
    const { account, chain, parameters } = request
    // viem fills in a nonce later; only the one of the program is kept to.
    if (phase === 'beforeFillTransaction')
      return Object.assign({}, request, { givenNonce: request.nonce })
    // viem also prepares the request of an estimate, without parameters to fill in, or single ones, such as the nonce.
    if (!isNative(account) || parameters?.length === 0 || request.gas === undefined) return request
    const { givenNonce: nonce, ...rest } = request as typeof request & Prepared
    const from = account.address
    const wanted = {
      ...request,
      from,
      gasPrice: request.gasPrice ?? request.maxFeePerGas,
    } as unknown as WantedTransaction
    const decimals = chain?.nativeCurrency.decimals ?? 6
    const ask = requestOf(client)
    const build = () => buildNative(ask, wanted, { decimals, now, reference: second })
    const nonces = noncesOf.get(account) ?? createNonces({ ...(now && { now }) })
    noncesOf.set(account, nonces)
    const { native } =
      nonce === undefined
        ? await build()
        : await nonces.keep(ask, { ...intentOf(wanted), from, nonce }, build)
    return Object.assign({}, rest, { native }) as typeof request
  }
}

const requestOf =
  (client: Client): Request =>
  (method, params) =>
    client.request({ method, params } as never)

/** The unsigned native bytes of a prepared request. Serializes any other transaction as Ethereum does. */
const serialize: NonNullable<ChainSerializers['transaction']> = (transaction, signature) => {
  const { native } = transaction as Prepared
  return native && !signature
    ? `0x${encodeTransaction({ raw_data_hex: native })}`
    : serializeTransaction(transaction as never, signature)
}

function isNative(account: unknown): account is NativeAccount {
  return (
    typeof account === 'object' &&
    account !== null &&
    'source' in account &&
    account.source === 'native'
  )
}
