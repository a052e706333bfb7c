import type { Address, Hash } from 'viem'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { Head } from '../chain/head/headTypes.ts'
import { RpcError } from '../lib/errors.ts'
import { sleep as realSleep } from '../lib/sleep.ts'
import { within } from '../lib/within.ts'
import type { NativeClient } from '../native/client.ts'
import { expirationOf } from '../native/protobuf/transaction.ts'
import type { BroadcastResult } from '../native/wire/accountTypes.ts'
import { broadcast, type Delivery, refusalWords, unconfirmedError } from './broadcast.ts'
import type { Contracts } from './contracts.ts'
import { MAX_BYTES } from './readNative.ts'
import { assertSize, nonceError } from './refusals.ts'
import {
  type CreatedContract,
  type NewTransaction,
  type SentStore,
  type SentTransaction,
  toId,
} from './sentStore.ts'
import type { Signed, SendRequest, Signing } from './signing.ts'

/**
 * Milliseconds without progress for which a transaction with a nonce that is too high waits for those before it, because
 * concurrent requests arrive in any order.
 */
const NONCE_TIMEOUT = 4_000
const NONCE_POLL = 50

/**
 * Milliseconds of a request in which the record of a transaction that is signed here must begin, and after which it is answered. Clients
 * give up after 10 s (viem), and some then ask another address, which may pay a second time.
 */
const RECORD_TIMEOUT = 5_000
const ANSWER_TIMEOUT = 9_000

/** Pending transactions of an account among which a signed one is searched. */
const MAX_SIGNED = 1_000

/** Attempts to send a transaction whose record ends, or is recorded by another request, each time between two steps. */
const ATTEMPTS = 10

/** A transaction that is recorded, with its bytes; with the number of its broadcasts if it was sent before. */
type Recorded = NewTransaction & { hex: string; broadcasts?: number }

