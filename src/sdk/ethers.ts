import {
  AbstractSigner,
  getAddress,
  getCreateAddress,
  isAddress,
  type JsonRpcApiProvider,
  type Provider,
  resolveAddress,
  Signature,
  type TransactionRequest,
  TransactionResponse,
  type TypedDataDomain,
  type TypedDataField,
  Wallet,
} from 'ethers'

import { contractAddress } from '../lib/address.ts'
import { signTransaction } from '../native/protobuf/signature.ts'
import { encodeTransaction } from '../native/protobuf/transaction.ts'
import { buildNative, intentOf, type Request } from './build.ts'
import { createNonces, type Nonces } from './nonces.ts'
import { type FeeQuote, readQuote } from './quote.ts'
import { type Attempt, sendUntilKnown, UNCERTAIN } from './unconfirmed.ts'

export type { FeeQuote } from './quote.ts'
export { UnconfirmedError } from './unconfirmed.ts'

/** A contract that a signer of this process created, with the provider that it used. */
type Created = { address: string; provider: Provider }

/**
 * By chain and the address that ethers predicts, because on two chains the same prediction stands for two contracts. Two development
 * chains can have the same id: then the contract that was created through the same provider is used.
 */
const created = new Map<string, Created[]>()

const keyOf = (chainId: bigint, predicted: string) => `${chainId} ${getAddress(predicted)}`

/**
 * A signer for ethers 6: transactions carry the chain's own signature, messages and typed data are signed as in Ethereum.
 *
 * `sendTransaction` resolves for every transaction that the gateway accepted. It sends the same bytes again while it is not known whether
 * it did, and rejects with an UnconfirmedError when that stays unknown. The nonce of a request is kept to or refused.
 *
 * `ContractFactory.deploy` predicts an address that the chain does not use; the contract that it returns works through
 * this signer all the same. The true address is `receipt.contractAddress`.
 *
 * @example
 * const provider = new JsonRpcProvider('http://127.0.0.1:8545', undefined, { cacheTimeout: -1 })
 * const signer = new NativeSigner('0x…', provider)
 * const response = await signer.sendTransaction({ to: '0x…', value: 1_000_000n }) // 1 coin, in sun
 * const receipt = await response.wait()
 */
// A class, because ethers recognises signers by `instanceof AbstractSigner`.
export class NativeSigner extends AbstractSigner {
  readonly address: string
  readonly #key: string
  #nonces: Nonces
  readonly #options: NativeSigner.Options
  readonly #wallet: Wallet

  /** @throws TypeError when the key is not a private key. */
  constructor(
    privateKey: string,
    provider: Provider | null = null,
    options: NativeSigner.Options = {},
  ) {
    super(provider)
    this.#key = privateKey
    this.#options = options
    this.#nonces = createNonces(options)
    this.#wallet = new Wallet(privateKey)
    this.address = this.#wallet.address
  }

  async getAddress(): Promise<string> {
    return this.address
  }

