import {
  AbstractSigner,
  getAddress,
  getCreateAddress,
  isAddress,
  type JsonRpcApiProvider,
  type Provider,
  resolveAddress,
  type TransactionRequest,
  type TransactionResponse,
  type TypedDataDomain,
  type TypedDataField,
  Wallet,
} from 'ethers'

import { contractAddress } from '../lib/address.ts'
import { signTransaction } from '../native/protobuf/signature.ts'
import { encodeTransaction } from '../native/protobuf/transaction.ts'
import { buildNative, type Request } from './build.ts'
import { type FeeQuote, readQuote } from './quote.ts'

export type { FeeQuote } from './quote.ts'

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
  readonly #decimals: 6 | 18
  readonly #key: string
  readonly #wallet: Wallet

  /** @throws TypeError when the key is not a private key. */
  constructor(
    privateKey: string,
    provider: Provider | null = null,
    options: NativeSigner.Options = {},
  ) {
    super(provider)
    this.#decimals = options.decimals ?? 6
    this.#key = privateKey
    this.#wallet = new Wallet(privateKey)
    this.address = this.#wallet.address
  }

  async getAddress(): Promise<string> {
    return this.address
  }

  connect(provider: Provider | null): NativeSigner {
    return new NativeSigner(this.#key, provider, { decimals: this.#decimals })
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
    const {
      chainId: _,
      from,
      to,
      ...rest
    } = await this.populateTransaction(await withContractAddress(tx, this.provider))
    const native = await buildNative(
      requestOf(this.provider),
      {
        from: (from ?? this.address) as `0x${string}`,
        ...(to && { to: to as `0x${string}` }),
        ...(rest.data && { data: rest.data as `0x${string}` }),
        value: BigInt(rest.value ?? 0),
        gas: BigInt(rest.gasLimit ?? 0),
        gasPrice: BigInt(rest.gasPrice ?? rest.maxFeePerGas ?? 0),
      },
      this.#decimals,
    )
    return `0x${encodeTransaction(signTransaction({ raw_data_hex: native }, this.#key))}`
  }

  override async sendTransaction(tx: TransactionRequest): Promise<TransactionResponse> {
    const provider = rpcOf(this.provider)
    const raw = await this.signTransaction(tx)
    const hash = (await provider.send('eth_sendRawTransaction', [raw])) as string
    const response = await provider.getTransaction(hash)
    if (!response)
      throw new Error(`the gateway accepted transaction ${hash} but does not return it`)
    if (!response.to) {
      const actual = contractAddress(hash, response.from as `0x${string}`)
      const { chainId } = await provider.getNetwork()
      const key = keyOf(chainId, getCreateAddress(response))
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
