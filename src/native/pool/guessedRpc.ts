import type { NativeClient } from '../client.ts'
import { NodeRpcError } from '../errors.ts'
import { createNodeRpc, type NodeRpc } from '../transport/nodeRpc.ts'
import type { Upstream } from '../upstream.ts'

/** Whether the JSON-RPC at the guessed address of a node is the node's own. */
export async function isRpcOf(
  { headers, rpc: url = '', timeout }: Upstream,
  native: Pick<NativeClient, 'wallet'>,
): Promise<boolean> {
  const rpc = createNodeRpc({ headers, sockets: 1, timeout, url })
  try {
    return await agreesWith(rpc, native)
  } finally {
    await rpc.close()
  }
}

/**
 * Whether a JSON-RPC has the chain id, block 0 and the newest block of a node, and is not a gateway: one listens on the usual port of a
 * node's JSON-RPC, and asks it for what it does not know itself.
 */
export async function agreesWith(
  rpc: Pick<NodeRpc, 'call'>,
  native: Pick<NativeClient, 'wallet'>,
): Promise<boolean> {
  const hashAt = async (number: number) => {
    const block = await rpc.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
    return (block as { hash?: unknown } | null)?.hash
  }
  try {
    // A gateway answers this. A node of 4.8.0 has an error instead of an answer on Java 17.
    const version = await rpc.call('web3_clientVersion', []).catch((error: unknown) => {
      if (!(error instanceof NodeRpcError)) throw error
    })
    if (/^(ethgate|anvil)/i.test(String(version))) return false
    const [first, newest] = await Promise.all([
      native.wallet.getBlock({ id_or_num: '0' }),
      native.wallet.getBlock({}),
    ])
    if (!first || !newest) return false
    const { number = 0 } = newest.block_header.raw_data
    return (
      Number(await rpc.call('eth_chainId', [])) === Number.parseInt(first.blockID.slice(-8), 16) &&
      (await hashAt(0)) === `0x${first.blockID}` &&
      (await hashAt(number)) === `0x${newest.blockID}`
    )
  } catch {
    return false
  }
}
