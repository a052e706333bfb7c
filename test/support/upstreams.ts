import { expect } from 'vitest'

import type { Call } from '../../src/lib/call.ts'
import { createNodeClient, type NativeClient } from '../../src/native/client.ts'
import { createUpstreamPool, type UpstreamPool } from '../../src/native/pool/pool.ts'
import type { Upstream } from '../../src/native/upstream.ts'
import { atEnd } from './atEnd.ts'
import { createScriptedChain, type ScriptedChain } from './chain.ts'
import { type FaultProxy, type ProxyTarget, startFaultProxy } from './faultProxy.ts'
import { until } from './until.ts'

/**
 * Milliseconds that a node has for an answer, and for that of a probe. They are many, because the node, its proxy and the gateway
 * share one event loop, which may not run for a second on a busy machine. Tests of nodes that hang take less.
 */
const PATIENCE = 20_000
const PROBE_PATIENCE = 5_000

/** Several nodes of one chain, each behind a proxy with faults, and a pool in front of them. */
export type TestPool = {
  chain: ScriptedChain
  native: NativeClient
  nodes: FaultProxy[]
  pool: UpstreamPool
  /** Log messages, in order. */
  log: string[]
  /** The state of the n-th node in the pool. */
  state(index: number): string
}

/** Starts `count` nodes, named a, b, c, and waits until all are in use. All end with the test. */
export async function startTestPool({
  chain = createScriptedChain(),
  count = 2,
  upstreams = {},
  ...options
}: startTestPool.Options = {}): Promise<TestPool> {
  for (let block = chain.head().number; block < 30; block++) chain.mine({ logs: [[]] })
  chain.solidify(chain.head().number - 2)
  const nodes = await Promise.all(
    Array.from({ length: count }, () => startFaultProxy(targetOf(chain))),
  )
  const log: string[] = []
  const note = (_: object, message: string) => void log.push(message)
  const pool = createUpstreamPool({
    log: { info: note, warn: note },
    timeout: PATIENCE,
    timing: { probe: 100, probeTimeout: PROBE_PATIENCE, ramp: 100, rest: 20, troubledProbe: 20 },
    upstreams: nodes.map(({ url }, index) => upstreamAt(url, 'abc'[index], upstreams)),
    ...options,
  })
  const native = createNodeClient({ transport: pool })
  atEnd(async () => {
    await native.close()
    await Promise.all(nodes.map((node) => node.close()))
  })
  // On a busy machine the first probe may have failed.
  await until(() => expect(pool.status().every(({ state }) => state === 'healthy')).toBe(true))
  return { chain, log, native, nodes, pool, state: (index) => pool.status()[index]?.state ?? '' }
}

export declare namespace startTestPool {
  type Options = Partial<Omit<createUpstreamPool.Options, 'upstreams'>> & {
    chain?: ScriptedChain
    /** @default 2 */
    count?: number
    /** Settings of each node that differ from the defaults. */
    upstreams?: Partial<Upstream>
  }
}

/** 21 bytes of an account, and of a contract that answers every call. */
export const ACCOUNT = `41${'22'.repeat(20)}`

let salt = 0

/** A contract call with unique data, so that no cache and no call in flight answers it. */
export function readState({ native }: TestPool, call?: Call) {
  const data = (salt++).toString(16).padStart(8, '0')
  const request = { owner_address: ACCOUNT, contract_address: ACCOUNT, data }
  return native.wallet.triggerConstantContract(request, call)
}

/** Waits until the n-th node has a state. */
export async function stateIs(pool: TestPool, index: number, state: string): Promise<void> {
  await until(() => expect(pool.state(index)).toBe(state))
}

/** A node at an address. */
export function upstreamAt(url: string, name = 'a', more: Partial<Upstream> = {}): Upstream {
  return {
    concurrency: 40,
    headers: {},
    name,
    rate: 'unlimited',
    solidity: url,
    tier: 0,
    timeout: PATIENCE,
    wallet: url,
    weight: 1,
    ...more,
  }
}

/** A scripted chain as the target of a proxy. */
export function targetOf(chain: ScriptedChain): ProxyTarget {
  return async ({ body, path }) =>
    chain.transport.send(path as '/wallet/x', body, { idempotent: true })
}

/**
 * A chain with the same blocks as every other scripted chain below a height, and other blocks from there on.
 *
 * @param options.to - its newest block.
 * @param options.solid - its solidified block. @default 0
 */
export function createForkedChain({
  from,
  solid = 0,
  to,
}: {
  from: number
  to: number
  solid?: number
}): ScriptedChain {
  const fork = createScriptedChain()
  for (let block = 0; block < from; block++) fork.mine()
  // The ids depend on the number of blocks that were made, so a block that is made again has another id.
  fork.reorg(
    1,
    Array.from({ length: to - from + 1 }, () => ({})),
  )
  fork.solidify(solid)
  return fork
}
