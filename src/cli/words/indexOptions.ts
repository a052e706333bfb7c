import { originOf, upstreamsOf } from '../../config/upstreamList.ts'
import type { Engine } from '../../logIndex/engine/engine.ts'
import type { Facts } from '../../logIndex/store/facts.ts'
import type { NativeClient } from '../../native/client.ts'
import { NodeUnreachableError } from '../../native/errors.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import { CommandError, EXIT, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import { configOf } from './configOptions.ts'

/** Options of all subcommands of `ethgate index`. */
export type IndexOptions = { index?: string; json?: boolean; table?: boolean }

/** Options of the subcommands that call a node. */
export type NodeOptions = {
  upstream?: string
  upstreamGrpc?: string
  upstreamSolidity?: string
  upstreamHeader?: string
}

/** Uses an index that exists, and closes it. @throws CommandError */
export async function withIndex<value>(
  io: Io,
  options: IndexOptions,
  use: (engine: Engine) => Promise<value>,
): Promise<value> {
  const { openEngine } = await import('../../logIndex/engine/open.ts')
  const address = indexAddress(io, options)
  const engine = await openEngine(address, { mustExist: true }).catch((error: unknown) => {
    throw new CommandError((error as Error).message, { cause: error })
  })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** The place of an index. @throws CommandError (usage) */
export function indexAddress(io: Io, { index }: IndexOptions): string {
  const address = index ?? io.env['ETHGATE_INDEX']
  if (!address)
    throw usageError('the index is missing: give --index with a directory or postgres://…')
  return address
}

/** The metadata of an index. @throws CommandError when it is empty */
export async function requireFacts(engine: Engine): Promise<Facts> {
  const { readFacts } = await import('../../logIndex/store/facts.ts')
  const facts = await readFacts(engine)
  if (!facts) throw new CommandError('the index is empty: fill it with "ethgate index --from 0"')
  return facts
}

/** The own JSON-RPC of the node that the options name. @throws CommandError (usage) */
export async function openNodeRpc(
  { env }: Io,
  { upstream, upstreamHeader, upstreamRpc }: NodeOptions & { upstreamRpc?: string },
): Promise<NodeRpc> {
  const [node] = upstreamsOf(configOf({ upstream, upstreamHeader, upstreamRpc }, env))
  if (node?.rpc === undefined)
    throw usageError('the node’s own JSON-RPC is missing: give --upstream-rpc URL')
  const { createNodeRpc } = await import('../../native/transport/nodeRpc.ts')
  const { headers, rpc: url, timeout } = node
  const rpc = createNodeRpc({ headers, timeout, url })
  return {
    ...rpc,
    call: (...given) =>
      rpc.call(...given).catch((error: unknown) => {
        throw withAddress(error, { '--upstream-rpc': url })
      }),
  }
}

/** Uses a client of the node that the options name, and closes it. @throws CommandError (usage) */
export async function withNode<value>(
  { env }: Io,
  options: NodeOptions,
  sockets: number,
  use: (native: NativeClient) => Promise<value>,
): Promise<value> {
  const { upstream, upstreamGrpc, upstreamHeader, upstreamSolidity } = options
  const flags = { upstream, upstreamGrpc, upstreamHeader, upstreamSolidity }
  const [node] = upstreamsOf(configOf(flags, env))
  if (!node)
    throw usageError('the node is missing: give --upstream URL, such as http://127.0.0.1:8090')
  const [{ createNodeClient }, { withGrpc }, { createHttpTransport }] = await Promise.all([
    import('../../native/client.ts'),
    import('../../native/grpc/withGrpc.ts'),
    import('../../native/transport/transport.ts'),
  ])
  const http = createHttpTransport({
    headers: node.headers,
    sockets,
    timeout: node.timeout,
    upstream: node.wallet,
    upstreamSolidity: node.solidity,
  })
  const native = createNodeClient({
    transport: withGrpc(http, { ...node, address: node.grpc, isGuess: node.isGrpcGuessed }),
  })
  try {
    return await use(native)
  } catch (error) {
    throw withAddress(error, {
      '--upstream': node.wallet,
      '--upstream-solidity': node.solidity,
    })
  } finally {
    await native.close()
  }
}

/** The same error; that of a node which cannot be reached names its address and the option. */
function withAddress(error: unknown, addresses: Record<string, string>): unknown {
  if (!(error instanceof NodeUnreachableError)) return error
  const origins = new Map<string, string>()
  for (const [option, address] of Object.entries(addresses))
    if (!origins.has(originOf(address))) origins.set(originOf(address), option)
  const names = [...origins].map(([origin, option]) => `${origin} (${option})`)
  return new CommandError(
    `cannot reach ${names.join(' or ')}; check that the node is running and that the address is right`,
    { cause: error, exitCode: EXIT.unreachable },
  )
}
