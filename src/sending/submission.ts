import type { Address, Hash } from 'viem'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { Head } from '../chain/head/headTypes.ts'
import { createStop } from '../lib/stopSignal.ts'
import type { NativeClient } from '../native/client.ts'
import type { BroadcastResult } from '../native/wire/accountTypes.ts'
import { broadcast, refusalWords, UncertainBroadcastError } from './broadcast.ts'
import type { Contracts } from './contracts.ts'
import { nonceError } from './refusals.ts'
import type { CreatedContract, SentStore, SentTransaction } from './sentStore.ts'
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

  /** Signs and sends for a managed account. @param alias - the Ethereum hash by which the sender finds the transaction. */
  async function submit(request: SendRequest, alias?: Hash): Promise<Hash> {
    await assertKept()
    const signed = await reserve(request, alias)
    if (signed) {
      // If this fails, the record stays: another replica may have broadcast it for a client that asked again.
      await store.assertCopied(signed.id)
      await deliver(signed)
    }
    return alias ?? (signed as Signed).id
  }

  /** Broadcasts a recorded transaction. A rejection frees its nonce. */
  async function deliver(signed: Signed): Promise<void> {
    const { id, hex } = signed
    // Nothing aborts a broadcast. The signal only identifies its calls.
    const signal = createStop()
    try {
      await broadcast({ native, signal, sleep }, { hash: id, hex })
    } catch (error) {
      if (!(error instanceof UncertainBroadcastError)) {
        const { message } = error as Error
        const refused = refusals(signal)
        await store.release(id, {
          state: 'refused',
          nodes: refused.map(({ node }) => node),
          words: refused.map(({ answer }) => refusalWords(answer)),
          reason: message,
        })
      }
      throw error
    }
    onSent(id)
    await recordContract(signed)
    head.pollNow()
  }

  /** Broadcasts a recorded pending transaction again, because the process may have ended before the node received it. */
  async function broadcastAgain({
    alias,
    expiration,
    hex,
    id,
  }: Pick<SentTransaction, 'alias' | 'expiration' | 'hex' | 'id'>): Promise<void> {
    if (!hex || expiration <= chain.latest().timestamp) return
    if ((await store.pick([id])).length === 0) return
    // The chain itself rejects a second copy of bytes that the sender signed.
    if (alias) await store.assertCopied(id)
    await broadcast({ native, sleep }, { hash: id, hex })
  }

  /** Sends a signed native transaction. A transaction that was sent before is only broadcast again. */
  async function submitSigned(signed: Signed, from: Address): Promise<void> {
    const sent = sentOf(signed, from)
    const reservation = await store.reserve(sent)
    if (reservation.outcome !== 'reserved') return broadcastAgain({ ...sent, hex: signed.hex })
    await deliver(signed)
  }

  return { broadcastAgain, submit, submitSigned }
}

export declare namespace createSubmission {
  type Options = {
    /** @throws RpcError when the record of a transaction of a managed account might not be kept. */
    assertKept: () => Promise<void>
    chain: Pick<Chain, 'latest'>
    contracts: Pick<Contracts, 'refresh'>
    head: Pick<Head, 'pollNow'>
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
