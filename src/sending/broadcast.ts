import type { Hash } from 'viem'

import { INSUFFICIENT_FUNDS } from '../chain/state/vmError.ts'
import { LimitExceededError, RpcError, UpstreamError } from '../lib/errors.ts'
import { sleep as realSleep } from '../lib/sleep.ts'
import type { StopSignal } from '../lib/stopSignal.ts'
import type { NativeClient } from '../native/client.ts'
import { decodeMessage, isHidden } from '../native/errors.ts'
import { shownText } from '../native/shownText.ts'
import type { BroadcastResult } from '../native/wire/accountTypes.ts'
import { LACKS_FUNDS } from './refusals.ts'

/** Pauses in milliseconds before each lookup of a transaction whose broadcast had no answer. */
const LOOK_UP_AFTER = [0, 300, 1_000]

/**
 * Sends signed bytes to the node. Returns when the node has accepted them, now or before.
 *
 * @param hex - the serialised signed transaction.
 * @throws RpcError with a message that Ethereum libraries recognise; LimitExceededError when a retry may succeed;
 * UncertainBroadcastError when the node did not answer and does not have the transaction.
 */
export async function broadcast(
  { native, signal, sleep = realSleep }: broadcast.Dependencies,
  { hash, hex }: { hash: Hash; hex: string },
): Promise<void> {
  const result = await native.wallet
    .broadcastHex({ transaction: hex }, { signal })
    .catch(async (error) => {
      if (!(error instanceof UpstreamError)) throw error
      for (const pause of LOOK_UP_AFTER) {
        await sleep(pause)
        if (await isKnown(native, hash)) return undefined
      }
      throw new UncertainBroadcastError(hash, { cause: error })
    })
  if (!result || result.result === true || result.code === 'DUP_TRANSACTION_ERROR') return
  // A node can reject a transaction that is in a block for another reason than as a duplicate. Of several nodes one may
  // have it and another reject it.
  if (await isKnown(native, hash)) return
  throw refusal(result)
}

export declare namespace broadcast {
  type Dependencies = {
    native: NativeClient
    /** Identifies the call of the broadcast; it must never be aborted. */
    signal?: StopSignal
    sleep?: (milliseconds: number) => Promise<void>
  }
}

/** Whether the node has a transaction, in a block or pending. False if the node does not answer. */
async function isKnown(native: NativeClient, hash: Hash): Promise<boolean> {
  const found = await native.wallet
    .getTransactionById({ value: hash.slice(2) })
    .catch(() => undefined)
  return found !== undefined
}

const NO_REASON = 'the node gives no reason that may be shown'

/** The code and the text with which a node refused a transaction, without words that may be keys or names of hosts. */
function shownRefusal({ code: given = 'OTHER_ERROR', message = '' }: BroadcastResult) {
  const reason = decodeMessage(message)
  const text = shownText(isHidden(reason) ? '' : reason, NO_REASON)
  return { code: shownText(given, 'OTHER_ERROR'), text }
}

/** The words of a node that refused a transaction. */
export function refusalWords(result: BroadcastResult): string {
  const { code, text } = shownRefusal(result)
  return `${code}: ${text}`
}

/** The error for a rejected broadcast, with the message that Ethereum libraries recognise. */
function refusal(result: BroadcastResult): RpcError {
  const { code, text } = shownRefusal(result)
  switch (code) {
    case 'SIGERROR':
      return new RpcError(-32000, `invalid sender: ${text}`)
    case 'CONTRACT_VALIDATE_ERROR':
    case 'CONTRACT_EXE_ERROR':
      return new RpcError(-32000, LACKS_FUNDS.test(text) ? `${INSUFFICIENT_FUNDS}: ${text}` : text)
    case 'BANDWITH_ERROR':
      return new RpcError(-32000, `${INSUFFICIENT_FUNDS}: ${text}`)
    case 'TAPOS_ERROR':
      return new RpcError(
        -32000,
        `transaction expired: unknown reference block, build it again: ${text}`,
      )
    case 'TRANSACTION_EXPIRATION_ERROR':
      return new RpcError(
        -32000,
        `transaction expired: build it again and send it before it expires: ${text}`,
      )
    case 'TOO_BIG_TRANSACTION_ERROR':
      return new RpcError(-32000, `oversized data: ${text}`)
    case 'SERVER_BUSY':
    case 'NO_CONNECTION':
    case 'NOT_ENOUGH_EFFECTIVE_CONNECTION':
    case 'BLOCK_UNSOLIDIFIED':
      return new LimitExceededError(
        `the node is busy, send the same bytes again in a few seconds: ${text}`,
        {
          data: { code, retryAfter: 3 },
        },
      )
    default:
      return new RpcError(-32000, `the node rejected the transaction: ${text}`, { data: { code } })
  }
}

/** `-32603`: it is unknown whether the network received the transaction. Sending the same bytes again is safe. */
export class UncertainBroadcastError extends UpstreamError {
  override name = 'UncertainBroadcastError'

  constructor(hash: Hash, options: { cause?: unknown }) {
    super(
      `the upstream node did not confirm transaction ${hash}: look it up before sending anything else`,
      options,
    )
  }
}
