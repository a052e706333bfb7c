import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { JsonRpcProvider } from 'ethers'
import { createPublicClient, encodeFunctionData, http } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createSimulator } from '../../src/devchain/simulator/simulator.ts'
import { realNode, startGateway, type TestGateway } from '../support/gateway.ts'
import { compareCalls, randomCalls, randomOf } from '../support/randomCalls.ts'
import { artifacts, labels } from '../support/recordedChain.ts'
import { explainSkip } from '../support/redis.ts'

/** The folder of `node.sh`, which starts real nodes on the recorded chain. */
const directory = process.env['NATIVE_NODE_DIR']
explainSkip(
  directory === undefined
    ? 'NATIVE_NODE_DIR does not name the folder of node.sh, which starts real nodes'
    : undefined,
)

// Ports are 8090 + offset: nodes of other tests have other offsets.
const OFFSET = 460

/** Number of calls; more with `RANDOM_CALLS`. */
const COUNT = Number(process.env['RANDOM_CALLS'] ?? 400)

const CHAINS = [
  ['the long chain', ['--long']],
  ['a chain that produces blocks', ['--produce']],
] as const

describe.skipIf(directory === undefined).each(CHAINS)('in front of %s', (_, options) => {
  const node = (verb: string, given: readonly string[] = []) =>
    promisify(execFile)(join(directory ?? '', 'node.sh'), [
      verb,
      '--offset',
      String(OFFSET),
      '--unlimited',
      ...given,
    ])
  let gateway: TestGateway

  beforeAll(async () => {
    await node('start', options)
    gateway = await startGateway({
      config: {
        simulate: 'on',
        ...realNode(`http://127.0.0.1:${8090 + OFFSET}`),
        upstreamRpc: `http://127.0.0.1:${8545 + OFFSET}/jsonrpc`,
      },
      createSimulator,
    })
  }, 300_000)
  afterAll(async () => {
    await gateway.close()
    await node('stop', options)
  }, 60_000)

  test('default: viem and ethers simulate unchanged', async () => {
    const client = createPublicClient({ transport: http(gateway.url) })
    const to = `0x${labels.contracts.Kitchen.address.slice(2)}` as const
    const who = `0x${'ab'.repeat(20)}` as const
    const { abi } = artifacts.Kitchen
    const data = encodeFunctionData({ abi, functionName: 'bal', args: [who] })
    const expected = `0x${(123).toString(16).padStart(64, '0')}`
    const stateOverride = [{ address: who, balance: 123n }]
    expect(await client.call({ to, data, stateOverride })).toEqual({ data: expected })
    const [block] = await client.simulateBlocks({
      blocks: [{ calls: [{ to, data }], stateOverrides: stateOverride }],
    })
    expect(block?.calls).toMatchObject([{ status: 'success', data: expected }])
    const { results } = await client.simulateCalls({
      calls: [{ to, abi, functionName: 'bal', args: [who] }],
    })
    const result = await client.getBalance({ address: who })
    expect(results).toMatchObject([{ status: 'success', result }])
    const { accessList } = await client.createAccessList({ to, data })
    expect(accessList).toEqual([{ address: who, storageKeys: [] }])
    const provider = new JsonRpcProvider(gateway.url, undefined, { staticNetwork: true })
    const change = { [who]: { balance: '0x7b' } }
    expect(await provider.send('eth_call', [{ to, data }, 'latest', change])).toBe(expected)
    const traced = provider.send('debug_traceCall', [
      { to, data },
      'latest',
      { tracer: 'callTracer' },
    ])
    expect(await traced).toMatchObject({ type: 'CALL', to })
    provider.destroy()
  })

  test(
    'default: random calls have the result, the revert data and the energy that the node has',
    { timeout: 60_000 + COUNT * 500 },
    async () => {
      const { contracts } = labels
      const called = [
        { name: 'Token', abi: artifacts.Token.abi },
        { name: 'Kitchen', abi: artifacts.Kitchen.abi },
        { name: 'Multicall3Lite', abi: artifacts.Multicall3Lite.abi },
        { name: 'Child payable', abi: artifacts.Child.abi },
      ] as const
      const places = called.map(({ abi, name }) => ({
        address: `0x${contracts[name].address.slice(2)}` as const,
        abi,
      }))
      const seed = Math.floor(Math.random() * 2 ** 31)
      const counts = await compareCalls(
        randomCalls(places, randomOf(seed), COUNT),
        async (path, body) => {
          const url = `http://127.0.0.1:${8090 + OFFSET}${path}`
          return (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()
        },
        (method, ...params) => gateway.gateway.request({ method, params }),
      )
      expect(counts, `seed ${seed}`).toMatchObject({
        revert: expect.any(Number),
        success: expect.any(Number),
      })
    },
  )
})
