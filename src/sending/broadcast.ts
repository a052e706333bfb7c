import type { Hash } from 'viem'

import { INSUFFICIENT_FUNDS } from '../chain/state/vmError.ts'
import type { Call } from '../lib/call.ts'
import { RpcError } from '../lib/errors.ts'
import { sleep as realSleep } from '../lib/sleep.ts'
import { broadcastVerdict, wasNotSent } from '../native/broadcastVerdict.ts'
import type { NativeClient } from '../native/client.ts'
import { decodeMessage, isBusy, isHidden } from '../native/errors.ts'
import { shownText } from '../native/shownText.ts'
import type { BroadcastResult } from '../native/wire/accountTypes.ts'
import { LACKS_FUNDS } from './refusals.ts'

/** Pauses in milliseconds before each further look at whether a node has the transaction. */
const PAUSES = [300, 1_000]

/**
 * What a broadcast has shown:
 *
 * - `accepted`: a node has the transaction.
 * - `refused`: every asked node refused it because it is wrong itself, or none got it. No node can have it from this broadcast.
 * - `unclear`: a node may have it. `words` are those of the node, if it gave some.
 */
export type Delivery =
  | { kind: 'accepted' }
  | { kind: 'refused'; error: RpcError }
  | { kind: 'unclear'; words?: string; cause?: unknown }

/**
 * Sends signed bytes to the node. A node that is busy gets them again. When the answer is unclear, the transaction is looked up: it
 * counts as accepted when a node shows it, and a node that does not show it proves nothing.
 *
 * @param hex - the serialised signed transaction.
 */
export async function broadcast(
  { call, native, sleep = realSleep }: broadcast.Dependencies,
  { hash, hex }: { hash: Hash; hex: string },
): Promise<Delivery> {
  const attempt = async (): Promise<Delivery & { isBusy?: boolean }> => {
    try {
      const result = await native.wallet.broadcastHex({ transaction: hex }, call)
      const verdict = broadcastVerdict(result)
      if (verdict === 'accepted') return { kind: 'accepted' }
      if (verdict === 'refused') return { kind: 'refused', error: refusal(result) }
      return { kind: 'unclear', words: refusalWords(result), isBusy: BUSY.has(result.code ?? '') }
    } catch (cause) {
      if (cause instanceof RpcError && wasNotSent(cause)) return { kind: 'refused', error: cause }
      return { kind: 'unclear', isBusy: isBusy(cause), cause }
    }
  }
  let last = await attempt()
  if (last.kind === 'accepted') return last
  // A node refuses a transaction that is in a block, perhaps with another reason than that it knows it.
  if (await isKnown(native, hash)) return { kind: 'accepted' }
  if (last.kind === 'refused') return last
  for (const pause of PAUSES) {
    await sleep(pause)
    if (last.isBusy) {
      const next = await attempt()
      // A later refusal does not change that the first node may have it.
      if (next.kind !== 'refused') last = next
      if (last.kind === 'accepted') return last
    }
    if (await isKnown(native, hash)) return { kind: 'accepted' }
  }
  return last
}

export declare namespace broadcast {
  type Dependencies = {
    native: NativeClient
    /** Identifies the call of the broadcast; it must never be aborted. */
    call?: Call
    sleep?: (milliseconds: number) => Promise<void>
  }
}

/** Codes of a node that may accept the same bytes soon. */
const BUSY = new Set([
  'BLOCK_UNSOLIDIFIED',
  'NO_CONNECTION',
  'NOT_ENOUGH_EFFECTIVE_CONNECTION',
  'SERVER_BUSY',
])

/** Whether the node has a transaction, in a block or pending. False if the node does not answer. */
async function isKnown(native: NativeClient, hash: Hash): Promise<boolean> {
  const found = await native.wallet
    .getTransactionById({ value: hash.slice(2) })
    .catch(() => undefined)
  return found !== undefined
}

const NO_REASON = 'the node gives no reason that may be shown'

/** The code and the text of a node that did not accept a transaction, without words that may be keys or names of hosts. */
function shownRefusal({ code: given = 'OTHER_ERROR', message = '' }: BroadcastResult) {
  const reason = decodeMessage(message)
  const text = shownText(isHidden(reason) ? '' : reason, NO_REASON)
  return { code: shownText(given, 'OTHER_ERROR'), text }
}

/** The words of a node that did not accept a transaction. */
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
    default:
      return new RpcError(
        -32000,
        LACKS_FUNDS.test(text) ? `${INSUFFICIENT_FUNDS}: ${text}` : `refused: ${text}`,
      )
  }
}

/**
 * `-32003`: a node may have the transaction, so it may still be mined until it expires. Its record stays, and the same bytes may be
 * sent again at any time. At this code viem's `fallback` and ethers stop, and ask no other address, which could pay a second time.
 */
export class UnconfirmedError extends RpcError {
  override name = 'UnconfirmedError'

  constructor(
    { alias, expiration, id }: { alias?: Hash; expiration: number; id: Hash },
    { cause, isExpired, words }: UnconfirmedError.Reason,
  ) {
    const hash = alias ?? id
    const until = new Date(Math.min(expiration, MAX_DATE)).toISOString()
    const state = isExpired
      ? `expired at ${until}, and it is not final yet that no block has it`
      : `may still be mined until ${until}`
    super(
      -32003,
      `unconfirmed: transaction ${hash} ${state}; ask again with the same bytes or eth_getTransactionReceipt${words ? `. A node says: ${words}` : ''}`,
      { cause, data: { hash, expiration: `0x${Math.floor(expiration / 1000).toString(16)}` } },
    )
  }
}

export declare namespace UnconfirmedError {
  type Reason = {
    cause?: unknown
    /** No block can have it any more that is above the solidified block and not made yet. */
    isExpired?: boolean
    /** The words of a node that did not accept it. */
    words?: string | undefined
  }
}

/** The last time that a date can show, milliseconds. */
const MAX_DATE = 8.64e15
