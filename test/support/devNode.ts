import { afterAll, beforeAll } from 'vitest'

import { signHash } from '../../src/native/protobuf/signature.ts'
import type { Transaction } from '../../src/native/wire/types.ts'
import { type DevGateway, startDevGateway } from './devGateway.ts'
import { startGateway } from './gateway.ts'

/** A gateway over sockets in front of a dev chain, as in front of a real node. */
export type DevNode = {
  dev: DevGateway
  /** Ethereum address of a funded account. */
  accountOf(index: number): `0x${string}`
  /** @throws Error with the code and message of the answer */
  rpc(method: string, ...params: unknown[]): Promise<unknown>
  /** Signs a native transaction with the key of a funded account and broadcasts it. */
  broadcast(transaction: Transaction, index: number): Promise<void>
  close(): Promise<void>
}

/** A node for all tests of a file that mines only on request, so that transactions stay in its mempool. */
export function useManualDevNode(): { readonly node: DevNode } {
  let node: DevNode
  beforeAll(async () => {
    node = await startDevNode()
    await node.dev.rpc('evm_setAutomine', false)
  })
  afterAll(() => node.close())
  return {
    get node() {
      return node
    },
  }
}

/** Starts a node. By default it makes a block for each transaction. */
export async function startDevNode(): Promise<DevNode> {
  const dev = await startDevGateway()
  const gateway = await startGateway({ config: { upstream: dev.url } })
  const account = (index: number) => {
    const found = dev.chain.accounts[index]
    if (!found) throw new Error(`there is no account ${index}`)
    return found
  }
  return {
    dev,
    accountOf: (index) => `0x${account(index).address.slice(2)}`,
    rpc: (method, ...params) => gateway.rpc(method, ...params),
    async broadcast(transaction, index) {
      const signature = [signHash(transaction.txID, account(index).key)]
      const answer = await dev.native('/wallet/broadcasttransaction', { ...transaction, signature })
      if (answer['result'] !== true) throw new Error(JSON.stringify(answer))
    },
    async close() {
      await gateway.close()
      await dev.close()
    },
  }
}
