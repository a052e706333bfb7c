import type { Call } from '../lib/call.ts'
import { sleep as realSleep } from '../lib/sleep.ts'
import type { StopSignal } from '../lib/stopSignal.ts'
import { createDedupe } from './dedupe.ts'
import { isBusy, NodeAnswerError, nodeErrorOf } from './errors.ts'
import type { NativePath, NativeTransport } from './transport/transport.ts'
import { stringifyNative } from './wire/json.ts'
import { normalize } from './wire/normalize.ts'
import type { Operation } from './wire/operation.ts'
import {
  sharedOperations,
  walletOperations,
  type CallOptions,
  type SolidityOperations,
  type WalletOperations,
} from './wire/operations.ts'
import { parseAnswer } from './wire/parseAnswer.ts'

/** Typed calls to the node's HTTP API, with its native types. */
export type NativeClient = {
  /** The newest state, including the mempool. */
  readonly wallet: WalletOperations
  /** The state at the solidified block. */
  readonly solidity: SolidityOperations
  /**
   * Calls any operation, by the last part of its path or by its name in this client. Returns the answer as received, with
   * exact int64 values. An unknown operation is not repeated and not shared, because it may send a transaction.
   */
  call(
    prefix: 'wallet' | 'walletsolidity',
    name: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<unknown>
  close(): Promise<void>
}

type AnyOperation = Operation<unknown, unknown>

// Milliseconds between four attempts within about a second, after which a limit of calls a second accepts calls again.
const BUSY_DELAYS = [100, 200, 400]

// Milliseconds between attempts. On a node that has just started, even short contract calls exceed the CPU time limit. Two
// more attempts are enough in practice.
const CPU_DELAYS = [100, 200]

/**
 * A client of one node. Identical reads in flight share one answer, so callers must not change answers.
 *
 * Calls throw `NodeUnreachableError`, `NodeTimeoutError`, `NodeAnswerError`, `NodeLacksApiError`, `NodeBusyError` or
 * `NodeRefusedError`. A failure in the `result` of a contract call or a broadcast is not an error but part of the answer.
 */
export function createNodeClient({
  random = Math.random,
  sleep = realSleep,
  transport,
}: createNodeClient.Options): NativeClient {
  const dedupe = createDedupe()

  async function ask(
    path: NativePath,
    { kind, part, path: name }: AnyOperation,
    body: string | undefined,
    wanted: string | undefined,
    call: Call | undefined,
  ): Promise<unknown> {
    const idempotent = kind !== 'send'
    const signal = call?.signal
    for (let attempt = 0; ; attempt++) {
      const options = { ...call, idempotent, kind, part: wanted }
      const reply = await transport.send(path, body, options)
      const check = () => signal?.throwIfAborted()
      const read =
        'parsed' in reply
          ? reply.parsed
          : (part?.read(reply.text, check) ?? parseAnswer(reply.text, { check }))
      const parsed = read instanceof Promise ? await read : read
      const error = nodeErrorOf(name, reply, parsed)
      if (!error) return parsed
      const delay = BUSY_DELAYS[attempt]
      // A front end can limit the rate after it has passed a broadcast on. The next answer would then hide that.
      if (!isBusy(error) || delay === undefined || !idempotent) throw error
      await sleep(delay * (0.5 + random()), signal)
    }
  }

  /** Repeats a contract call that exceeded the node's CPU time limit. */
  async function askWithRetry(
    path: NativePath,
    operation: AnyOperation,
    body: string | undefined,
    wanted: string | undefined,
    call: Call | undefined,
  ): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      const answer = await ask(path, operation, body, wanted, call)
      const delay = CPU_DELAYS[attempt]
      if (!ranOutOfTime(answer) || delay === undefined) return answer
      await sleep(delay, call?.signal)
    }
  }

  function run(
    path: NativePath,
    operation: AnyOperation,
    request: unknown,
    call: Call | undefined,
    wanted: string | undefined,
    finish: (answer: unknown) => unknown,
    overHttp = false,
  ): Promise<unknown> {
    const body =
      operation.method === 'GET' && request === undefined
        ? undefined
        : stringifyNative(request ?? {})
    const start = async (shared: Call | undefined) =>
      finish(await askWithRetry(path, operation, body, overHttp ? undefined : wanted, shared))
    const key = `${path} ${wanted ?? ''} ${overHttp} ${body ?? ''}`
    return operation.kind === 'read' ? dedupe(key, call, start) : start(call)
  }

  function calls(
    prefix: 'wallet' | 'walletsolidity',
    table: Record<string, AnyOperation>,
  ): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(table).map(([name, operation]) => {
        const finish = (answer: unknown) => {
          const whole = normalize(operation, answer)
          return operation.part && whole !== undefined ? operation.part.pick(whole as never) : whole
        }
        const path = pathOf(prefix, operation)
        const wanted = operation.part?.name ?? 'whole'
        return [
          name,
          (request?: unknown, options?: CallOptions) => {
            const check = (answer: unknown) => assertAsked(operation, request, finish(answer))
            return run(path, operation, request, options, wanted, check, options?.overHttp)
          },
        ]
      }),
    )
  }

  return {
    wallet: calls('wallet', { ...sharedOperations, ...walletOperations }) as WalletOperations,
    solidity: calls('walletsolidity', sharedOperations) as SolidityOperations,
    async call(prefix, name, body, options) {
      if (!/^\w+$/.test(name)) throw new TypeError(`"${name}" is not the name of an operation`)
      const operation = findOperation(name)
      return run(pathOf(prefix, operation), operation, body, options, undefined, (answer) => answer)
    },
    close: () => transport.close(),
  }
}

export declare namespace createNodeClient {
  type Options = {
    transport: NativeTransport
    /** Waits before a call is repeated. @default a timer */
    sleep?: (milliseconds: number, signal: StopSignal | undefined) => Promise<void>
    /** @default Math.random */
    random?: () => number
  }
}

function pathOf(prefix: 'wallet' | 'walletsolidity', { path }: AnyOperation): NativePath {
  return `/${prefix}/${path}`
}

function findOperation(name: string): AnyOperation {
  const wanted = name.toLowerCase()
  const known = Object.entries({ ...sharedOperations, ...walletOperations }).find(
    ([key, { path }]) => key.toLowerCase() === wanted || path.toLowerCase() === wanted,
  )
  return known?.[1] ?? { path: name, kind: 'send', method: 'POST' }
}

/** Returns the answer. @throws NodeAnswerError when it is of another object, such as from a front end that mixes answers up */
function assertAsked(operation: AnyOperation, request: unknown, answer: unknown): unknown {
  if (answer && operation.isFor?.(request, answer) === false)
    throw new NodeAnswerError(`the node answered ${operation.path} for another request`)
  return answer
}

function ranOutOfTime(answer: unknown): boolean {
  const message = (answer as { result?: { message?: unknown } } | null)?.result?.message
  return typeof message === 'string' && message.includes(CPU_TIMEOUT)
}

/** Hex of `CPU timeout for`. */
const CPU_TIMEOUT = '4350552074696d656f757420666f72'
