import type { Address, Hash, Hex } from 'viem'

import type { Call } from '../chain/call.ts'
import type { Chain } from '../chain/chainTypes.ts'
import { estimateGas } from '../chain/estimate.ts'
import type { Head } from '../chain/headTypes.ts'
import { transactionParties } from '../codec/transaction.ts'
import type { Unit } from '../codec/unit.ts'
import { RpcError } from '../errors.ts'
import { toNativeAddress } from '../lib/address.ts'
import { sleep as realSleep } from '../lib/sleep.ts'
import type { NativeClient } from '../native/client.ts'
import { signTransaction } from '../native/protobuf/signature.ts'
import { encodeTransaction } from '../native/protobuf/transaction.ts'
import type { Transaction } from '../native/types.ts'
import { broadcast, UncertainBroadcastError } from './broadcast.ts'
import {
  createContracts,
  createdContract,
  PredictedAddressError,
  type PredictedAddresses,
} from './contracts.ts'
import {
  type EthereumTransaction,
  looksLikeEthereum,
  readEthereumTransaction,
} from './ethereumTransaction.ts'
import { createFees } from './fees.ts'
import type { ManagedKeys } from './keys.ts'
import { toNativeTransaction } from './nativeTransaction.ts'
import { confirmMined, createOutcomes } from './outcomes.ts'
import { readNativeTransaction } from './readNative.ts'
import { NotManagedError, nonceError } from './refusals.ts'
import type { FeeKind, FilledTransaction } from './rpcFilled.ts'
import type { CreatedContract, SentStore, SentTransaction } from './sentStore.ts'
import { signedBy } from './signatures.ts'

/** A transaction that a client asks a managed account to send; what is absent is filled in. Amounts in sun. */
export type SendRequest = {
  from: Address
  to?: Address | undefined
  value: bigint
  data: Hex
  gas?: bigint | undefined
  /** The most that one unit of energy may cost: `gasPrice`, or `maxFeePerGas` of an EIP-1559 request. */
  gasPrice?: bigint | undefined
  /** Which of the two the client gave; absent when it gave none. */
  feeKind?: FeeKind | undefined
  nonce?: number | undefined
}

/** What methods need to send, sign and count transactions. */
export type Sending = {
  readonly accounts: readonly Address[]
  readonly keys: ManagedKeys
  /**
   * Sends signed bytes: a native transaction as it is, or an Ethereum one of a managed account, signed anew.
   *
   * @param unit - of the amounts of an Ethereum transaction: the one that the client was shown.
   * @returns the hash under which the sender will ask for it.
   */
  sendRaw(raw: Hex, unit: Unit): Promise<Hash>
  sendManaged(request: SendRequest): Promise<Hash>
  /** The native transaction of a request, signed by a managed account and not sent. Its nonce is checked and not taken. */
  sign(request: SendRequest): Promise<Signed>
  /** Fills in what a sender left out, as `eth_fillTransaction` does. */
  fill(request: SendRequest): Promise<FilledTransaction>
  /** The next nonce of an account, after the mined transactions that went through here, or after the pending ones too. */
  count(account: Address, at: 'mined' | 'pending'): Promise<number>
  /** What was sent under a native id or an Ethereum hash. */
  find(hash: Hash): Promise<SentTransaction | undefined>
  /** The contract behind an address that an Ethereum library predicted for it; any other address is itself. */
  contractAt(address: Address): Address
  /** Data or a topic without predicted addresses. @throws PredictedAddressError */
  inData(data: Hex): Hex
  /** Whether predicted addresses in data are replaced, which receipts then tell. */
  readonly rewritesPredicted: boolean
  /** Follows the chain: what was sent gets mined or expires. */
  start(): void
  stop(): Promise<void>
}

export type Signed = {
  id: Hash
  hex: string
  transaction: Transaction
  /** Contracts whose predicted addresses were replaced in the data. */
  replaced?: readonly CreatedContract[]
}

/**
 * How long a nonce that comes too early waits for the next one before it: senders race each other. Milliseconds without
 * any progress.
 */
const NONCE_PATIENCE = 4_000
const NONCE_POLL = 50

/** What the node's own builders allow a transaction to live, counted from the head's time. */
const LIFETIME = 60_000

/** Signed bytes (as hex) above this length are not kept while their transaction is pending: more than the node takes. */
const KEEP_HEX = 1_048_576

