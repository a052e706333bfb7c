import { randomBytes } from 'node:crypto'

import type { Hex } from 'viem'

import { createDevChain } from '../../src/devchain/devChain.ts'
import { addressFromKey, createNativeClient, signTransaction } from '../../src/sdk/client.ts'
import { startGateway, realNode } from '../support/gateway.ts'
import { keys as recorded } from '../support/recordedChain.ts'

/** A chain that makes blocks, a gateway in front of it that manages the keys of bob and dave, and accounts with coins. */
export type Scene = {
  chainId: number
  keys: Record<'alice' | 'bob' | 'carol' | 'dave' | 'rich', Hex>
  /** The node's HTTP API. */
  node: string
  /** The gateway. */
  url: string
  stop(): Promise<void>
}

/** Address of a node that makes blocks and on which the accounts of `recordedChain.ts` hold coins. */
export const producing = process.env['NATIVE_PRODUCING_URL']

/** Why tests on a node are skipped. */
export const skipReason =
  'skipped: NATIVE_PRODUCING_URL does not name a node that makes blocks (its HTTP API, such as http://127.0.0.1:8490)'

/** A chain in this process; blocks come by time, so that transactions are pending for a while. */
export async function openDevScene(): Promise<Scene> {
  const chain = await createDevChain({
    accounts: { balance: 20_000_000_000n },
    mining: { blockTime: 250 },
  })
  chain.automine = false
  await chain.start()
  const [rich, alice, bob, carol, dave] = chain.accounts.map(({ key }): Hex => `0x${key}`) as [
    Hex,
    Hex,
    Hex,
    Hex,
    Hex,
  ]
  const { close, gateway, url } = await startGateway({
    keys: [bob, dave],
    routes: chain.app,
    transport: chain.transport,
  })
  const { chainId, head } = await gateway.ready
  chain.onBlock(() => head.pollNow())
  return {
    chainId,
    keys: { alice, bob, carol, dave, rich },
    node: url,
    url,
    async stop() {
      await close()
      await chain.close()
    },
  }
}

/** The node that `NATIVE_PRODUCING_URL` names. It serves its solidified state on the next port. */
export async function openProducingScene(): Promise<Scene> {
  const upstream = producing ?? ''
  const key = (name: keyof Scene['keys']): Hex => `0x${recorded[name].pk}`
  const { close, gateway, url } = await startGateway({
    config: { dataDir: 'none', ...realNode(upstream) },
    keys: [key('bob'), key('dave')],
  })
  const { chainId } = await gateway.ready
  return {
    chainId,
    keys: {
      alice: key('alice'),
      bob: key('bob'),
      carol: key('carol'),
      dave: key('dave'),
      rich: key('rich'),
    },
    node: upstream,
    url,
    stop: close,
  }
}

/** The chains of the sending tests: a chain in this process, and a node if one is configured. */
export const scenes = [
  ['the development chain', openDevScene],
  ...(producing ? [['a producing node', openProducingScene] as const] : []),
] as const

/** Calls a JSON-RPC method: the result, or `{ error }`. */
export async function callRpc(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { error, result } = (await response.json()) as { error?: unknown; result?: unknown }
  return error ? { error } : result
}

/** A new account with coins. `amount` is in sun. */
export async function fundedKey({ keys, node }: Scene, amount: bigint): Promise<Hex> {
  const key: Hex = `0x${randomBytes(32).toString('hex')}`
  const client = createNativeClient(node)
  const unsigned = await client.wallet.createTransaction({
    owner_address: addressFromKey(keys.rich),
    to_address: addressFromKey(key),
    amount,
  })
  await client.waitForTransaction(await client.send(signTransaction(unsigned, keys.rich)))
  return key
}
