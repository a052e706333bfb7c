import type { Capabilities } from '../../native/capabilities.ts'
import type { NativeClient } from '../../native/client.ts'
import { NodeAnswerError, NodeLacksApiError, NodeRefusedError } from '../../native/errors.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import { ForkError } from '../state/errors.ts'

/** The time of a kind of state: the requested block, or the time of the read. */
export type Exactness = 'block' | 'now'

/** The kinds of state that a node has at a past block. */
export type Reach = {
  balance: Exactness
  /** The state that JSON-RPC reads. It has all kinds at a past block, or none. */
  code: Exactness
  storage: Exactness | 'none'
  nonce: Exactness | 'none'
}

/** Reads of state that a node may have at a past block. Addresses are 42 hex characters. */
export type BlockReads = ReturnType<typeof createBlockReads>

/** A block by height and id. */
type BlockName = { number: number; id: string }

const SOMEBODY = `41${'0'.repeat(40)}`

const plain = (address: string) => `0x${address.slice(2)}`

/** Creates the reads at one block. They read the state that `reach` excludes at the newest block. */
export function createBlockReads(
  { native, rpc }: createBlockReads.Node,
  { id, number }: BlockName,
  reach: Reach,
) {
  const tag = (exactness: Exactness) => (exactness === 'block' ? toHex(number) : 'latest')

  return {
    /** Undefined if only the newest balance is known. */
    async balance(address: string) {
      if (reach.balance === 'now') return undefined
      if (rpc && reach.storage === 'block')
        return BigInt(await ask(rpc, 'eth_getBalance', [plain(address), toHex(number)]))
      return balanceAt(native, address, { id, number })
    },
    /** Undefined if only the newest code is known; empty if the account had no code. */
    async code(address: string) {
      if (!rpc || reach.code === 'now') return undefined
      const code = await ask(rpc, 'eth_getCode', [plain(address), toHex(number)])
      return new Uint8Array(Buffer.from(code.slice(2), 'hex'))
    },
    /** 32 bytes of hex. @throws ForkError without a JSON-RPC that reads storage */
    async storage(address: string, slot: string) {
      if (!rpc || reach.storage === 'none')
        throw new ForkError(
          'contract storage is read through the JSON-RPC of the forked node: name its address with --fork-rpc',
        )
      const params = [plain(address), `0x${slot}`, tag(reach.storage)]
      return (await ask(rpc, 'eth_getStorageAt', params)).slice(2).padStart(64, '0')
    },
    /** Undefined if the chain has no nonces. */
    async nonce(address: string) {
      if (!rpc || reach.nonce === 'none') return undefined
      return BigInt(await ask(rpc, 'eth_getTransactionCount', [plain(address), tag(reach.nonce)]))
    },
  }
}

export declare namespace createBlockReads {
  /** A node: its HTTP interface, and its JSON-RPC if it has one. */
  type Node = { native: NativeClient; rpc: NodeRpc | undefined }
}

/** Reads the balance at a block from a node that keeps the history of balances. */
export async function balanceAt(
  native: NativeClient,
  address: string,
  { id, number }: BlockName,
): Promise<bigint> {
  const { balance } = await native.wallet.getAccountBalance({
    account_identifier: { address },
    block_identifier: { hash: id, number },
  })
  return BigInt(balance)
}

/** Tests which state a node has at a past block. @throws UpstreamError when it does not answer */
export async function probeReach(
  { rpc }: Pick<createBlockReads.Node, 'rpc'>,
  number: number,
  capabilities: Capabilities,
): Promise<Reach> {
  const can = async (method: string, ...params: string[]) =>
    rpc !== undefined && (await answers(() => ask(rpc, method, [plain(SOMEBODY), ...params])))
  const at = toHex(number)
  if (await can('eth_getStorageAt', '0x0', at)) {
    const hasNonces = await can('eth_getTransactionCount', at)
    return {
      balance: (await can('eth_getBalance', at)) ? 'block' : 'now',
      code: (await can('eth_getCode', at)) ? 'block' : 'now',
      storage: 'block',
      nonce: hasNonces ? 'block' : 'none',
    }
  }
  const hasBalances = await capabilities.has('balanceHistory')
  return {
    balance: hasBalances ? 'block' : 'now',
    code: 'now',
    storage: (await can('eth_getStorageAt', '0x0', 'latest')) ? 'now' : 'none',
    nonce: (await can('eth_getTransactionCount', 'latest')) ? 'now' : 'none',
  }
}

/** Whether a node answers a request with a result. */
async function answers(question: () => Promise<unknown>): Promise<boolean> {
  try {
    await question()
    return true
  } catch (error) {
    if (
      error instanceof NodeAnswerError ||
      error instanceof NodeLacksApiError ||
      error instanceof NodeRefusedError
    )
      return false
    throw error
  }
}

async function ask(rpc: NodeRpc, method: string, params: string[]): Promise<`0x${string}`> {
  const answer = await rpc.call(method, params)
  if (typeof answer !== 'string' || !/^0x[\da-f]*$/i.test(answer))
    throw new NodeAnswerError(
      `the upstream node’s JSON-RPC returned no valid result of ${method}`,
      {
        cause: answer,
      },
    )
  return answer as `0x${string}`
}

const toHex = (number: number) => `0x${number.toString(16)}`
