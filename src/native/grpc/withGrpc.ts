import { readGenesis } from '../genesis.ts'
import type { CallObserver, NativePath, NativeTransport } from '../transport.ts'
import type { GrpcSource } from './source.ts'
import type { GrpcStatus } from './status.ts'

/** A transport that asks the gRPC interface of its node for bulk reads. */
export type GrpcTransport = NativeTransport & {
  /** Undefined without gRPC. */
  grpc(): GrpcStatus | undefined
}

/** Milliseconds between two checks of the chain of one node, and for which one counts. */
const CHECK_INTERVAL = 100

/** The part of a call's time that gRPC may use, so that HTTP can still answer after it. */
const SHARE = 0.5

/**
 * Adds the gRPC interface to a transport over HTTP. It answers calls of which only a part is wanted, several times as fast as JSON over
 * HTTP; where it does not answer, HTTP does.
 */
export function withGrpc(transport: NativeTransport, options: withGrpc.Options): GrpcTransport {
  const { address, log = silent, name, timeout } = options
  if (address === undefined) return { ...transport, grpc: () => undefined }
  const status: GrpcStatus = { state: 'idle', calls: 0, failed: 0 }
  let genesis: string | undefined
  let loading: Promise<GrpcSource> | undefined
  let isClosed = false

  /** Loads what it needs: a gateway without gRPC does not. */
  async function load(): Promise<GrpcSource> {
    const { createGrpcSource } = await import('./source.ts')
    // Without a chain to expect, that of the HTTP interface is.
    if (!options.expected) genesis = await readGenesis(transport)
    return createGrpcSource({
      ...options,
      address: options.address ?? '',
      expected: options.expected ?? (() => genesis),
      onChange: report,
      spacing: options.spacing ?? CHECK_INTERVAL,
      status,
      trust: options.trust ?? CHECK_INTERVAL,
    })
  }

  function report(): void {
    if (isClosed) return
    const { reason, state } = status
    const fields = { upstream: name, reason }
    if (state === 'up') log.info(fields, `the gRPC interface of upstream ${name} works again`)
    else
      log.warn(fields, `upstream ${name}: its gRPC interface is not used, HTTP is: ${reason ?? ''}`)
  }

  return {
    grpc: () => status,
    async send(path, body, sendOptions) {
      const { caller, part, signal, timeout: left = timeout } = sendOptions
      if (part === undefined) return transport.send(path, body, sendOptions)
      const started = performance.now()
      loading ??= load()
      // The next call tries again to find the chain.
      const source = await loading.catch(() => (loading = undefined))
      const limit = Math.min(left, timeout)
      const reply = await source?.answer(path, part, body, {
        caller,
        signal,
        timeout: limit * SHARE,
      })
      if (reply) return reply
      const rest = Math.max(1, limit - (performance.now() - started))
      return transport.send(path, body, { ...sendOptions, timeout: rest })
    },
    async close() {
      isClosed = true
      const source = await loading?.catch(() => undefined)
      source?.close()
      await transport.close()
    },
  }
}

export declare namespace withGrpc {
  type Options = {
    /** Address of the gRPC interface; undefined without one. */
    address: string | undefined
    /** Hash of block 0 of the chain that is served. @default that of the HTTP interface */
    expected?: (() => string | undefined) | undefined
    headers?: Readonly<Record<string, string>> | undefined
    /** @default silent */
    log?: Record<'info' | 'warn', (fields: object, message: string) => void> | undefined
    /** Name of the node, for the log. */
    name: string
    onCall?: ((path: NativePath, caller: object | undefined) => CallObserver) | undefined
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
    /** Milliseconds between two checks of the chain (see `createIdentity`). @default 100 */
    spacing?: number
    /** Milliseconds for which a check counts. @default 100 */
    trust?: number
    /** Milliseconds for one call. */
    timeout: number
  }
}

const silent = { info() {}, warn() {} }
