import type { Config } from '../config/config.ts'
import type { WorkerState } from '../http/health.ts'
import type { Artifacts } from '../http/page/reads/source.ts'
import type { DevAccount } from '../http/page/views/connect.tsx'
import type { HeldBytes } from '../lib/heldBytes.ts'
import type { PrivateKey } from '../native/protobuf/signature.ts'
import type { NativeTransport } from '../native/transport/transport.ts'
import type { Upstream } from '../native/upstream.ts'
import type { TransactionInfo } from '../native/wire/types.ts'
import type { Simulator } from '../rpc/execution/simulated.ts'
import type { Tracer } from '../rpc/explain/tracer.ts'
import type { AroundCall } from '../rpc/jsonrpc/call.ts'
import type { AnyMethod } from '../rpc/method.ts'
import type { Log } from './log.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { LocalChain } from './parts/views.ts'

/** What `createGateway` takes. */
export type GatewayOptions = {
  /** Settings that differ from the defaults. `upstream` is required unless a transport is given. */
  config: Partial<Config>
  /** What the program around the gateway brings. */
  host?: GatewayHost
  /** Private keys of managed accounts, hex. */
  keys?: readonly PrivateKey[]
  /** @default silent */
  log?: Log
  /** More methods, by wire name; they replace those of the same name. */
  methods?: Record<string, AnyMethod>
  /** A chain in this process. @default the nodes of `config` */
  own?: GatewayChain
  /** Routes on the same port: an application of Hono. */
  routes?: Routes
  /** Creates spans for calls. @default none */
  tracer?: Tracer | undefined
}

/** What the program around a gateway brings: a command, or a development chain. */
type GatewayHost = {
  /** Wraps every JSON-RPC call, to observe it. */
  around?: AroundCall | undefined
  /** Names and ABIs of contracts by their code, for the page. */
  artifacts?: Artifacts | undefined
  /** Creates what simulates calls, for `--simulate`. @param node - the node to use now */
  createSimulator?:
    | ((options: SimulatorOptions) => Simulator & { stop(): Promise<void> })
    | undefined
  /** Called with each JSON-RPC method that does not exist. */
  onUnknown?: ((method: string) => void) | undefined
  /** Problems outside the gateway, for `/health`. Undefined entries are ignored. */
  problems?: () => (string | undefined)[]
  /** More paths of JSON-RPC, with the methods that differ from those at `/`. */
  rpcPaths?: Readonly<Record<string, Record<string, AnyMethod>>>
  /** The other workers of this process's primary process. @default this process is no worker */
  workers?: Workers | undefined
}

/** A chain in this process, and what it answers in place of its node interface. */
type GatewayChain = Omit<LocalChain, 'isInProcess'> & {
  /** Funded accounts with public keys; the page of a development chain shows them. */
  accounts?: readonly DevAccount[] | undefined
  /** Its head is followed even to a lower block. @default whether a transport is given */
  isInProcess?: boolean
  /** Decimals of the coin on this chain. With 18, amounts need no other unit on `/wei`. @default 6 */
  coinDecimals?: 6 | 18
  /** Why a transaction failed, for the page. @default the text of the node */
  failureOf?: ((info: TransactionInfo) => string) | undefined
  /** The transport to the node. @default sockets to the nodes of `config` */
  transport?: NativeTransport
}

/** The shape of `Hono`. The class itself differs between copies of the package. */
export type Routes = {
  fetch(request: Request): Response | Promise<Response>
  readonly routes: readonly { readonly method: string; readonly path: string }[]
}

/** The workers of a machine, one of which is this process. */
export type Workers = {
  /** The part of the rates of nodes that this worker may use now. */
  share(): number
  /** Says how to read which part of its share this worker used in the last second, from 0 to 1. */
  onBeat(used: () => number): void
  states(): WorkerState[]
  /** The metrics of all workers, in the text format of Prometheus. */
  metrics(): Promise<string>
  /** Says how the metrics of this worker are read. */
  onCollect(collect: () => Promise<WorkerMetrics>): void
}

/** What a simulator gets of the gateway. */
type SimulatorOptions = {
  feeSignal: Config['feeSignal']
  /** The bytes that are held for clients. */
  held: HeldBytes
  log: Log
  /** The best node that has a JSON-RPC; undefined while none is usable. */
  node: () => Upstream | undefined
  /** Most bytes of a result. */
  responseLimit: number
}
