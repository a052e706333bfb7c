import type { Call } from '../../lib/call.ts'
import { errorCode } from '../../lib/errorCode.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import { NodeAnswerError, NodeRpcError } from '../errors.ts'
import { MAX_RPC_ANSWER } from '../wire/answerLimits.ts'
import { parseInexact } from '../wire/json.ts'
import { parseAnswer } from '../wire/parseAnswer.ts'
import { connectionErrorOf, isBrokenConnection } from './connectionFault.ts'
import { loadUndici } from './undici.ts'

/**
 * The node's own JSON-RPC. It has two things that the HTTP API does not have: contract storage, and a search for the blocks
 * that have certain logs.
 */
export type NodeRpc = {
  /**
   * One slot of a contract's storage at the newest block.
   *
   * @param address - 20 bytes with 0x.
   * @param slot - hex with 0x.
   * @returns 32 bytes with 0x.
   */
  getStorageAt(address: string, slot: string, asking?: Call): Promise<`0x${string}`>
  /** Any call. @throws NodeUnreachableError, NodeTimeoutError, NodeAnswerError */
  call(method: string, params: unknown[], asking?: Call): Promise<unknown>
  close(): Promise<void>
}

/**
 * Creates a client.
 *
 * @throws Error when the address cannot be used.
 */
export function createNodeRpc({
  headers = {},
  sockets = 8,
  timeout = 10_000,
  url,
}: createNodeRpc.Options): NodeRpc {
  const { origin, pathname, search } = new URL(url)
  const pool = new (loadUndici().Pool)(origin, {
    bodyTimeout: timeout,
    connect: { timeout },
    connections: sockets,
    headersTimeout: timeout,
    maxResponseSize: MAX_RPC_ANSWER,
  })

  async function post(body: string, signal: StopSignal | undefined): Promise<string> {
    const response = await pool.request({
      method: 'POST',
      path: pathname + search,
      headers: { 'content-type': 'application/json', ...headers },
      body,
      // It uses the methods of an event target that every signal has.
      signal: (signal as AbortSignal | undefined) ?? null,
    })
    const text = await response.body.text()
    if (response.statusCode !== 200) throw new NodeAnswerError(refusal(response.statusCode))
    return text
  }

  async function call(method: string, params: unknown[], asking?: Call): Promise<unknown> {
    const signal = asking?.signal
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    // All calls here only read, so a call whose connection broke is repeated.
    const text = await post(body, signal).catch((error: unknown) => {
      if (signal?.aborted || !isBrokenConnection(error)) throw faultOf(error, signal, timeout)
      return post(body, signal).catch((again: unknown) => {
        throw faultOf(again, signal, timeout)
      })
    })
    const check = () => signal?.throwIfAborted()
    return resultOf(method, await parseAnswer(text, { check, parse: parseInexact }), text)
  }

  return {
    call,
    async getStorageAt(address, slot, asking) {
      const value = await call('eth_getStorageAt', [address, slot, 'latest'], asking)
      if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value))
        throw new NodeAnswerError('the upstream node’s JSON-RPC did not answer a storage value', {
          cause: value,
        })
      return value as `0x${string}`
    },
    close: () => pool.destroy(),
  }
}

export declare namespace createNodeRpc {
  type Options = {
    /** Full address with path: `http://127.0.0.1:8545/jsonrpc`. */
    url: string
    /** Sent with every call, such as an API key. */
    headers?: Readonly<Record<string, string>>
    /** Milliseconds. @default 10_000 */
    timeout?: number
    /** @default 8 */
    sockets?: number
  }
}

function refusal(status: number): string {
  const text = `the upstream node’s JSON-RPC answered HTTP ${status}`
  // The node serves JSON-RPC at one path only.
  return status === 404 || status === 405
    ? `${text}: --upstream-rpc must end with the path of the node’s JSON-RPC, usually /jsonrpc`
    : text
}

/** The result of an answer. @param answer - undefined when it is not JSON */
function resultOf(method: string, answer: unknown, text: string): unknown {
  const cause = text.slice(0, 500)
  if (answer === undefined)
    throw new NodeAnswerError('the answer of the upstream node’s JSON-RPC is not JSON', { cause })
  const { error, ...rest } = (answer ?? {}) as { error?: object | null; result?: unknown }
  if (typeof error === 'object' && error !== null) throw new NodeRpcError(method, error)
  if (!('result' in rest)) throw new NodeRpcError(method, { message: cause })
  return rest.result
}

function faultOf(error: unknown, signal: StopSignal | undefined, timeout: number): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof NodeAnswerError) return error
  if (errorCode(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new NodeAnswerError('the answer of the upstream node’s JSON-RPC is too large')
  return connectionErrorOf(error, timeout)
}
