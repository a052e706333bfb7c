import type { Engine } from '../../logIndex/engine/engine.ts'
import type { Facts } from '../../logIndex/store/facts.ts'
import type { NativeClient } from '../../native/client.ts'
import type { withGrpc as WithGrpc } from '../../native/grpc/withGrpc.ts'
import { CommandError, usageError } from './errors.ts'
import type { Io } from './io.ts'

/** Options of all subcommands of `ethgate index`. */
export type IndexOptions = { index?: string; json?: boolean; table?: boolean }

/** Options of the subcommands that call a node. */
export type NodeOptions = {
  upstream?: string
  upstreamGrpc?: string
  upstreamSolidity?: string
  upstreamHeader?: string
}

/** Opens an index that exists. @throws CommandError */
export async function openIndex(io: Io, options: IndexOptions): Promise<Engine> {
  const { openEngine } = await import('../../logIndex/engine/open.ts')
  return openEngine(indexAddress(io, options), { mustExist: true }).catch((error: unknown) => {
    throw new CommandError((error as Error).message, { cause: error })
  })
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

/** A client of the node that the options name. @throws CommandError (usage) */
export async function openNode(
  { env }: Io,
  options: NodeOptions,
  sockets: number,
  log?: WithGrpc.Options['log'],
): Promise<NativeClient> {
  const upstream = options.upstream ?? env['ETHGATE_UPSTREAM']
  if (!upstream)
    throw usageError('the node is missing: give --upstream URL, such as http://127.0.0.1:8090')
  const line = options.upstreamHeader ?? env['ETHGATE_UPSTREAM_HEADER']
  const grpc = options.upstreamGrpc ?? (env['ETHGATE_UPSTREAM_GRPC'] || undefined)
  const [
    { createNodeClient },
    { withGrpc },
    { createPoolTransport },
    { upstreamsOf },
    { grpcAddress },
    { createConfig },
  ] = await Promise.all([
    import('../../native/client.ts'),
    import('../../native/grpc/withGrpc.ts'),
    import('../../native/transport/transport.ts'),
    import('../../config/upstreamList.ts'),
    import('../../config/values.ts'),
    import('../../config/config.ts'),
  ])
  const [node] = upstreamsOf(
    createConfig({
      upstream,
      ...(options.upstreamSolidity && { upstreamSolidity: options.upstreamSolidity }),
      ...(line && { upstreamHeader: line }),
      ...(grpc && { upstreamGrpc: readAddress(grpc) }),
    }),
  )
  if (!node)
    throw usageError('the node is missing: give --upstream URL, such as http://127.0.0.1:8090')
  const http = createPoolTransport({
    headers: node.headers,
    sockets,
    timeout: node.timeout,
    upstream: node.wallet,
    upstreamSolidity: node.solidity,
  })
  return createNodeClient({ transport: withGrpc(http, { ...node, address: node.grpc, log }) })

  function readAddress(text: string): string {
    try {
      return grpcAddress(text)
    } catch (error) {
      throw usageError(`--upstream-grpc: ${(error as Error).message}`)
    }
  }
}
