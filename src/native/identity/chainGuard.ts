import type { StopSignal } from '../../lib/stopSignal.ts'
import { within } from '../../lib/within.ts'
import { NodeTimeoutError } from '../errors.ts'
import type { NativeReply, NativeTransport } from '../transport/transport.ts'
import { parseAnswer } from '../wire/parseAnswer.ts'
import { readGenesis } from './genesis.ts'
import { confirmAnswer, createIdentity } from './identity.ts'
import { createServedChain, type ServedBlocks, type ServedChain } from './servedChain.ts'

/** Passes on the answers of one node only while it serves the right chain. */
export type ChainGuard = ReturnType<typeof createChainGuard>

/** Milliseconds for which a check of the chain counts, where nothing looks wrong. */
const VALID_FOR = 100

/** Milliseconds between two checks, at least. */
const SPACING = 2

/**
 * A load balancer or a DNS entry can lead to a node of another chain at any time. A read is passed on when its answer shows the
 * right chain, or when the node was on the right chain shortly before. What changes something is sent only in the latter case.
 * After a new connection or a failure only a new check counts.
 */
export function createChainGuard({
  chain = createServedChain(),
  checker,
  now = () => performance.now(),
  timeout,
  transport,
}: createChainGuard.Options) {
  let checking = 0
  const identity = createIdentity({
    expected: () => chain.genesis,
    now,
    onOther: () => chain.clearReferences(),
    async read() {
      const found = await readGenesis(checker)
      chain.genesis ??= found
      return found
    },
    spacing: SPACING,
    validFor: VALID_FOR,
  })

  async function wait(
    check: Promise<void>,
    deadline: number,
    signal: StopSignal | undefined,
  ): Promise<void> {
    checking++
    try {
      await within(check, deadline - now(), () => new NodeTimeoutError(timeout), signal)
    } finally {
      checking--
    }
  }

  return {
    async send(...[path, body, options]: Parameters<NativeTransport['send']>) {
      const { signal } = options
      const deadline = now() + timeout
      const before = options.idempotent ? undefined : identity.confirm()
      if (before) await wait(before, deadline, signal)
      else identity.refresh()
      let reply: NativeReply
      try {
        reply = await transport.send(
          path,
          body,
          before ? { ...options, timeout: deadline - now() } : options,
        )
      } catch (error) {
        if (!signal?.aborted) identity.invalidate()
        throw error
      }
      if (!options.idempotent) return reply
      if (reply.isChecked) return reply
      const { status, text } = reply
      const read = parseAnswer(text, {
        check() {
          signal?.throwIfAborted()
          if (now() > deadline) throw new NodeTimeoutError(timeout)
        },
      })
      const parsed = read instanceof Promise ? await read : read
      const after = confirmAnswer({ chain, identity }, body, { parsed })
      if (after) await wait(after, deadline, signal)
      return { status, text, parsed }
    },
    /** Sets the chain by the hash of its block 0. Until then the first check sets it. */
    expect(genesis: string) {
      chain.genesis = genesis
    },
    /** Sets the newest blocks that clients have seen. Answers are compared with them. */
    setFloor: (blocks: ServedBlocks) => chain.show(blocks),
    /** Another node may answer from now on, so the next answer is passed on only after a check. */
    invalidate: () => identity.invalidate(),
    /** Calls that wait for a check. */
    checking: () => checking,
    /** Resolves when the node serves the right chain. @throws OtherChainError, or the error of the node */
    async confirm() {
      identity.refresh()
      await identity.confirm()
    },
  }
}

export declare namespace createChainGuard {
  type Options = {
    /** The chain that is served, as far as it is known. @default a chain without known blocks */
    chain?: ServedChain
    /** Reads block 0. A check must not wait for the calls that wait for it. */
    checker: Pick<NativeTransport, 'send'>
    /** Milliseconds for a call with its checks. */
    timeout: number
    /** Makes the calls. */
    transport: Pick<NativeTransport, 'send'>
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
  }
}
