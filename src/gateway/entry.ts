// What programs import as `ethgate`. Its types name no other package: a compiler that checks a program reads them all.
import { type Config, createConfig } from '../config/config.ts'
import type { Health } from '../http/health.ts'
import type { JsonSchema } from '../lib/jsonSchema.ts'
import type { NativeClient } from '../native/client.ts'
import type { PrivateKey } from '../native/protobuf/signature.ts'
import type { NativeTransport } from '../native/transport/transport.ts'
import type { Upstream } from '../native/upstream.ts'
import type { Tracer } from '../rpc/explain/tracer.ts'
import { defineMethod as defineAnyMethod } from '../rpc/method.ts'
import { createGateway as createWholeGateway } from './gateway.ts'
import type { Routes } from './gatewayTypes.ts'
import type { Log } from './log.ts'

export { type Config, createConfig }
export type { Health, Log, NativeClient, NativeTransport, PrivateKey, Routes, Tracer, Upstream }

/** An Ethereum JSON-RPC endpoint in front of one chain. */
export type Gateway = {
  readonly config: Config
  /** The metrics of `/metrics`. */
  readonly metrics: {
    readonly registry: { readonly contentType: string; metrics(): Promise<string> }
  }
  readonly native: NativeClient
  /**
   * Settles when the node has answered. Rejects if it cannot be used, even long after `start`.
   */
  readonly ready: Promise<unknown>
  /** The content of `/health`. */
  health(): Health
  /** Reads the API keys file again. One that is not valid changes nothing. */
  reloadApiKeys(): void
  /** One EIP-1193 call in this process, on the full view. It throws an error with `code` and `data` as Ethereum nodes give them. */
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
  /** Replaces the nodes. Calls in flight finish. */
  setUpstreams(upstreams: readonly Upstream[]): Promise<void>
  /**
   * Listens, then waits for the first attempt to reach the node. If the node is down, the gateway keeps trying in the background;
   * meanwhile `/health` reports it and methods fail.
   *
   * @throws Error when the node cannot be used, or of `listen`, such as EADDRINUSE.
   */
  start(): Promise<{ port: number; url: string }>
  /**
   * Drains: `/ready` answers 503 at once. After `delay` milliseconds (default 0) the port closes. Requests in flight finish within
   * `config.drain`.
   */
  stop(options?: { delay?: number }): Promise<void>
}

/** What a method of an embedder may use. */
export type MethodContext = { readonly config: Config; readonly native: NativeClient }

/** A method that `defineMethod` made. */
export type Method = { readonly summary: string }

/** Reads one positional parameter. Throws an `Error` whose message says what was expected. */
export type Decoder<value> = (input: unknown) => value

/** The values that a tuple of decoders returns. */
type Decoded<decoders extends readonly Decoder<unknown>[]> = {
  readonly [key in keyof decoders]: ReturnType<decoders[key]>
}

/**
 * Defines a method for the option `methods` of `createGateway`.
 *
 * @example
 * const my_echo = defineMethod({ params: [String], summary: 'Returns its parameter', handler: (_, [text]) => text })
 */
export function defineMethod<const decoders extends readonly Decoder<unknown>[], result>(method: {
  params: decoders
  handler: (context: MethodContext, params: Decoded<decoders>) => Promise<result> | result
  /** One line for the OpenRPC document. */
  summary: string
  /** Schema of the result, for the OpenRPC document. */
  result?: JsonSchema
  /** Only offered on the full view, not on `/solidity`. @default false */
  fullOnly?: boolean
}): Method {
  return defineAnyMethod(method)
}

/** Creates a gateway in this process. It serves nothing until `start`. @throws ConfigError naming the option that is wrong */
export function createGateway(options: createGateway.Options): Gateway {
  const { transport, ...rest } = options
  const own = transport && { own: { transport } }
  return createWholeGateway({ ...rest, ...own } as createWholeGateway.Options)
}

export declare namespace createGateway {
  type Options = {
    /** Settings that differ from the defaults. `upstream` is required unless a transport is given. */
    config: Partial<Config>
    /** Private keys of managed accounts, hex. */
    keys?: readonly PrivateKey[]
    /** A logger of pino, for example. @default silent */
    log?: Log
    /** More methods, by wire name; they replace those of the same name. */
    methods?: Readonly<Record<string, Method>>
    /** Routes on the same port: an application of Hono. */
    routes?: Routes
    /** Creates spans for calls. @default none */
    tracer?: Tracer
    /** The transport to the node. @default sockets to the nodes of `config` */
    transport?: NativeTransport
  }
}
