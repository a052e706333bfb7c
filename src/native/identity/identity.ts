import { sleep } from '../../lib/sleep.ts'
import { createTokenBucket } from '../../lib/tokenBucket.ts'
import { OtherChainError } from '../errors.ts'
import type { NativeReply } from '../transport/transport.ts'
import { chainEvidence, referenceOf } from './chainEvidence.ts'
import type { ServedChain } from './servedChain.ts'

/** Confirms which chain a node serves, with few checks for many answers. */
export type Identity = ReturnType<typeof createIdentity>

/**
 * How many times in a second earlier checks can be made invalid, with a tenth of them in one burst. Only a node that closes each
 * connection after its answer causes more. It is not checked with each answer.
 */
const INVALIDATIONS = 200

/**
 * Checks are shared: while one is in flight, all later answers wait for the next one, which begins when it is over and the
 * last one began at least `spacing` ago.
 */
export function createIdentity({
  expected,
  now = () => performance.now(),
  onOther = () => {},
  read,
  spacing,
  validFor = 0,
}: createIdentity.Options) {
  let rightSince = Number.NEGATIVE_INFINITY
  let invalidSince = Number.NEGATIVE_INFINITY
  let began = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const invalidations = createTokenBucket({ rate: INVALIDATIONS, now })

  const isValid = () => validFor > 0 && now() - rightSince < validFor

  async function check(): Promise<void> {
    began = now()
    const since = began
    const genesis = await read()
    if (genesis !== (expected() ?? genesis)) {
      rightSince = Number.NEGATIVE_INFINITY
      onOther(genesis)
      throw new OtherChainError()
    }
    noteRight(since)
  }

  function noteRight(since: number): void {
    // A check that began before an invalidation may have reached the node from before.
    if (since >= invalidSince) rightSince = Math.max(rightSince, since)
  }

  async function begin(): Promise<void> {
    // Answers of this tick, and answers during a check, share this one.
    await running?.catch(() => {})
    const wait = began + spacing - now()
    if (wait > 0) await sleep(wait)
    next = undefined
    const started = check().finally(() => {
      if (running === started) running = undefined
    })
    running = started
    return started
  }

  function confirm(strict = false): Promise<void> | undefined {
    if (!strict && isValid()) return undefined
    const fresh = () => (next ??= begin())
    // A check in flight began shortly ago. If it finds the right chain, it counts for this answer too.
    if (!strict && validFor > 0 && running && now() - began < validFor)
      return running.then(() => (isValid() ? undefined : fresh()), fresh)
    return fresh()
  }

  return {
    /**
     * Resolves when a check that began after this call, or shortly before it, has found the right chain. Undefined when there is
     * nothing to wait for.
     *
     * @param strict - whether only a check that begins now counts: an answer of the node contradicts the chain.
     * @throws OtherChainError, or the error of the node
     */
    confirm,
    /**
     * Begins a check beside a call, when the last one no longer counts or soon will not: so that the answer does not wait for one.
     */
    refresh() {
      // After a failure only the answer that waits for a check begins one.
      const isRight = validFor > 0 && rightSince > Number.NEGATIVE_INFINITY
      if (isRight && !running && !next && now() - began > validFor / 3)
        (next = begin()).catch(() => {})
    },
    /** Another node may answer from now on: earlier checks do not count. */
    invalidate() {
      // Without a check since the last invalidation, this one costs nothing.
      const isFree = rightSince === Number.NEGATIVE_INFINITY
      if (!isFree && invalidations.wait() > 0) return
      if (!isFree) invalidations.take()
      invalidSince = now()
      rightSince = Number.NEGATIVE_INFINITY
    },
    /** Another check found the right chain. @param began - when it began, in milliseconds of the same clock */
    seen: noteRight,
  }
}

export declare namespace createIdentity {
  type Options = {
    /** Hash of block 0 of the chain that is served; undefined until it is known: then any chain is right. */
    expected: () => string | undefined
    /** Asks the node for the hash of its block 0. */
    read: () => Promise<string>
    /** Called with the hash of block 0 of another chain. */
    onOther?: (genesis: string) => void
    /** Milliseconds between the beginnings of two checks, at least. */
    spacing: number
    /** Milliseconds for which a check counts. @default 0, so that each answer needs one that begins after it */
    validFor?: number
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
  }
}

/**
 * Confirms which chain an answer is of. Many answers show it: then there is nothing to wait for.
 *
 * @param body - the body of the request.
 * @throws as `confirm`
 */
export function confirmAnswer(
  { chain, identity }: { chain: ServedChain; identity: Pick<Identity, 'confirm'> },
  body: string | undefined,
  { isChecked, parsed }: Pick<NativeReply, 'isChecked' | 'parsed'>,
): Promise<void> | undefined {
  if (isChecked) return undefined
  const evidence = chainEvidence(body, parsed, chain)
  if (evidence === 'same') return undefined
  const check = identity.confirm(evidence === 'other')
  const reference = evidence === 'none' ? referenceOf(parsed) : undefined
  if (!check || reference === undefined) return check
  return check.then(() => chain.addReference(reference))
}