export function createSending({
  chain,
  feeKind = 'eip1559',
  head,
  keys,
  native,
  now = Date.now,
  onError = () => {},
  onReplaced = () => {},
  onSent = () => {},
  sleep = realSleep,
  predictedAddresses = 'refuse',
  store,
}: createSending.Options): Sending {
  const fees = createFees({ chain, native, now })
  const contracts = createContracts(store, predictedAddresses)
  const outcomes = createOutcomes({ contracts, head, native, onError, store })
  let lastTimestamp = 0

  async function fill(request: SendRequest): Promise<FilledTransaction> {
    const { from, to, value } = request
    const { data } = contracts.inData(request.data)
    const call = { data, from, value, ...(to && { to }) }
    const kind = request.feeKind ?? feeKind
    const [gas, gasPrice, nonce] = await Promise.all([
      request.gas ?? estimate(call),
      request.gasPrice ?? suggestedPrice(kind),
      request.nonce ?? count(from, 'pending'),
    ])
    return { ...call, feeKind: kind, gas, gasPrice, nonce }
  }

  const estimate = (call: Call) =>
    estimateGas(call, { native, signal: NEVER, source: { at: 'latest' } })

  /** As Geth fills it in: a maximum leaves room for a higher base fee, a gas price does not. */
  async function suggestedPrice(kind: FeeKind): Promise<bigint> {
    const price = await chain.energyPrice()
    return kind === 'eip1559' ? price * 2n : price
  }

  /** The unsigned transaction that a request means on this chain. */
  async function prepare(request: SendRequest): Promise<Transaction & { raw_data_hex: string }> {
    const { data, from, value } = request
    const to = request.to && contracts.resolve(request.to)
    const info = to && (await native.wallet.getContractInfo({ value: toNativeAddress(to) }))
    const hasCode = Boolean(info?.runtimecode)
    const expiration = chain.latest().timestamp + LIFETIME
    let feeLimit = 0n
    if (!to || hasCode) {
      const gas = request.gas ?? (await estimate({ data, from, value, ...(to && { to }) }))
      feeLimit = await fees.limit({ expiration, gas, gasPrice: request.gasPrice })
    }
    // Two identical requests are two transactions, so no two may carry the same time.
    lastTimestamp = Math.max(now(), lastTimestamp + 1)
    const anchor = {
      block: chain.solid(),
      expiration,
      timestamp: lastTimestamp,
    }
    return toNativeTransaction({ data, feeLimit, from, value, ...(to && { to }) }, anchor, hasCode)
  }

  async function sign(request: SendRequest): Promise<Signed> {
    const key = keys.keyOf(request.from)
    if (!key)
      throw new RpcError(-32000, `unknown account: no key of ${request.from} is managed here`)
    const { data, replaced } = contracts.inData(request.data)
    const transaction = signTransaction(await prepare({ ...request, data }), key)
    return {
      id: `0x${transaction.txID}`,
      hex: encodeTransaction(transaction),
      transaction,
      ...(replaced.length > 0 && { replaced }),
    }
  }

  /** Takes a place in the store for a transaction of a managed account, waiting for the nonces before it. */
  async function reserve(request: SendRequest, alias?: Hash): Promise<Signed | undefined> {
    const { from, nonce } = request
    let deadline = performance.now() + NONCE_PATIENCE
    let next = -1
    let signed = await sign(request)
    for (;;) {
      const reservation = await store.reserve({
        ...sentOf(signed, from),
        ...(alias && { alias }),
        ...(nonce !== undefined && { nonce }),
      })
      if (reservation.outcome === 'reserved') {
        await remember(signed, from, reservation.nonce)
        if (signed.replaced) onReplaced(signed.id, signed.replaced)
        return signed
      }
      if (reservation.outcome === 'known') {
        // This Ethereum transaction was sent before, as another native transaction.
        if (alias && reservation.id !== signed.id) return undefined
        // Another request made the very same bytes in the same millisecond: sign again, later.
        await sleep(1)
        signed = await sign(request)
      } else {
        if (reservation.next > next) deadline = performance.now() + NONCE_PATIENCE
        next = reservation.next
        if (reservation.outcome !== 'high' || performance.now() > deadline)
          throw nonceError(reservation, nonce)
        await sleep(NONCE_POLL)
      }
    }
  }

  /** Keeps where a creation will put its contract: libraries ask for the address that they predict. */
  async function remember({ id, transaction }: Signed, from: Address, nonce: number) {
    if (transaction.raw_data.contract?.[0]?.type !== 'CreateSmartContract') return
    const contract = createdContract(id, from, nonce)
    contracts.add(contract)
    await store.addContract(contract)
  }

  async function submit(request: SendRequest, alias?: Hash): Promise<Hash> {
    const signed = await reserve(request, alias)
    if (signed) await deliver(signed)
    return alias ?? (signed as Signed).id
  }

  /** Broadcasts what has its place in the store; a refusal frees the place. */
  async function deliver({ id, hex }: Pick<Signed, 'id' | 'hex'>): Promise<void> {
    try {
      await broadcast({ native, sleep }, { hash: id, hex })
    } catch (error) {
      if (!(error instanceof UncertainBroadcastError)) await store.release(id)
      throw error
    }
    onSent(id)
    head.pollNow()
  }

  /**
   * Tells the node once more of what was recorded before and is still on its way: the process may have ended before the node
   * had it.
   */
  async function deliverAgain({
    expiration,
    hex,
    id,
  }: Pick<SentTransaction, 'expiration' | 'hex' | 'id'>): Promise<void> {
    if (!hex || expiration <= chain.latest().timestamp) return
    if ((await store.pick([id])).length > 0) await broadcast({ native, sleep }, { hash: id, hex })
  }

  async function sendNative(raw: Hex): Promise<Hash> {
    const transaction = readNativeTransaction(raw)
    const [signedFor] = contracts.inData(transactionParties(transaction, undefined).input).replaced
    // What is signed already cannot be changed.
    if (signedFor) throw new PredictedAddressError(signedFor, 'rewrite')
    const hex = raw.slice(2)
    const from = await signedBy(transaction, native)
    const signed: Signed = { id: `0x${transaction.txID}`, hex, transaction }
    const reservation = await store.reserve(sentOf(signed, from))
    if (reservation.outcome === 'reserved') {
      await remember(signed, from, reservation.nonce)
      await deliver(signed)
    } else await deliverAgain({ ...sentOf(signed, from), hex })
    return signed.id
  }

  async function sendEthereum(signed: EthereumTransaction): Promise<Hash> {
    const sent = await store.find(signed.hash)
    if (sent) {
      await deliverAgain(sent)
      return signed.hash
    }
    if (!keys.keyOf(signed.from)) throw new NotManagedError(signed.from)
    return submit(signed, signed.hash)
  }

  async function count(account: Address, at: 'mined' | 'pending'): Promise<number> {
    const from = account.toLowerCase() as Address
    if (at === 'pending') return (await store.counts(from)).next
    // The head may not have told yet of a block whose receipts a client has already read.
    const ids = await store.pending({ from, limit: 100 })
    await Promise.all(ids.map((id) => confirmMined(id, { head, native, store })))
    return (await store.counts(from)).mined
  }

  return {
    accounts: keys.accounts,
    keys,
    async sendRaw(raw, unit) {
      if (!looksLikeEthereum(raw)) return sendNative(raw)
      return sendEthereum(await readEthereumTransaction(raw, chain.id, unit))
    },
    sendManaged: (request) => submit(request),
    async sign(request) {
      const { from, nonce } = request
      const next = await count(from, 'pending')
      if (nonce !== undefined && nonce < next) throw nonceError({ outcome: 'low', next }, nonce)
      return sign(request)
    },
    fill,
    count,
    find: (hash) => store.find(hash),
    contractAt: (address) => contracts.resolve(address),
    inData: (data) => contracts.inData(data).data,
    rewritesPredicted: predictedAddresses === 'rewrite',
    start: () => outcomes.start(),
    stop: () => outcomes.stop(),
  }
}

