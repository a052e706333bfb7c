import type { Address, Hash, Hex } from 'viem'

import type { Chain } from '../chain/chainTypes.ts'
import type { Head } from '../chain/headTypes.ts'
import { transactionParties } from '../codec/transaction.ts'
import type { Unit } from '../codec/unit.ts'
import { sleep as realSleep } from '../lib/sleep.ts'
import type { NativeClient } from '../native/client.ts'
import { createContracts, PredictedAddressError, type PredictedAddresses } from './contracts.ts'
import {
  type EthereumTransaction,
  looksLikeEthereum,
  readEthereumTransaction,
} from './ethereumTransaction.ts'
import type { ManagedKeys } from './keys.ts'
import { confirmMined, createOutcomes } from './outcomes.ts'
import { readNativeTransaction } from './readNative.ts'
import { NotManagedError, nonceError } from './refusals.ts'
import type { FeeKind, FilledTransaction } from './rpcFilled.ts'
import type { CreatedContract, SentStore, SentTransaction } from './sentStore.ts'
import { signedBy } from './signatures.ts'
import { createSigning, type Signed, type SendRequest } from './signing.ts'
import { createSubmission } from './submission.ts'

/** What methods need to send, sign and count transactions. */
export type Sending = {
  readonly accounts: readonly Address[]
  readonly keys: ManagedKeys
  /**
   * Sends signed bytes: a native transaction as it is, or an Ethereum transaction of a managed account, which the gateway signs again.
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

/** Creates what sends for managed accounts and broadcasts what others signed. */
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
  const contracts = createContracts(store, predictedAddresses)
  const outcomes = createOutcomes({ contracts, head, native, onError, store })
  const signing = createSigning({ chain, contracts, feeKind, keys, native, now })
  const submission = createSubmission({
    chain,
    contracts,
    head,
    native,
    onReplaced,
    onSent,
    sign: (request) => signing.sign(request),
    sleep,
    store,
  })

  async function sendNative(raw: Hex): Promise<Hash> {
    const transaction = readNativeTransaction(raw)
    const [signedFor] = contracts.inData(transactionParties(transaction, undefined).input).replaced
    // What is signed already cannot be changed.
    if (signedFor) throw new PredictedAddressError(signedFor, 'rewrite')
    const signed: Signed = { id: `0x${transaction.txID}`, hex: raw.slice(2), transaction }
    await submission.submitSigned(signed, await signedBy(transaction, native))
    return signed.id
  }

  async function sendEthereum(signed: EthereumTransaction): Promise<Hash> {
    const sent = await store.find(signed.hash)
    if (sent) {
      await submission.broadcastAgain(sent)
      return signed.hash
    }
    if (!keys.keyOf(signed.from)) throw new NotManagedError(signed.from)
    return submission.submit(signed, signed.hash)
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
    sendManaged: (request) => submission.submit(request),
    async sign(request) {
      const { from, nonce } = request
      const next = await count(from, 'pending')
      if (nonce !== undefined && nonce < next) throw nonceError({ outcome: 'low', next }, nonce)
      return signing.sign(request)
    },
    fill: (request) => signing.fill(request, (account) => count(account, 'pending')),
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
    /** Called with a transaction in whose data predicted addresses were replaced. */
    onReplaced?: (id: Hash, replaced: readonly CreatedContract[]) => void
    /** @default 'refuse' */
    predictedAddresses?: PredictedAddresses
    /** Called with the native id of every transaction that the node has accepted. */
    onSent?: (hash: Hash) => void
    /** @default a timer */
    sleep?: (milliseconds: number) => Promise<void>
    store: SentStore
  }
}