  connect(provider: Provider | null): NativeSigner {
    const signer = new NativeSigner(this.#key, provider, this.#options)
    signer.#nonces = this.#nonces
    return signer
  }

  override async call(tx: TransactionRequest): Promise<string> {
    return super.call(await withContractAddress(tx, this.provider))
  }

  override async estimateGas(tx: TransactionRequest): Promise<bigint> {
    return super.estimateGas(await withContractAddress(tx, this.provider))
  }

  /** What a transaction costs if it is sent now, and who pays. Amounts in the unit of the provider's address. */
  async feeQuote(tx: TransactionRequest): Promise<FeeQuote> {
    const { data, to, value } = await withContractAddress(tx, this.provider)
    return readQuote(requestOf(this.provider), {
      from: this.address as `0x${string}`,
      to: to ? ((await resolveAddress(to, this)) as `0x${string}`) : undefined,
      data: (data ?? undefined) as `0x${string}` | undefined,
      value: BigInt(value ?? 0),
    })
  }

  /** The natively signed bytes. The gateway builds the transaction; it is checked here before it is signed. */
  async signTransaction(tx: TransactionRequest): Promise<string> {
    return (await this.#sign(tx)).raw
  }

  async #sign(tx: TransactionRequest) {
    const { from, to, ...rest } = await this.populateTransaction(
      await withContractAddress(tx, this.provider),
    )
    const wanted = {
      from: (from ?? this.address) as `0x${string}`,
      ...(to && { to: to as `0x${string}` }),
      ...(rest.data && { data: rest.data as `0x${string}` }),
      value: BigInt(rest.value ?? 0),
      gas: BigInt(rest.gasLimit ?? 0),
      gasPrice: BigInt(rest.gasPrice ?? rest.maxFeePerGas ?? 0),
    }
    const { now, reference } = this.#options
    const request = requestOf(this.provider)
    const build = () =>
      buildNative(request, wanted, {
        decimals: this.#options.decimals ?? 6,
        now,
        reference: reference && requestOf(reference),
      })
    const { from: sender } = wanted
    const { expiration, id, native } =
      tx.nonce == null
        ? await build()
        : await this.#nonces.keep(
            request,
            { ...intentOf(wanted), from: sender, nonce: tx.nonce },
            build,
          )
    const signed = signTransaction({ raw_data_hex: native }, this.#key)
    return {
      expiration,
      fields: { ...rest, ...wanted },
      id,
      raw: `0x${encodeTransaction(signed)}`,
      signed,
    }
  }

  override async sendTransaction(tx: TransactionRequest): Promise<TransactionResponse> {
    const provider = rpcOf(this.provider)
    const { fields, raw, signed, ...transaction } = await this.#sign(tx)
    const { id } = transaction
    const send = () =>
      provider.send('eth_sendRawTransaction', [raw]).then(
        (): Attempt => ({ accepted: true }),
        (error: unknown): Attempt => (isRefusal(error) ? { refused: error } : { unknown: error }),
      )
    try {
      await sendUntilKnown(transaction, send, this.#options.sleep)
    } catch (error) {
      if (isRefusal(error)) await this.#nonces.free(id)
      throw error
    }
    // The transaction is accepted: nothing below may reject.
    const response =
      (await provider.getTransaction(id).catch(() => null)) ??
      new TransactionResponse(
        {
          blockHash: null,
          blockNumber: null,
          index: 0,
          accessList: null,
          authorizationList: null,
          chainId: BigInt(fields.chainId ?? 0),
          data: fields.data ?? '0x',
          from: fields.from,
          gasLimit: fields.gas,
          gasPrice: fields.gasPrice,
          hash: id,
          maxFeePerGas: null,
          maxPriorityFeePerGas: null,
          nonce: fields.nonce ?? 0,
          signature: signatureOf(signed.signature.at(-1) ?? ''),
          to: fields.to ?? null,
          type: 0,
          value: fields.value,
        },
        provider,
      )
    if (!response.to) {
      const actual = contractAddress(id, response.from as `0x${string}`)
      const key = keyOf(BigInt(fields.chainId ?? 0), getCreateAddress(response))
      created.set(key, [...(created.get(key) ?? []), { address: getAddress(actual), provider }])
    }
    return response
  }

  signMessage(message: string | Uint8Array): Promise<string> {
    return this.#wallet.signMessage(message)
  }

  signTypedData(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    value: Record<string, unknown>,
  ): Promise<string> {
    return this.#wallet.signTypedData(domain, types, value)
  }
}

export declare namespace NativeSigner {
  type Options = {
    /** 6 (amounts in sun), or 18 with a provider of the `/wei` address of a gateway. @default 6 */
    decimals?: 6 | 18
    /**
     * A provider of another gateway or node of the same chain. A transaction is signed only when this provider has its reference block,
     * so that one gateway alone cannot obtain a signature for another chain.
     */
    reference?: Provider | undefined
    /** The time, in milliseconds; for a development chain whose time was moved. @default Date.now */
    now?: () => number
    /** @default a timer */
    sleep?: (milliseconds: number) => Promise<void>
  }
}

/** The same transaction, with a predicted contract address as its target replaced by the true one. */
async function withContractAddress(
  tx: TransactionRequest,
  provider: Provider | null,
): Promise<TransactionRequest> {
  if (!provider || created.size === 0 || !isAddress(tx.to)) return tx
  const { chainId } = await provider.getNetwork()
  const known = created.get(keyOf(chainId, tx.to)) ?? []
  const to = (known.findLast((one) => one.provider === provider) ?? known.at(-1))?.address
  return to ? { ...tx, to } : tx
}

/** Whether the gateway refused a transaction for good. Every other failure leaves open whether it accepted it. */
function isRefusal(error: unknown): boolean {
  const { error: own, info } = (error ?? {}) as {
    error?: { code?: unknown }
    info?: { error?: { code?: unknown } }
  }
  const code = own?.code ?? info?.error?.code
  return typeof code === 'number' && !UNCERTAIN.has(code)
}

/** A signature of the chain, r ‖ s ‖ v in hex, as ethers has it. */
function signatureOf(hex: string): Signature {
  const v = Number.parseInt(hex.slice(128, 130), 16)
  return Signature.from({
    r: `0x${hex.slice(0, 64)}`,
    s: `0x${hex.slice(64, 128)}`,
    v: v < 27 ? v + 27 : v,
  })
}

function requestOf(provider: Provider | null): Request {
  const rpc = rpcOf(provider)
  return (method, params) => rpc.send(method, [...params]) as Promise<unknown>
}

/** Tests for the method, not the class: a program may have another copy of ethers than this package. */
function rpcOf(provider: Provider | null): JsonRpcApiProvider {
  if (provider && 'send' in provider) return provider as JsonRpcApiProvider
  throw new Error(
    'the signer needs a JSON-RPC provider, such as JsonRpcProvider or WebSocketProvider',
  )
}