/** Records transactions and broadcasts them. Each is in the store before it is sent to the node. */
export function createSubmission({
  assertKept = async () => {},
  chain,
  contracts,
  head,
  native,
  onError = () => {},
  onReplaced = () => {},
  onSent = () => {},
  sign,
  sleep = realSleep,
  store,
}: createSubmission.Options) {
  /** Transactions that this process broadcasts now. Requests for the same one wait for the outcome. */
  const delivering = new Map<Hash, Promise<void>>()

  /**
   * Signs and reserves the nonce of a managed account. Undefined when the Ethereum transaction is recorded already.
   *
   * @param since - when the request came, in monotonic milliseconds
   */
  async function reserve(
    request: SendRequest,
    since: number,
    more: { alias?: Hash } | { intent: string } = {},
  ): Promise<Recorded | undefined> {
    const { from, nonce, signal } = request
    let deadline = performance.now() + NONCE_TIMEOUT
    let next = -1
    for (let signed = await sign(request); ;) {
      assertSize(`0x${signed.hex}`, MAX_BYTES)
      const sent = { ...recordOf(signed, from), ...more }
      // Directly before: what another replica has sent may have been lost while this one signed.
      await assertKept(from)
      // A client that has gone, or goes before the answer, does not learn the hash.
      signal?.throwIfAborted()
      if (performance.now() - since > RECORD_TIMEOUT)
        throw new RpcError(-32603, 'the nodes took too long, and nothing was sent: try again later')
      const reservation = await store.reserve({ ...sent, ...(nonce !== undefined && { nonce }) })
      if (reservation.outcome === 'reserved') {
        if (signed.replaced) onReplaced(signed.id, signed.replaced)
        return sent
      }
      if (reservation.outcome === 'known') {
        if ('alias' in more && reservation.id !== signed.id) return undefined
        // Another request produced the same bytes in the same millisecond: sign again with a later timestamp.
        await sleep(1)
        signed = await sign(request)
      } else {
        if (reservation.next > next) deadline = performance.now() + NONCE_TIMEOUT
        next = reservation.next
        if (reservation.outcome !== 'high' || performance.now() > deadline)
          throw nonceError(reservation, nonce)
        await sleep(NONCE_POLL)
      }
    }
  }

  function recordOf({ hex, id, replaced, transaction }: Signed, from: Address) {
    const { raw_data } = transaction
    return {
      id,
      from,
      expiration: expirationOf(raw_data),
      hex,
      after: toId(chain.solid()),
      ...(replaced && { replaced: [...replaced] }),
      ...(raw_data.contract?.[0]?.type === 'CreateSmartContract' && { creates: true as const }),
    }
  }

  /**
   * Broadcasts a recorded transaction. A refusal frees the nonce, unless another broadcast was started, which may have succeeded.
   *
   * @param mustOutlive - whether its record must outlive its server before: the chain itself rejects a second copy of bytes that
   * the sender signed
   * @throws RpcError the refusal; `-32003` when a node may have it
   */
  async function deliver(sent: Recorded, mustOutlive: boolean): Promise<void> {
    const copied = mustOutlive ? store.assertCopied(sent.id) : Promise.resolve()
    const delivery = await copied.then(
      () => broadcast(sent, { native, sleep }),
      (error: Error): Delivery => ({ kind: 'refused', error, isUnstarted: !sent.broadcasts }),
    )
    if (delivery.kind === 'unclear') throw unconfirmedError(sent, delivery)
    if (delivery.kind === 'refused') {
      const { answers = [], error, isUnstarted } = delivery
      const why = {
        state: 'refused' as const,
        nodes: answers.map(({ node }) => node),
        words: answers.map(({ answer }) => refusalWords(answer as BroadcastResult)),
        reason: error.message,
      }
      const { sent: kept } = await store
        .change(sent.id, { event: 'refused', why })
        .catch((cause: unknown) => {
          onError(cause)
          // Whether it was broadcast by another replica too is not known, once a broadcast was started.
          return { sent: isUnstarted ? undefined : { state: 'pending' } }
        })
      if (!kept) throw error
      const words = `${error.message}, and it may have been broadcast before`
      if (kept.state === 'pending') throw unconfirmedError(sent, { cause: error, words })
    }
    onSent(sent.id)
    // Libraries use the predicted address. If this fails, it is recorded when the transaction is mined.
    if (sent.creates) await store.addContract(sent.id).then(contracts.refresh).catch(onError)
    head.pollNow()
  }

  /** Waits for a delivery, which goes on after the time. @param since - when the request came; absent to wait as long as it takes */
  async function answer(
    sent: Pick<SentTransaction, 'alias' | 'expiration' | 'id'>,
    running: Promise<void>,
    since: number | undefined,
  ): Promise<Hash> {
    const left = since === undefined ? undefined : since + ANSWER_TIMEOUT - performance.now()
    await (left === undefined ? running : within(running, left, () => unconfirmedError(sent)))
    return sent.id
  }

  /** One broadcast of a transaction in this process at a time. */
  function begin(sent: Recorded, since: number | undefined): Promise<Hash> {
    const isSignedHere = since !== undefined || sent.alias !== undefined
    const running = deliver(sent, isSignedHere).finally(() => delivering.delete(sent.id))
    delivering.set(sent.id, running)
    return answer(sent, running, since)
  }

  /**
   * Sends a transaction that is recorded. While it is pending, its bytes are broadcast again: the process may have ended before the
   * node received them.
   *
   * @returns its id; undefined when it is not recorded, or not any more. @throws RpcError `-32003`
   */
  async function sendAgain(hash: Hash, since?: number): Promise<Hash | undefined> {
    const known = await store.find(hash)
    if (!known) return undefined
    const { expiration, id, state } = known
    const running = delivering.get(id)
    if (running) return answer(known, running, since)
    if (state !== 'pending' || head.blockWith(id)) return id
    // It is not signed anew until it is certain that no block has it.
    if (expiration <= chain.latest().timestamp) throw unconfirmedError(known, { isExpired: true })
    const { sent } = await store.change(id, { event: 'broadcast' }).catch((cause: unknown) => {
      throw unconfirmedError(known, { cause })
    })
    if (sent?.state !== 'pending' || sent.hex === undefined) return sent?.id
    return begin({ ...sent, hex: sent.hex }, since)
  }

  /** Sends a transaction that is recorded under a hash, or that is recorded now. @returns its id */
  async function send(
    hash: Hash | undefined,
    since: number | undefined,
    record: () => Promise<Recorded | undefined>,
  ): Promise<Hash> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const id = hash && (await sendAgain(hash, since))
      if (id) return id
      const sent = await record()
      const block = sent && head.blockWith(sent.id)
      if (block) await store.change(sent.id, { event: 'seen', block: toId(block) })
      if (sent) return block ? sent.id : begin(sent, since)
    }
    throw new RpcError(
      -32603,
      'the record of the transaction changes all the time, try again later',
    )
  }

  return {
    /** Signs and sends for a managed account. @param alias - the hash of an Ethereum transaction, by which the sender finds it. */
    submit(request: SendRequest, alias?: Hash): Promise<Hash> {
      const since = performance.now()
      return send(alias, since, () => reserve(request, since, alias && { alias }))
    },
    /** Sends a signed native transaction. One that was sent before is only broadcast again, without a look at its owner. */
    submitSigned: (signed: Signed, owner: () => Promise<Address>): Promise<Hash> =>
      send(signed.id, undefined, async () => {
        const sent = recordOf(signed, await owner())
        return (await store.reserve(sent)).outcome === 'reserved' ? sent : undefined
      }),
    /**
     * Signs and records a transaction that its sender broadcasts. Without a nonce it has the one that was signed last and is not sent yet,
     * or the next one. The same request gets the same bytes again.
     *
     * @throws RpcError `-32000 replacement transaction underpriced` when another transaction has the nonce
     */
    async sign(request: SendRequest): Promise<{ hex: string; id: Hash; nonce: number }> {
      const since = performance.now()
      const { from, nonce } = request
      const intent = intentOf(request)
      const { next } = await store.counts(from)
      for (const id of await store.unfinished({ from, limit: MAX_SIGNED })) {
        const held = await store.find(id)
        if (held?.hex === undefined || held.intent === undefined) continue
        if (nonce === undefined ? held.broadcasts > 0 : held.nonce !== nonce) continue
        if (held.intent !== intent) throw nonceError({ outcome: 'taken', next }, held.nonce)
        return { ...held, hex: held.hex }
      }
      const sent = await reserve({ ...request, nonce: nonce ?? next }, since, { intent })
      // `reserve` returns undefined only for an Ethereum transaction that another request has recorded.
      return { ...(sent as Recorded), nonce: nonce ?? next }
    },
    /** Broadcasts a transaction again whose block a reorg removed. */
    resend: (id: Hash) => sendAgain(id),
  }
}

/** Everything that the sender of a transaction chose, as text. */
const intentOf = ({ data, gas, gasPrice, to, value }: SendRequest): string =>
  [to, data, value, gas, gasPrice].join(' ')

export declare namespace createSubmission {
  type Options = {
    /** Called before one of a managed account is recorded. @throws RpcError when its record might not be kept, or was lost */
    assertKept?: (account: Address) => Promise<void>
    chain: Pick<Chain, 'latest' | 'solid'>
    contracts: Pick<Contracts, 'refresh'>
    head: Pick<Head, 'blockWith' | 'pollNow'>
    native: NativeClient
    /** Called when background work failed, such as recording a contract. The next block tries again. */
    onError?: (error: unknown) => void
    /** Called with each transaction in which predicted addresses were replaced. */
    onReplaced?: (id: Hash, replaced: readonly CreatedContract[]) => void
    /** Called with the native id of every transaction that the node has accepted. */
    onSent?: (hash: Hash) => void
    sign: Signing['sign']
    sleep?: (milliseconds: number) => Promise<void>
    store: SentStore
  }
}
