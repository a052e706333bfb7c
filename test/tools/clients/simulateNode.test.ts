import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { createConfig, http as wagmiHttp } from '@wagmi/core'
import { call, estimateGas, simulateContract } from '@wagmi/core/actions'
import { JsonRpcProvider } from 'ethers'
import { createPublicClient, encodeFunctionData, http } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createSimulator } from '../../../src/devchain/simulator/simulator.ts'
import { realNode, startGateway, type TestGateway } from '../../support/gateway.ts'
import { hasNodeScript, nodeScript } from '../../support/nodeScript.ts'
import { compareCalls, randomCalls, randomOf } from '../../support/randomCalls.ts'
import { artifacts, CHAIN, keys, labels } from '../../support/recordedChain.ts'

// Ports are 8090 + offset: nodes of other tests have other offsets.
const OFFSET = 460

const run = promisify(execFile)

/** The folder that `cast` is installed in. */
const CAST = fileURLToPath(new URL('../cast', import.meta.url))

const at = (name: 'Kitchen' | 'Token') => `0x${labels.contracts[name].address.slice(2)}` as const

/** Number of calls; more with `RANDOM_CALLS`. */
const COUNT = Number(process.env['RANDOM_CALLS'] ?? 400)

const CHAINS = [
  ['the long chain', ['--long']],
  ['a chain that produces blocks', ['--produce']],
] as const

/** The first simulation starts a thread, which takes long on a busy machine. */
const PATIENT = { timeout: 60_000 }

describe.skipIf(!hasNodeScript).each(CHAINS)('in front of %s', (_, options) => {
  const node = (verb: string, given: readonly string[] = []) =>
    nodeScript(verb, '--offset', String(OFFSET), '--unlimited', ...given)
  let gateway: TestGateway

  beforeAll(async () => {
    await node('start', options)
    gateway = await startGateway({
      config: {
        simulate: 'on',
        ...realNode(`http://127.0.0.1:${8090 + OFFSET}`),
        upstreamRpc: `http://127.0.0.1:${8545 + OFFSET}/jsonrpc`,
      },
      host: { createSimulator },
    })
  }, 300_000)
  afterAll(async () => {
    await gateway.close()
    await node('stop', options)
  }, 60_000)

  test('default: viem and ethers simulate unchanged', async () => {
    const client = createPublicClient({ transport: http(gateway.url, PATIENT) })
    const to = at('Kitchen')
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

  test('default: wagmi simulates unchanged', async () => {
    const { chainId: id } = CHAIN
    const config = createConfig({
      chains: [
        {
          id,
          name: 'recorded',
          nativeCurrency: { decimals: 6, name: 'coin', symbol: 'COIN' },
          rpcUrls: { default: { http: [gateway.url] } },
        },
      ],
      transports: { [id]: wagmiHttp(gateway.url, PATIENT) },
    })
    const who = `0x${'ab'.repeat(20)}` as const
    const { abi } = artifacts.Kitchen
    const data = encodeFunctionData({ abi, functionName: 'bal', args: [who] })
    const stateOverride = [{ address: who, balance: 123n }]
    const called = await call(config, { to: at('Kitchen'), data, stateOverride })
    expect(BigInt(called.data ?? '0x')).toBe(123n)
    const bal = {
      abi,
      address: at('Kitchen'),
      functionName: 'bal',
      args: [who],
      account: keys.bob.eth,
    } as const
    expect((await simulateContract(config, { ...bal, stateOverride })).result).toBe(123n)
    const transfer = encodeFunctionData({
      abi: artifacts.Token.abi,
      functionName: 'transfer',
      args: [keys.dave.eth, 0n],
    })
    const request = { account: keys.bob.eth, to: at('Token'), data: transfer }
    expect(await estimateGas(config, request)).toBeGreaterThan(1_000n)
  })

  test('default: cast simulates unchanged', { timeout: 300_000 }, async () => {
    if (!existsSync(`${CAST}/node_modules/.bin/cast`))
      await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: CAST })
    const cast = (...words: string[]) =>
      run(`${CAST}/node_modules/.bin/cast`, [...words, '--rpc-url', gateway.url])
    const printed = async (...words: string[]) => (await cast(...words)).stdout
    const who = `0x${'ab'.repeat(20)}`
    const [kitchen, token, from] = [at('Kitchen'), at('Token'), keys.bob.eth]
    const own = ['call', who, 'x()(uint256)', '--override-code']
    // Code that returns the value of one operation.
    const returned = (code: string) => `${who}:0x${code}60005260206000f3`
    const time = [...own, returned('42'), '--block.time', '2000000000']
    const slot = ['call', kitchen, 'n()(uint256)', '--override-state', `${kitchen}:0:77`]
    const balance = ['call', kitchen, 'bal(address)(uint256)', who, '--override-balance']
    expect({
      balance: await printed(...balance, `${who}:123`),
      number: await printed(...own, returned('43'), '--block.number', '5000'),
      slot: await printed(...slot),
      time: await printed(...time),
    }).toEqual({
      balance: '123\n',
      number: '5000\n',
      slot: '77\n',
      time: '2000000000 [2e9]\n',
    })
    const read = ['balanceOf(address)', from]
    expect(await printed('call', token, ...read, '--trace')).toContain('Transaction successfully')
    expect(Number(await printed('estimate', token, ...read, '--from', from))).toBeGreaterThan(400)
    expect(await printed('access-list', token, ...read)).toMatch(/keys:\s+0x[0-9a-f]{64}/)
    // It runs the transaction itself, on the state before it, which no node has.
    const { stderr } = await cast('run', '--quick', `0x${labels.contracts.Token.tx}`)
    expect(stderr).toMatch(/historical state of (?:block \d+|transaction counts) is not available/)
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
