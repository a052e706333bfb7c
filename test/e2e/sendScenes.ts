import type { Hex } from 'viem'

import { createDevChain } from '../../src/devchain/devChain.ts'
import { createGateway } from '../../src/gateway.ts'
import { keys as recorded } from '../recordedChain.ts'

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

/** A chain in this process; a block twice a second, so that transactions are pending for a while. */
export async function openDevScene(): Promise<Scene> {
  const chain = await createDevChain({ balance: 20_000_000_000n, blockTime: 500 })
  chain.automine = false
  await chain.start()
  const [rich, alice, bob, carol, dave] = chain.accounts.map(({ key }): Hex => `0x${key}`) as [
    Hex,
    Hex,
    Hex,
    Hex,
    Hex,
  ]
  const gateway = createGateway({
    config: { port: 0 },
    keys: [bob, dave],
    routes: chain.app,
    transport: chain.transport,
  })
  const { url } = await gateway.start()
  const { chainId, head } = await gateway.ready
  chain.onBlock(() => head.poke())
  return {
    chainId,
    keys: { alice, bob, carol, dave, rich },
    node: url,
    url,
    async stop() {
      await gateway.stop()
      await chain.close()
    },
  }
}

/** The node that `NATIVE_PRODUCING_URL` names. It serves its solidified state on the next port. */
export async function openProducingScene(): Promise<Scene> {
  const upstream = producing ?? ''
  const solidity = new URL(upstream)
  solidity.port = String(Number(solidity.port) + 1)
  const key = (name: keyof Scene['keys']): Hex => `0x${recorded[name].pk}`
  const gateway = createGateway({
    config: { port: 0, upstream, upstreamSolidity: solidity.origin },
    keys: [key('bob'), key('dave')],
  })
  const { url } = await gateway.start()
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
    stop: () => gateway.stop(),
  }
}
