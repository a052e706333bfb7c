import type { Address, Hash } from 'viem'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { Head } from '../chain/head/headTypes.ts'
import { LimitExceededError } from '../lib/errors.ts'
import { createStop } from '../lib/stopSignal.ts'
import type { NativeClient } from '../native/client.ts'
import type { BroadcastResult } from '../native/wire/accountTypes.ts'
import { broadcast, refusalWords, UncertainBroadcastError } from './broadcast.ts'
import type { Contracts } from './contracts.ts'
import { confirmMined } from './outcomes.ts'
import { nonceError } from './refusals.ts'
import type { CreatedContract, SentStore } from './sentStore.ts'
import type { Signed, SendRequest, Signing } from './signing.ts'

/**
 * Milliseconds without progress for which a transaction with a nonce that is too high waits for those before it, because
 * concurrent requests arrive in any order.
 */
const NONCE_TIMEOUT = 4_000
const NONCE_POLL = 50

/** A node that refused a transaction, and its answer. */
export type Refusal = { answer: BroadcastResult; node: string }

/** Longest signed bytes, in hex digits, that are kept while a transaction is pending: more than the node accepts. */
const KEEP_HEX = 1_048_576

/** Records transactions and broadcasts them. Each is in the store before it is sent to the node. */
export function createSubmission({
  assertKept,
  chain,
  contracts,
  head,
  native,
  onError,
  onReplaced,
  onSent,
  refusals,
  sign,
  sleep,
  store,
}: createSubmission.Options) {
  /** Transactions that this process broadcasts for the first time. */
  const delivering = new Map<Hash, Promise<void>>()

  /** Reserves the nonce of a managed account's transaction. Waits for the nonces before it. */
  async function reserve(request: SendRequest, alias?: Hash): Promise<Signed | undefined> {
    const { from, nonce } = request
    let deadline = performance.now() + NONCE_TIMEOUT
    let next = -1
    let signed = await sign(request)
    for (;;) {
      const reservation = await store.reserve({
        ...sentOf(signed, from),
        ...(alias && { alias }),
        ...(nonce !== undefined && { nonce }),
      })
      if (reservation.outcome === 'reserved') {
        if (signed.replaced) onReplaced(signed.id, signed.replaced)
        return signed
      }
      if (reservation.outcome === 'known') {
        // The same Ethereum transaction was sent before, as another native transaction.
        if (alias && reservation.id !== signed.id) return undefined
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

  /**
   * Records the address of the contract that an accepted transaction creates, because libraries use the predicted one. If
   * this fails, it is recorded when the transaction is mined.
   */
  async function recordContract({ id, transaction }: Signed): Promise<void> {
    if (transaction.raw_data.contract?.[0]?.type !== 'CreateSmartContract') return
    try {
      await store.addContract(id)
      await contracts.refresh()
    } catch (error) {
      onError(error)
    }
  }

  /** Signs and sends for a managed account. */
  async function submit(request: SendRequest): Promise<Hash> {
    // Without an Ethereum hash no other request has the same transaction.
    const signed = (await signAndRecord(request)) as Signed
    await deliver(signed)
    return signed.id
  }

  /** Signs and sends an Ethereum transaction. @param alias - its hash, by which the sender finds it. */
  async function submitEthereum(request: SendRequest, alias: Hash): Promise<void> {
    for (;;) {
      const sent = await store.find(alias)
      if (sent) {
        if (await broadcastAgain(sent)) return
        continue
      }
      // Another request may record it meanwhile.
      const signed = await signAndRecord(request, alias)
      if (signed) return deliver(signed)
    }
  }

  /** Undefined when another request has recorded the same Ethereum transaction. */
  async function signAndRecord(request: SendRequest, alias?: Hash): Promise<Signed | undefined> {
    await assertKept()
    const signed = await reserve(request, alias)
    // If this fails, the record stays: another replica may have broadcast it for a client that asked again.
    if (signed) await store.assertCopied(signed.id)
    return signed
  }

  /** Broadcasts a recorded transaction. Requests for the same one wait for the outcome. */
  function deliver(signed: Signed): Promise<void> {
    const { id } = signed
    const delivered = broadcastFirst(signed).finally(() => delivering.delete(id))
    delivering.set(id, delivered)
    return delivered
  }

  /** A rejection frees its nonce. */
  async function broadcastFirst(signed: Signed): Promise<void> {
    const { id, hex } = signed
    // Nothing aborts a broadcast. The signal only identifies its calls.
    const signal = createStop()
    try {
      await broadcast({ native, signal, sleep }, { hash: id, hex })
    } catch (error) {
      if (!(error instanceof UncertainBroadcastError)) {
        const { message } = error as Error
        const refused = refusals(signal)
        const released = store.release(id, {
          state: 'refused',
          nodes: refused.map(({ node }) => node),
          words: refused.map(({ answer }) => refusalWords(answer)),
          reason: message,
        })
        // The client gets the refusal also when it cannot be recorded.
        await released.catch(onError)
      }
      throw error
    }
    onSent(id)
    await recordContract(signed)
    head.pollNow()
  }

  /**
   * Broadcasts a recorded transaction again, because the process may have ended before the node received it, or the node has not
   * confirmed it. A first broadcast in this process is waited for.
   *
   * @returns false when it was refused meanwhile, so that it is not recorded any more. @throws as `broadcast`
   */
  async function broadcastAgain(sent: Recorded): Promise<boolean> {
    const { alias, expiration, hex, id } = sent
    const first = delivering.get(id)
    if (first) return first.then(() => true)
    const isPending = (await store.pick([id])).length > 0
    if (!hex || !isPending) return isPending || (await store.find(id)) !== undefined
    if (expiration <= chain.latest().timestamp) {
      if ((await confirmMined(id, { head, native, store })) !== 'absent') return true
      // Until it is certain that no block has it, the same transaction is not signed again.
      if (alias) throw new ExpiredError(alias)
    }
    // The chain itself rejects a second copy of bytes that the sender signed.
    if (alias) await store.assertCopied(id)
    await broadcast({ native, sleep }, { hash: id, hex })
    await recordAgain(sent)
    return true
  }

  /** Records a transaction that the node has accepted, if another replica has removed it because the node refused it before. */
  async function recordAgain(sent: Recorded): Promise<void> {
    if ((await store.find(sent.id)) !== undefined) return
    const { outcome } = await store.reserve(sent)
    if (outcome !== 'reserved' && outcome !== 'known')
      throw new UncertainBroadcastError(sent.id, {})
  }

  /** Sends a signed native transaction. A transaction that was sent before is only broadcast again. */
  async function submitSigned(signed: Signed, from: Address): Promise<void> {
    const sent = sentOf(signed, from)
    for (;;) {
      const reservation = await store.reserve(sent)
      if (reservation.outcome === 'reserved') return deliver(signed)
      if (await broadcastAgain({ ...sent, hex: signed.hex })) return
    }
  }

  return { submit, submitEthereum, submitSigned }
}

export declare namespace createSubmission {
  type Options = {
    /** @throws RpcError when the record of a transaction of a managed account might not be kept. */
    assertKept: () => Promise<void>
    chain: Pick<Chain, 'latest'>
    contracts: Pick<Contracts, 'refresh'>
    head: Pick<Head, 'latest' | 'pollNow'>
    native: NativeClient
    /** Called when background work failed, such as recording a contract. The next block tries again. */
    onError: (error: unknown) => void
    /** Called with each transaction in which predicted addresses were replaced. */
    onReplaced: (id: Hash, replaced: readonly CreatedContract[]) => void
    /** Called with the native id of every transaction that the node has accepted. */
    onSent: (hash: Hash) => void
    /** The nodes that refused the transaction of a signal; empty where there is only one. */
    refusals: (signal: object) => Refusal[]
    sign: Signing['sign']
    sleep: (milliseconds: number) => Promise<void>
    store: SentStore
  }
}

/** A transaction of the record. */
type Recorded = Parameters<SentStore['reserve']>[0]

/** `-32005`: the transaction was broadcast before and has expired. */
class ExpiredError extends LimitExceededError {
  override name = 'ExpiredError'

  constructor(hash: Hash) {
    super(
      `transaction ${hash} was sent before and expired, and no block has it: send it again in a minute`,
      { data: { retryAfter: 60 } },
    )
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
