import { createNodeClient } from '../../native/client.ts'
import { diagnose, type Finding } from '../../native/diagnose.ts'
import { GENESIS } from '../../native/grpc/calls.ts'
import { createGrpcChannel } from '../../native/grpc/channel.ts'
import type { MemberStatus } from '../../native/pool/memberStatus.ts'
import { createUpstreamPool } from '../../native/pool/pool.ts'
import { createNodeRpc } from '../../native/transport/nodeRpc.ts'
import { createHttpTransport } from '../../native/transport/transport.ts'
import type { Upstream } from '../../native/upstream.ts'

/** Calls to each node, to measure its latency. */
const CALLS = 25

/** Checks one node. Faults of the node are findings. */
export async function examine({
  grpc,
  headers,
  isGrpcGuessed,
  isRpcGuessed,
  rpc: rpcUrl,
  solidity,
  timeout,
  wallet,
}: Upstream): Promise<Finding[]> {
  const transport = createHttpTransport({
    headers,
    timeout,
    upstream: wallet,
    upstreamSolidity: solidity,
  })
  const native = createNodeClient({ transport })
  const rpc = rpcUrl === undefined ? undefined : createNodeRpc({ headers, timeout, url: rpcUrl })
  const channel = grpc === undefined ? undefined : createGrpcChannel({ address: grpc, headers })
  const grpcGenesis =
    channel &&
    (async () => GENESIS.read(await channel.unary(GENESIS.method, GENESIS.message, { timeout })))
  try {
    return await diagnose(native, { grpcGenesis, isGrpcGuessed, isRpcGuessed, rpc })
  } finally {
    channel?.close()
    await native.close()
    await rpc?.close()
  }
}

/** The states of these nodes, as a gateway in front of them determines them. */
export async function statesOf(upstreams: readonly Upstream[]): Promise<MemberStatus[]> {
  const pool = createUpstreamPool({ upstreams })
  try {
    // The pool answers once it has probed each node. The answers do not matter.
    for (let call = 0; call < CALLS * upstreams.length; call++)
      await pool
        .send('/wallet/getnextmaintenancetime', undefined, { idempotent: true })
        .catch(() => {})
    return pool.status()
  } finally {
    await pool.close()
  }
}
