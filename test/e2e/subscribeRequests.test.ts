import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { RpcHeader, RpcLog } from '../../src/codec/types.ts'
import { createScriptedChain, type ScriptedChain } from '../support/chain.ts'
import type { openSocket } from '../support/client.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const address = `0x${'33'.repeat(20)}`
const topic = `0x${'aa'.repeat(32)}`
const log = { address: address.slice(2), topics: [topic.slice(2)] }

/** The parameters of `eth_subscribe` as these clients put them on the wire, for one contract and event. */
const logRequests: Record<string, unknown[]> = {
  'cast logs --subscribe': [
    'logs',
    { fromBlock: 'earliest', toBlock: 'latest', address, topics: [topic] },
  ],
  'cast logs --subscribe without a filter': [
    'logs',
    { fromBlock: 'earliest', toBlock: 'latest', topics: [] },
  ],
  'go-ethereum ethclient': [
    'logs',
    { address: [address], fromBlock: '0x0', toBlock: 'latest', topics: [[topic]] },
  ],
  'go-ethereum ethclient without a filter': [
    'logs',
    { address: null, fromBlock: '0x0', toBlock: 'latest', topics: null },
  ],
  web3j: ['logs', { address: [address], topics: [topic] }],
  'web3j without a filter': ['logs', {}],
  'web3.py': ['logs', { address, topics: [topic] }],
  'web3.py with a range': [
    'logs',
    { address, fromBlock: '0x0', toBlock: 'latest', topics: [topic] },
  ],
  'ethers 6': ['logs', { address, topics: [topic] }],
  'ethers 6 with alternatives': ['logs', { topics: [[topic]] }],
  viem: ['logs', { address, topics: [topic] }],
  'viem without an event': ['logs', { topics: [] }],
  'web3.js': ['logs', { address, topics: [topic] }],
  'web3.js with the options of the caller': [
    'logs',
    { fromBlock: '0x0', address, topics: [topic] },
  ],
  'web3.js without options': ['logs', {}],
}

const headRequests: Record<string, unknown[]> = {
  'cast, ethclient, ethers, viem, web3.js, web3.py': ['newHeads'],
  web3j: ['newHeads'],
  'an empty object': ['newHeads', {}],
  null: ['newHeads', null],
}

const pendingRequests: Record<string, unknown[]> = {
  'ethclient, ethers, viem, web3.js': ['newPendingTransactions'],
  'web3.py, gethclient': ['newPendingTransactions', false],
}

let chain: ScriptedChain
let gateway: TestGateway
let socket: Awaited<ReturnType<typeof openSocket>>

beforeEach(async () => {
  chain = createScriptedChain()
  for (let count = 0; count < 3; count++) chain.mine({ logs: [[log]] })
  chain.solidify(2)
  gateway = await startGateway({ chain })
  socket = await gateway.socket()
})
afterEach(() => gateway.close())

const subscribe = (params: unknown[]) => socket.rpc<string>('eth_subscribe', ...params)
const soon = (check: () => void) => until(check)

describe('the literal requests of clients', () => {
  test('args: logs delivers only logs of new blocks', async () => {
    const ids = new Map<string, string>()
    for (const [client, params] of Object.entries(logRequests))
      ids.set(client, await subscribe(params))
    const blocks = [chain.mine({ logs: [[log]] }), chain.mine({ logs: [[log]] })]
    const expected = blocks.map(({ hash }) => hash)
    const seen = () =>
      [...ids].map(([client, id]) => [client, socket.of<RpcLog>(id).map((one) => one.blockHash)])
    await soon(() => expect(seen()).toEqual([...ids.keys()].map((client) => [client, expected])))
  })

  test('args: newHeads delivers new heads', async () => {
    const ids = await Promise.all(Object.values(headRequests).map(subscribe))
    const { hash } = chain.mine()
    const seen = () => ids.map((id) => socket.of<RpcHeader>(id).map((head) => head.hash))
    await soon(() => expect(seen()).toEqual(ids.map(() => [hash])))
  })

  test('args: newPendingTransactions delivers hashes', async () => {
    const ids = await Promise.all(Object.values(pendingRequests).map(subscribe))
    chain.pending.push('01'.repeat(32))
    await soon(() =>
      expect(ids.map((id) => socket.of(id))).toEqual(ids.map(() => [`0x${'01'.repeat(32)}`])),
    )
  })

  test('args: syncing and unsubscribing', async () => {
    const id = await subscribe(['syncing'])
    expect(id).toMatch(/^0x[1-9a-f]/)
    expect(await socket.rpc('eth_unsubscribe', id)).toBe(true)
  })
})
