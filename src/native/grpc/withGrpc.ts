import type { Call } from '../../lib/call.ts'
import { readGenesis } from '../identity/genesis.ts'
import type { CallObserver, NativePath, NativeTransport } from '../transport/transport.ts'
import { agrees } from './agreement.ts'
import type { GrpcSource } from './source.ts'
import type { GrpcStatus } from './status.ts'

/** A transport that uses the gRPC interface of its node for bulk reads. */
export type GrpcTransport = NativeTransport & {
  /** The state of the gRPC interface; undefined without one. */
  grpc(): GrpcStatus | undefined
}

/** Milliseconds between two checks of the chain of one node, and for which a check is valid. */
const CHECK_INTERVAL = 100

/** Milliseconds until an interface that was not found, or differed, is compared again. */
const COMPARE_AGAIN = 60_000

/** The share of a call's time limit that gRPC may use, so that HTTP has time to answer after it. */
const SHARE = 0.5

/**
 * Adds the gRPC interface to a transport over HTTP. gRPC answers calls that need only a part of the answer, several times as
 * fast as JSON over HTTP. HTTP answers when gRPC does not.
 */
export function withGrpc(transport: NativeTransport, options: withGrpc.Options): GrpcTransport {
  const {
    address,
    isGuess = false,
    log = silent,
    name,
    now = () => performance.now(),
    timeout,
  } = options
  if (address === undefined) return { ...transport, grpc: () => undefined }
  const status: GrpcStatus = { state: 'idle', calls: 0, failed: 0 }
  let genesis: string | undefined
  let loading: Promise<GrpcSource | undefined> | undefined
  let isClosed = false
  /** Whether its answers may be used. */
  let isTrusted = !isGuess
  let isComparing = false
  let compareAt = Number.NEGATIVE_INFINITY

  /** Creates the source. Imported here, so that a gateway without gRPC does not load its modules. */
  async function load(): Promise<GrpcSource> {
    const { createGrpcSource } = await import('./source.ts')
    // Without `expected`, the chain of the HTTP interface is the expected one.
    if (!options.expected) genesis = await readGenesis(transport)
    return createGrpcSource({
      ...options,
      address: options.address ?? '',
      expected: options.expected ?? (() => genesis),
      onChange: report,
      spacing: options.spacing ?? CHECK_INTERVAL,
      status,
      validFor: options.validFor ?? CHECK_INTERVAL,
    })
  }

  function source(): Promise<GrpcSource | undefined> {
    // After a failure the next call loads it again.
    return (loading ??= load().catch(() => (loading = undefined)))
  }

  /** Compares an interface whose address was guessed with the node. Calls go over HTTP meanwhile. */
  async function compare(): Promise<void> {
    // The chain is known once an answer over HTTP was confirmed.
    const isKnown = options.expected === undefined || options.expected() !== undefined
    if (isComparing || !isKnown || now() < compareAt) return
    isComparing = true
    const grpc = await source()
    isTrusted = grpc !== undefined && (await agrees(transport, grpc, timeout).catch(() => false))
    compareAt = now() + COMPARE_AGAIN
    isComparing = false
    if (isTrusted && !isClosed)
      log.info(
        { upstream: name },
        `upstream ${name} has a gRPC interface on port ${new URL(options.address ?? '').port}: blocks and accounts are read over it`,
      )
  }

  function report(): void {
    if (isClosed || !isTrusted) return
    const { reason, state } = status
    const fields = { upstream: name, reason }
    if (state === 'up') log.info(fields, `the gRPC interface of upstream ${name} works again`)
    else
      log.warn(
        fields,
        `the gRPC interface of upstream ${name} fails, calls go over HTTP: ${reason ?? ''}`,
      )
  }

  return {
    grpc: () => (isTrusted ? status : undefined),
    async send(path, body, sendOptions) {
      const { part, timeout: left = timeout } = sendOptions
      if (part === undefined) return transport.send(path, body, sendOptions)
      if (!isTrusted) {
        void compare()
        return transport.send(path, body, sendOptions)
      }
      const started = performance.now()
      const limit = Math.min(left, timeout)
      const grpc = await source()
      const reply = await grpc?.answer(path, part, body, limit * SHARE, sendOptions)
      if (reply) return reply
      const rest = Math.max(1, limit - (performance.now() - started))
      return transport.send(path, body, { ...sendOptions, timeout: rest })
    },
    async close() {
      isClosed = true
      const source = await loading
      source?.close()
      await transport.close()
    },
  }
}

export declare namespace withGrpc {
  type Options = {
    /** Address of the gRPC interface; undefined without one. */
    address: string | undefined
    /** Whether the address was guessed: it is used once its blocks were the same as over HTTP. @default false */
    isGuess?: boolean | undefined
    /** Hash of block 0 of the expected chain. @default the chain of the HTTP interface */
    expected?: (() => string | undefined) | undefined
    headers?: Readonly<Record<string, string>> | undefined
    /** @default silent */
    log?: Record<'info' | 'warn', (fields: object, message: string) => void> | undefined
    /** Name of the node, for the log. */
    name: string
    onCall?: ((path: NativePath, call: Call) => CallObserver) | undefined
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
    /** Milliseconds between two checks of the chain (see `createIdentity`). @default 100 */
    spacing?: number
    /** Milliseconds for which a check is valid. @default 100 */
    validFor?: number
    /** Milliseconds for one call. */
    timeout: number
  }
}

const silent = { info() {}, warn() {} }