export declare namespace createSending {
  type Options = {
    /** The full view. */
    chain: Pick<Chain, 'energyPrice' | 'energyPriceCertainTo' | 'id' | 'latest' | 'solid'>
    /** How a transaction is filled in whose sender said nothing about fees. @default 'eip1559' */
    feeKind?: FeeKind
    head: Pick<Head, 'latest' | 'onUpdate' | 'pollNow'>
    keys: ManagedKeys
    native: NativeClient
    /** @default Date.now */
    now?: () => number
    /** Told of work in the background that failed; the next block tries again. */
    onError?: (error: unknown) => void
    /** Told of a transaction in whose data predicted addresses were replaced. */
    onReplaced?: (id: Hash, replaced: readonly CreatedContract[]) => void
    /** @default 'refuse' */
    predictedAddresses?: PredictedAddresses
    /** Told of every transaction that the node has accepted: its native id. */
    onSent?: (hash: Hash) => void
    /** @default a timer */
    sleep?: (milliseconds: number) => Promise<void>
    store: SentStore
  }
}

function sentOf({ id, hex, replaced, transaction }: Signed, from: Address) {
  const expiration = transaction.raw_data.expiration ?? 0
  return {
    id,
    from,
    expiration,
    ...(hex.length <= KEEP_HEX && { hex }),
    ...(replaced && { replaced: [...replaced] }),
  }
}

const NEVER = new AbortController().signal
