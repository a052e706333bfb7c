import { expect } from 'vitest'

import { InvalidParamsError, RpcError } from '../../src/lib/errors.ts'
import { toPrepared } from '../../src/lib/prepared.ts'
import type { Context } from '../../src/rpc/context.ts'
import { answerBytes } from '../../src/rpc/jsonrpc/answer.ts'
import type { ObservedCall } from '../../src/rpc/jsonrpc/call.ts'
import { observed as observedBy } from '../../src/rpc/jsonrpc/middleware.ts'
import { createRpcServer } from '../../src/rpc/jsonrpc/server.ts'
import type { AnyMethod } from '../../src/rpc/method.ts'
import type { ClientCall } from '../../src/rpc/request.ts'

/** Answers its first param. */
export const echo: AnyMethod = {
  params: [(input) => input],
  summary: '',
  handler: (_, [input]) => input,
}

/** A JSON-RPC server with a few small methods, and what it reports of its calls. */
export function setupRpcServer({
  batchLimit = 1_000,
  depthLimit = 32,
  responseLimit = 1_000_000,
  ...options
}: Partial<createRpcServer.Options & Required<createRpcServer.Options>['config']> = {}) {
  const errors: unknown[] = []
  const observed: ObservedCall[] = []
  const deliveries: boolean[] = []
  const listeners: ((delivered: boolean) => void)[] = []
  const request: ClientCall = {
    client: '127.0.0.1',
    signal: new AbortController().signal,
    onDelivery: (listener) => listeners.push(listener),
  }
  const methods: Record<string, AnyMethod> = {
    echo,
    prepared: { ...echo, handler: (_, [input]) => toPrepared(input) },
    nothing: { ...echo, handler: () => undefined },
    bigint: { ...echo, handler: () => 1n },
    crash: {
      ...echo,
      handler() {
        throw new Error('http://10.0.0.1 refused')
      },
    },
    refuse: {
      ...echo,
      handler() {
        throw new RpcError(3, 'execution reverted', { data: '0x01' })
      },
    },
    decode: {
      ...echo,
      params: [
        (input) => input,
        () => {
          throw new Error('expected a hash')
        },
      ],
    },
    page: {
      ...echo,
      handler(_, [input], call) {
        call.onDelivery((delivered) => deliveries.push(delivered))
        if (input === 'fail') throw new InvalidParamsError(0, 'no')
        return input === 'bigint' ? 1n : input
      },
    },
    late: {
      ...echo,
      handler: (_, __, call) =>
        setTimeout(() => call.onDelivery((d) => deliveries.push(d)), 1) && 1,
    },
    ...options.methods,
  }
  const server = createRpcServer({
    config: { batchLimit, depthLimit, responseLimit },
    context: () => ({}) as Context,
    middleware: [observedBy((call) => observed.push(call))],
    onError: (error) => errors.push(error),
    ...options,
    methods,
  })
  const ask = async (text: string) => {
    const answer = await server.answer(text, request)
    if (!answer) return undefined
    const bytes = answerBytes(answer)
    expect(bytes).toHaveLength(answer.bytes)
    return bytes.toString()
  }
  return { ask, errors, listeners, observed, server, deliveries }
}

/** Answers without the texts of the messages: those have a test of their own. */
export function codes(text: string | undefined): unknown {
  if (text === undefined) return undefined
  const short = ({
    error,
    id,
    result,
  }: {
    error?: { code: number }
    id: unknown
    result?: unknown
  }) => (error ? { code: error.code, id } : { id, result })
  const parsed = JSON.parse(text) as Parameters<typeof short>
  return Array.isArray(parsed) ? parsed.map((entry) => short(entry)) : short(parsed)
}

/** A request. */
export const call = (method: string, params: unknown = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
