import type { Call } from '../../lib/call.ts'
import { errorCode } from '../../lib/errorCode.ts'
import { OtherChainError } from '../errors.ts'
import { createIdentity } from '../identity/identity.ts'
import type { CallObserver, NativePath, NativeReply } from '../transport/transport.ts'
import { GENESIS, type GrpcCall, grpcCallFor } from './calls.ts'
import { createGrpcChannel, GrpcError } from './channel.ts'
import type { GrpcStatus } from './status.ts'

/** The gRPC interface of one node. */
export type GrpcSource = ReturnType<typeof createGrpcSource>

/** Milliseconds without calls after a failure. Each further failure doubles them, up to the longest pause. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000

/** After this many milliseconds without a failure, the next pause is short again. */
const STEADY = 60_000

/** The outcome in `ethgate_upstream_call_duration_seconds` for a gRPC status. */
const HTTP_STATUS: Readonly<Record<number, number>> = { 7: 403, 8: 429, 12: 404, 14: 503, 16: 401 }

/** Statuses that the request causes. They do not stop further calls. */
const REFUSED = new Set([3, 5, 11])

/** Calls the gRPC interface of a node, checks its chain, and pauses after failures. */
export function createGrpcSource({
  address,
  expected,
  headers,
  now = () => performance.now(),
  onCall,
  spacing,
  status,
  validFor,
  onChange,
}: createGrpcSource.Options) {
  const channel = createGrpcChannel({ address, headers })
  const identity = createIdentity({
    expected,
    now,
    read: async () =>
      GENESIS.read(await channel.unary(GENESIS.method, GENESIS.message, { timeout: checkTimeout })),
    spacing,
    validFor,
  })
  /** Milliseconds for a check of the chain: the limit of the call that waits for it. */
  let checkTimeout = 1_000
  let pause = FIRST_PAUSE
  let pausedUntil = 0
  let upSince = 0

  function failed(reason: string): void {
    status.failed++
    if (now() - upSince > STEADY) pause = FIRST_PAUSE
    pausedUntil = now() + pause
    pause = Math.min(LONGEST_PAUSE, pause * 2)
    const isNew = status.state !== 'down'
    status.state = 'down'
    status.reason = reason
    if (isNew) onChange()
  }

  function worked(): void {
    if (status.state === 'up') return
    const wasDown = status.state === 'down'
    status.state = 'up'
    status.reason = undefined
    upSince = now()
    if (wasDown) onChange()
  }

  async function send(
    { message, method, read }: GrpcCall,
    timeout: number,
    call: Call,
  ): Promise<{ answer: unknown; bytes: Buffer }> {
    const { signal } = call
    const started = now()
    const observer = onCall?.(method, call)
    identity.refresh()
    let code: number | undefined
    try {
      const bytes = await channel.unary(method, message, {
        headers: observer?.headers,
        signal,
        timeout,
      })
      code = 200
      const answer = read(bytes)
      checkTimeout = timeout
      await identity.confirm()
      return { answer, bytes }
    } catch (error) {
      if (error instanceof GrpcError && error.code !== undefined)
        code = HTTP_STATUS[error.code] ?? 500
      throw error
    } finally {
      observer?.end({
        path: method,
        ...(code === undefined ? {} : { status: code }),
        seconds: (now() - started) / 1000,
        cancelled: signal?.aborted === true,
      })
    }
  }

  return {
    /**
     * Answers a call of the HTTP interface that needs only a part of the answer. Undefined when HTTP must be used: gRPC has no
     * such call, gave no answer or an empty one, or the node serves another chain.
     *
     * @param timeout - milliseconds
     * @throws the signal's reason
     */
    async answer(
      path: NativePath,
      part: string,
      body: string | undefined,
      timeout: number,
      call: Call = {},
    ): Promise<NativeReply | undefined> {
      if (now() < pausedUntil || expected() === undefined) return undefined
      const request = grpcCallFor(path, part, body)
      if (!request) return undefined
      status.calls++
      try {
        const { answer: parsed, bytes } = await send(request, timeout, call)
        worked()
        return parsed === undefined
          ? undefined
          : { status: 200, text: '', parsed, bytes, isChecked: true }
      } catch (error) {
        call.signal?.throwIfAborted()
        if (error instanceof GrpcError && REFUSED.has(error.code ?? 0)) status.failed++
        else failed(reasonOf(error))
        return undefined
      }
    },
    close: () => channel.close(),
  }
}

export declare namespace createGrpcSource {
  type Options = {
    /** `http://HOST:PORT`, or `https://HOST:PORT` for TLS. */
    address: string
    /** Hash of block 0 of the expected chain, without 0x. While it is undefined, no call is made. */
    expected: () => string | undefined
    headers?: Readonly<Record<string, string>> | undefined
    /** Called when a call begins. */
    onCall?: ((path: NativePath, call: Call) => CallObserver) | undefined
    /** Called when the interface starts to fail, and when it works again. */
    onChange: () => void
    /** The source updates it. */
    status: GrpcStatus
    /** Milliseconds between two checks of the chain, and for which a check is valid (see `createIdentity`). */
    spacing: number
    validFor: number
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
  }
}

/** The reason of a failure for the log and `/health`, without addresses and content. */
function reasonOf(error: unknown): string {
  if (error instanceof OtherChainError) return 'it serves another chain'
  if (error instanceof GrpcError) {
    const code = firstCode(error.cause)
    return code === undefined ? error.message : `${error.message} (${code})`
  }
  return error instanceof TypeError ? 'its answer cannot be read' : 'it failed'
}

/** The code of the innermost cause, such as ECONNREFUSED. */
function firstCode(error: unknown): string | undefined {
  return error instanceof Error ? (firstCode(error.cause) ?? errorCode(error)) : undefined
}
