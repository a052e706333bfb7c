import { sleep as realSleep } from '../lib/sleep.ts'
import type { StopSignal } from '../lib/stopSignal.ts'
import { createSharing } from './dedupe.ts'
import { isBusy, nodeErrorOf } from './errors.ts'
import { stringifyNative } from './json.ts'
import { normalize } from './normalize.ts'
import type { Operation } from './operation.ts'
import {
  sharedOperations,
  walletOperations,
  type CallOptions,
  type SolidityOperations,
  type WalletOperations,
} from './operations.ts'
import { parseAnswer } from './parseAnswer.ts'
import type { NativePath, NativeTransport } from './transport.ts'

/** Typed calls to the node's HTTP API. No Ethereum shapes here. */
export type NativeClient = {
  /** The newest state, the pending pool included. */
  readonly wallet: WalletOperations
  /** The state as of the solidified block. */
  readonly solidity: SolidityOperations
  /**
   * Any operation, by the last part of its path or by the name that it has here. The answer is as received (int64 exact),
   * `{}` included. An operation that is not known here is asked once and not shared.
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

// Four tries within about a second: what a per-second limit needs to clear, and no more than a caller waits for.
const BUSY_DELAYS = [100, 200, 400]

// A node that has just started runs out of CPU time in harmless calls. Two more tries are enough in practice.
const CPU_DELAYS = [100, 200]

/**
 * A client of one node. Identical reads in flight share one answer, so callers must not change answers.
 *
 * Every call throws `NodeUnreachableError`, `NodeTimeoutError`, `NodeAnswerError`, `NodeLacksApiError`, `NodeBusyError`, or
 * `NodeRefusedError`; what the node says inside `result` of a contract call or a broadcast is part of the answer.
 */
export function createNodeClient({
  random = Math.random,
  sleep = realSleep,
  transport,
}: createNodeClient.Options): NativeClient {
  const share = createSharing()

  async function ask(
    path: NativePath,
    { kind, part, path: name }: AnyOperation,
    body: string | undefined,
    caller: object | undefined,
    signal: StopSignal | undefined,
  ): Promise<unknown> {
    const idempotent = kind !== 'send'
    for (let attempt = 0; ; attempt++) {
      const reply = await transport.send(path, body, {
        caller,
        idempotent,
        kind,
        part: part?.name,
        signal,
      })
      const { status, text } = reply
      const read = 'parsed' in reply ? reply.parsed : (part?.read(text) ?? parseAnswer(text))
      const parsed = read instanceof Promise ? await read : read
      const error = nodeErrorOf(name, status, text, parsed)
      if (!error) return parsed
      const delay = BUSY_DELAYS[attempt]
      // The rate limit refuses before it executes: asking again is safe even for a broadcast.
      if (!isBusy(error) || delay === undefined) throw error
      await sleep(delay * (0.5 + random()), signal)
    }
  }

  /** Asks, and asks again after a pause while the node runs out of CPU time. */
  async function askPatiently(
    path: NativePath,
    operation: AnyOperation,
    body: string | undefined,
    caller: object | undefined,
    signal: StopSignal | undefined,
  ): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      const answer = await ask(path, operation, body, caller, signal)
      const delay = CPU_DELAYS[attempt]
      if (!ranOutOfTime(answer) || delay === undefined) return answer
      await sleep(delay, signal)
    }
  }

  function run(
    prefix: 'wallet' | 'walletsolidity',
    operation: AnyOperation,
    request: unknown,
    signal: StopSignal | undefined,
    finish: (answer: unknown) => unknown,
  ): Promise<unknown> {
    const path: NativePath = `/${prefix}/${operation.path}`
    const body =
      operation.method === 'GET' && request === undefined
        ? undefined
        : stringifyNative(request ?? {})
    const caller = signal?.caller ?? signal
    const start = async (signal: StopSignal | undefined) =>
      finish(await askPatiently(path, operation, body, caller, signal))
    const key = `${path} ${operation.part?.name ?? ''} ${body ?? ''}`
    return operation.kind === 'read' ? share(key, signal, start) : start(signal)
  }

  function calls(
    prefix: 'wallet' | 'walletsolidity',
    table: Record<string, AnyOperation>,
  ): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(table).map(([name, operation]) => [
        name,
        (request?: unknown, options?: CallOptions) =>
          run(prefix, operation, request, options?.signal, (answer) => {
            const whole = normalize(operation, answer)
            return operation.part && whole !== undefined
              ? operation.part.pick(whole as never)
              : whole
          }),
      ]),
    )
  }

  return {
    wallet: calls('wallet', { ...sharedOperations, ...walletOperations }) as WalletOperations,
    solidity: calls('walletsolidity', sharedOperations) as SolidityOperations,
    async call(prefix, name, body, options) {
      if (!/^\w+$/.test(name)) throw new TypeError(`"${name}" is not the name of an operation`)
      const operation = findOperation(name)
      return run(prefix, operation, body, options?.signal, (answer) => answer)
    },
    close: () => transport.close(),
  }
}

export declare namespace createNodeClient {
  type Options = {
    transport: NativeTransport
    /** Waits before a busy node is asked again. @default a timer */
    sleep?: (milliseconds: number, signal: StopSignal | undefined) => Promise<void>
    /** @default Math.random */
    random?: () => number
  }
}

function findOperation(name: string): AnyOperation {
  const wanted = name.toLowerCase()
  const known = Object.entries({ ...sharedOperations, ...walletOperations }).find(
    ([key, { path }]) => key.toLowerCase() === wanted || path.toLowerCase() === wanted,
  )
  return known?.[1] ?? { path: name, kind: 'send', method: 'POST' }
}

function ranOutOfTime(answer: unknown): boolean {
  const message = (answer as { result?: { message?: unknown } } | null)?.result?.message
  return typeof message === 'string' && message.includes(CPU_TIMEOUT)
}

/** Hex of `CPU timeout for`. */
const CPU_TIMEOUT = '4350552074696d656f757420666f72'
