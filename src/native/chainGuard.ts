import { OtherChainError } from './errors.ts'
import { readGenesis } from './genesis.ts'
import type { NodeRpc } from './rpc.ts'
import type { NativeReply, NativeTransport } from './transport.ts'
import type { Hex } from './types.ts'

/** Milliseconds between two checks while nothing looks wrong. */
const INTERVAL = 10_000

/** Milliseconds between two checks of a node on another chain, or of one that closes each connection after its answer. */
const FRESH = 1_000

/** Checks in a row after which a node counts as one that closes each connection. */
const RESTLESS = 3

/** Refuses the answers of a node that serves another chain than the one that the gateway started with. */
export type ChainGuard = {
  readonly transport: NativeTransport
  /** Sets the chain by the hash of its block 0. Until then every answer is passed on. */
  expect(genesis: Hex): void
  /** Another node may answer from now on: the next answer is passed on only after a check. */
  suspect(): void
  /** Resolves when the node is on the right chain. @throws UpstreamError when it is not, or cannot be asked */
  confirm(): Promise<void>
}

/**
 * A load balancer or a DNS entry can lead to a node of another chain at any time, and a state read does not tell which chain it
 * is of. So block 0 is read again after each failure, each new connection and each head that does not link, before an answer is
 * passed on, and at regular intervals.
 */
export function createChainGuard({
  now = () => performance.now(),
  transport,
}: createChainGuard.Options): ChainGuard {
  let genesis: Hex | undefined
  /** How often something looked wrong, and up to which of these times a check has found nothing. */
  let signs = 0
  let cleared = 0
  /** Checks in a row that opened a connection themselves. */
  let restless = 0
  let isOther = false
  let checkedAt = now()
  let checking: Promise<void> | undefined

  async function check(): Promise<void> {
    const seen = signs
    isOther = (await readGenesis(transport)) !== genesis
    checkedAt = now()
    cleared = seen
    restless = signs === seen ? 0 : restless + 1
  }

  const checkOnce = () => (checking ??= check().finally(() => (checking = undefined)))

  async function checkUpTo(sign: number): Promise<void> {
    await checkOnce()
    // The check may have begun before the sign was there.
    if (cleared < sign) await checkOnce()
  }

  async function confirm(): Promise<void> {
    if (genesis === undefined) return
    const age = now() - checkedAt
    const isDue = isOther || restless >= RESTLESS ? age >= FRESH : true
    if (isDue && isOther) await checkOnce()
    else if (isDue && signs > cleared) await checkUpTo(signs)
    else if (age >= INTERVAL) checkOnce().catch(() => undefined)
    if (isOther) throw new OtherChainError()
  }

  return {
    confirm,
    expect(hash) {
      genesis = hash
    },
    suspect() {
      signs++
    },
    transport: {
      ...transport,
      async send(path, body, options) {
        // What changes something must not reach another chain at all.
        if (isOther || !options.idempotent) await confirm()
        let reply: NativeReply
        try {
          reply = await transport.send(path, body, options)
        } catch (error) {
          signs++
          throw error
        }
        if (options.idempotent) await confirm()
        return reply
      },
    },
  }
}

export declare namespace createChainGuard {
  type Options = {
    transport: NativeTransport
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
  }
}

/** The node's own JSON-RPC, whose answers are passed on only while the node serves the right chain. */
export function guardRpc(rpc: NodeRpc, guard: Pick<ChainGuard, 'confirm'>): NodeRpc {
  return {
    ...rpc,
    async getStorageAt(...args) {
      const value = await rpc.getStorageAt(...args)
      await guard.confirm()
      return value
    },
  }
}
