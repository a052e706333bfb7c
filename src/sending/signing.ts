import type { Address, Hash, Hex } from 'viem'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { Call } from '../chain/state/call.ts'
import { estimateGas } from '../chain/state/estimate.ts'
import { toNativeAddress } from '../lib/address.ts'
import type { Spender } from '../lib/spender.ts'
import type { StopSignal } from '../lib/stopSignal.ts'
import type { NativeClient } from '../native/client.ts'
import { signHash, signTransaction } from '../native/protobuf/signature.ts'
import { encodeTransaction } from '../native/protobuf/transaction.ts'
import type { Transaction } from '../native/wire/types.ts'
import type { Contracts } from './contracts.ts'
import { createFees, pointsOf } from './fees.ts'
import type { ManagedKeys } from './keys.ts'
import { toNativeTransaction } from './nativeTransaction.ts'
import { unknownAccountError } from './refusals.ts'
import type { FeeKind, FilledTransaction } from './rpcFilled.ts'
import type { CreatedContract } from './sentStore.ts'

/** A transaction for a managed account; absent fields are filled in. Amounts are in sun. */
export type SendRequest = {
  from: Address
  to?: Address | undefined
  value: bigint
  data: Hex
  gas?: bigint | undefined
  /** Maximum price of one unit of energy: `gasPrice`, or `maxFeePerGas` of an EIP-1559 request. */
  gasPrice?: bigint | undefined
  /** Which of the two fields the client set; absent when it set none. */
  feeKind?: FeeKind | undefined
  nonce?: number | undefined
  /** Of the Ethereum transaction that is translated: its cost counts once. */
  hash?: Hash
  /** Aborted when nobody waits for the answer any more. */
  signal?: StopSignal | undefined
  /** Who asks for the signature; absent for this process. */
  spender?: Spender | undefined
}

/** A signed native transaction that is not sent yet. */
export type Signed = {
  id: Hash
  hex: string
  transaction: Transaction
  /** Contracts whose predicted addresses were replaced in the data. */
  replaced?: readonly CreatedContract[]
}

/** Fills in and signs transactions of managed accounts. */
export type Signing = ReturnType<typeof createSigning>

/** Milliseconds from the head's time to the expiration of a transaction, as the node's own builders set it. */
export const LIFETIME = 60_000

/** Creates the signing for the managed keys. */
export function createSigning({
  chain,
  contracts,
  feeKind = 'eip1559',
  keys,
  native,
  now = Date.now,
}: createSigning.Options) {
  const fees = createFees({ chain, native, now })
  const quickly = keys.accounts.length > 0 ? quickSignature() : undefined
  let lastTimestamp = 0
  /** The requests whose cost was counted. */
  const counted = new WeakSet<SendRequest>()

  /** Fills in absent fields. @param count - returns the account's next nonce. */
  async function fill(
    request: SendRequest,
    count: (account: Address) => Promise<number>,
  ): Promise<FilledTransaction> {
    const { from, to, value } = request
    const { data } = contracts.inData(request.data)
    const call = { data, from, value, ...(to && { to }) }
    const kind = request.feeKind ?? feeKind
    // As in Geth: `maxFeePerGas` has headroom for a higher base fee, `gasPrice` has none.
    const suggested = async () => (await chain.energyPrice()) * (kind === 'eip1559' ? 2n : 1n)
    const [gas, gasPrice, nonce] = await Promise.all([
      request.gas ?? estimate(call),
      request.gasPrice ?? suggested(),
      request.nonce ?? count(from),
    ])
    return { ...call, feeKind: kind, gas, gasPrice, nonce }
  }

  const estimate = (call: Call) => estimateGas(call, { native, source: { at: 'latest' } })

  /** The unsigned native transaction for a request. */
  async function prepare(request: SendRequest): Promise<Transaction & { raw_data_hex: string }> {
    const { data, from, value } = request
    const to = request.to && contracts.resolve(request.to)
    const call = { data, from, value, ...(to && { to }) }
    const info = to && (await native.wallet.getContractInfo({ value: toNativeAddress(to) }))
    const hasCode = Boolean(info?.runtimecode)
    const expiration = chain.latest().timestamp + LIFETIME
    let feeLimit = 0n
    if (!to || hasCode) {
      const gas = request.gas ?? (await estimate(call))
      feeLimit = await fees.limit({ expiration, gas, gasPrice: request.gasPrice })
    }
    // Two identical requests are two transactions, so they must not have the same timestamp.
    lastTimestamp = Math.max(now(), lastTimestamp + 1)
    const anchor = { block: chain.solid(), expiration, timestamp: lastTimestamp }
    return toNativeTransaction({ ...call, feeLimit }, anchor, hasCode)
  }

  /**
   * Signs the native transaction of a request, after the most that it can cost was counted for the spender.
   *
   * @throws RpcError `-32000` when the account is not managed here or the spender may not use it, or as `Spender.spend`
   */
  async function sign(request: SendRequest): Promise<Signed> {
    const { from, spender, value } = request
    const key = keys.keyOf(from)
    if (!key || spender?.mayUse(from) === false) throw unknownAccountError(from)
    const { data, replaced } = contracts.inData(request.data)
    const unsigned = await prepare({ ...request, data })
    const cost = async () => value + (await fees.most(unsigned.raw_data, pointsOf(unsigned)))
    // A request is signed again when another one has the same bytes.
    if (!counted.has(request)) await spender?.spend(cost, request.hash)
    counted.add(request)
    const transaction = signTransaction(unsigned, key, await quickly)
    return {
      id: `0x${transaction.txID}`,
      hex: encodeTransaction(transaction),
      transaction,
      ...(replaced.length > 0 && { replaced }),
    }
  }

  return { fill, sign }
}

/** The quick signature, where its package is installed. */
const quickSignature = (): Promise<typeof signHash> =>
  import('../native/protobuf/quickSignature.ts').then(
    ({ signQuickly }) => signQuickly,
    () => signHash,
  )

export declare namespace createSigning {
  type Options = {
    chain: Pick<Chain, 'energyPrice' | 'energyPriceCertainTo' | 'latest' | 'solid'>
    contracts: Pick<Contracts, 'inData' | 'resolve'>
    /** The fee fields of a transaction whose sender set none. @default 'eip1559' */
    feeKind?: FeeKind
    keys: Pick<ManagedKeys, 'accounts' | 'keyOf'>
    native: NativeClient
    /** Milliseconds since 1970. @default Date.now */
    now?: () => number
  }
}
