import { UpstreamError } from '../../errors.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import type { NativeReply } from '../transport.ts'
import type { Member, MemberCall } from './member.ts'

/** Operations that hand a signed transaction to the network. */
export const BROADCASTS = new Set(['broadcasthex', 'broadcasttransaction'])

/** Refusals that depend on nothing but the bytes: another node says the same. */
const FINAL = new Set(['SIGERROR', 'TOO_BIG_TRANSACTION_ERROR'])

/**
 * Hands the same bytes to one node after the other until one has them. A node that has them already counts as well: an
 * earlier one may have passed them on although its answer was lost.
 *
 * @param next - the next node to ask; undefined when there is none.
 * @returns the first reply that accepts; else the first that refuses.
 * @throws the fault of the last node when none answered.
 */
export async function broadcastInTurn(
  call: MemberCall,
  { next, patience, signal }: broadcastInTurn.Options,
): Promise<NativeReply> {
  const tried: Member[] = []
  let refusal: NativeReply | undefined
  let fault: Error = new UpstreamError('no upstream node is available to broadcast the transaction')
  for (let member = next(tried); member; member = next(tried)) {
    tried.push(member)
    signal?.throwIfAborted()
    try {
      const judgement = await member.ask(call, patience, signal)
      if (judgement.kind === 'answer' || judgement.kind === 'unknown') {
        const { code, result } = (judgement.reply.parsed ?? {}) as Partial<Verdict>
        if (result === true || code === 'DUP_TRANSACTION_ERROR') return judgement.reply
        refusal ??= judgement.reply
        if (FINAL.has(code ?? '')) break
      } else fault = judgement.error
    } catch (error) {
      signal?.throwIfAborted()
      fault = error as Error
    }
  }
  if (refusal) return refusal
  throw fault
}

export declare namespace broadcastInTurn {
  type Options = {
    next: (tried: readonly Member[]) => Member | undefined
    /** Milliseconds to wait for a place at a node. */
    patience: number
    signal: StopSignal | undefined
  }
}

type Verdict = { result: boolean; code: string }
