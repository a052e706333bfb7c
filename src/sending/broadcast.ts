import type { Hash } from 'viem'

import { INSUFFICIENT_FUNDS } from '../chain/state/vmError.ts'
import { type AskedNodes, createAskedNodes } from '../lib/call.ts'
import { RpcError } from '../lib/errors.ts'
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
 *   `isUnstarted`: nor from another one that this process knows of.
 * - `unclear`: a node may have it. `words` are those of the node, if it gave some.
 */
export type Delivery =
  | { kind: 'accepted' }
  | { kind: 'refused'; error: Error; answers?: AskedNodes['refusals']; isUnstarted?: boolean }
  | { kind: 'unclear'; words?: string; cause?: unknown; isBusy: boolean }

/**
 * Sends signed bytes to the node. A node that is busy gets them again. When the answer is unclear, the transaction is looked up: it
 * counts as accepted when a node shows it, and a node that does not show it proves nothing.
 *
 * @param sent.hex - the serialised signed transaction.
 */
export async function broadcast(
  { id, hex }: { id: Hash; hex: string },
  { native, sleep }: { native: NativeClient; sleep: (milliseconds: number) => Promise<void> },
): Promise<Delivery> {
  // Nothing aborts a broadcast.
  const asked = createAskedNodes()
  const attempt = async (): Promise<Delivery> => {
    try {
      const result = await native.wallet.broadcastHex({ transaction: hex }, { asked })
      const verdict = broadcastVerdict(result)
      if (verdict === 'accepted') return { kind: 'accepted' }
      if (verdict === 'refused')
        return { kind: 'refused', error: refusal(result), answers: asked.refusals }
      return { kind: 'unclear', words: refusalWords(result), isBusy: BUSY.has(result.code ?? '') }
    } catch (cause) {
      if (cause instanceof RpcError && wasNotSent(cause)) return { kind: 'refused', error: cause }
      return { kind: 'unclear', isBusy: isBusy(cause), cause }
    }
  }
  let last = await attempt()
  for (let looks = 0; ; looks++) {
    // A node refuses a transaction that is in a block, perhaps with another reason than that it knows it.
    if (last.kind === 'accepted' || (await isKnown(native, id))) return { kind: 'accepted' }
    const pause = PAUSES[looks]
    if (last.kind === 'refused' || pause === undefined) return last
    await sleep(pause)
    const next = last.isBusy ? await attempt() : last
    // A later refusal does not change that the first node may have it.
    if (next.kind !== 'refused') last = next
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
const isKnown = (native: NativeClient, id: Hash): Promise<boolean> =>
  native.wallet.getTransactionById({ value: id.slice(2) }).then(Boolean, () => false)

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

/** What Ethereum libraries recognise, by the code of the node. */
const RECOGNISED: Partial<Record<string, string>> = {
  SIGERROR: 'invalid sender',
  BANDWITH_ERROR: INSUFFICIENT_FUNDS,
  TAPOS_ERROR: 'transaction expired: unknown reference block, build it again',
  TRANSACTION_EXPIRATION_ERROR: 'transaction expired: build it again and send it before it expires',
  TOO_BIG_TRANSACTION_ERROR: 'oversized data',
}

/** The error for a rejected broadcast. */
function refusal(result: BroadcastResult): RpcError {
  const { code, text } = shownRefusal(result)
  const other = LACKS_FUNDS.test(text) ? INSUFFICIENT_FUNDS : 'refused'
  return new RpcError(-32000, `${RECOGNISED[code] ?? other}: ${text}`)
}

/**
 * `-32003`: a node may have the transaction, so it may still be mined until it expires. Its record stays, and the same bytes may be
 * sent again at any time. At this code viem's `fallback` and ethers stop, and ask no other address, which could pay a second time.
 *
 * @param why.isExpired - no block can have it any more that is above the solidified block and not made yet
 * @param why.words - those of a node that did not accept it
 */
export function unconfirmedError(
  { alias, expiration, id }: { alias?: Hash; expiration: number; id: Hash },
  { cause, isExpired, words }: { cause?: unknown; isExpired?: boolean; words?: string } = {},
): RpcError {
  const hash = alias ?? id
  const until = new Date(expiration).toISOString()
  const state = isExpired
    ? `expired at ${until}, and it is not final yet that no block has it`
    : `may still be mined until ${until}`
  return new RpcError(
    -32003,
    `unconfirmed: transaction ${hash} ${state}; ask again with the same bytes or eth_getTransactionReceipt${words ? `. A node says: ${words}` : ''}`,
    { cause, data: { hash, expiration: `0x${Math.floor(expiration / 1000).toString(16)}` } },
  )
}
