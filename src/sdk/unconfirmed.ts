import { sleep as realSleep } from '../lib/sleep.ts'

/** Milliseconds before the same bytes are sent again after an answer that says nothing. */
const PAUSES = [500, 1_500, 4_000]

/** Codes of errors of the gateway after which a transaction may still be mined. */
export const UNCERTAIN: ReadonlySet<number> = new Set([-32603, -32005, -32003])

/** What one attempt to send bytes told: the transaction was accepted or refused, or it is not known. */
export type Attempt = { accepted: true } | { refused: unknown } | { unknown: unknown }

/**
 * Sends bytes until they are accepted. The same bytes are one transaction, so to send them again is always safe. A refusal is believed
 * only when no attempt before it may have reached the chain.
 *
 * @throws the refusal; UnconfirmedError when it is not known whether the chain has the transaction
 */
export async function sendUntilKnown(
  transaction: { id: string; expiration: number },
  send: () => Promise<Attempt>,
  sleep: (milliseconds: number) => Promise<void> = realSleep,
): Promise<void> {
  for (let lost = 0; ; lost++) {
    const attempt = await send()
    if ('accepted' in attempt) return
    if ('refused' in attempt && lost === 0) throw attempt.refused
    const pause = PAUSES[lost]
    const cause = 'refused' in attempt ? attempt.refused : attempt.unknown
    if (pause === undefined) throw new UnconfirmedError(transaction, cause)
    await sleep(pause)
  }
}

/** It is not known whether the chain has a transaction. Look it up by `transactionHash`; until `expiration` it may still be mined. */
export class UnconfirmedError extends Error {
  override name = 'UnconfirmedError'
  readonly transactionHash: string
  /** Milliseconds. */
  readonly expiration: number

  constructor({ expiration, id }: { id: string; expiration: number }, cause: unknown) {
    const until = new Date(expiration).toISOString()
    super(
      `unconfirmed: transaction ${id} may still be mined until ${until}; look it up, or send the same bytes again`,
      { cause },
    )
    this.transactionHash = id
    this.expiration = expiration
  }
}
