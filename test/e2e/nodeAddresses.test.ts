import { expect, onTestFinished, test } from 'vitest'

import { startGateway } from '../support/gateway.ts'
import { startReplayNode } from '../support/node.ts'
import { until } from '../support/until.ts'

/** As a proxy passes a request on, and as a program on the machine sends it. */
const OF_STRANGER = { 'x-forwarded-for': '203.0.113.9' }
const OF_OPERATOR = {}

/** A gateway in front of two nodes that have no names. */
async function open() {
  const nodes = await Promise.all([startReplayNode(), startReplayNode()])
  for (const node of nodes) onTestFinished(() => node.close())
  const { lines, url } = await startGateway({
    config: {
      adminPort: 0,
      upstream: nodes.map((node) => node.url).join(' '),
      upstreamSolidity: nodes.map((node) => node.solidityUrl).join(' '),
    },
  })
  const adminPort = lines.find(({ msg }) => msg === 'listening for metrics and state pages')?.[
    'port'
  ] as number
  const text = async (path: string, headers: object, port?: number) => {
    const base = port === undefined ? url : `http://127.0.0.1:${port}`
    return (await fetch(base + path, { headers: { accept: 'text/html', ...headers } })).text()
  }
  const post = async (headers: object, method: string, ...params: unknown[]) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'x-ethgate-explain': '1', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return JSON.stringify([...response.headers]) + (await response.text())
  }
  const addresses = nodes.flatMap((node) => [node.url, node.solidityUrl]).map((one) => new URL(one))
  const shows = (shown: string) => addresses.some(({ host }) => shown.includes(host))
  return { adminPort, nodes, post, shows, text }
}

const EXPLAINED = ['ethgate_explain', { method: 'net_peerCount', params: [] }] as const

test('default: strangers see the states of nodes and not their addresses', async () => {
  const { adminPort, post, shows, text } = await open()
  const health = await text('/health', OF_STRANGER)
  expect(health).toContain('"name":"node 1"')
  const seen = [health, await text('/', OF_STRANGER), await post(OF_STRANGER, 'net_peerCount')]
  seen.push(await post(OF_STRANGER, ...EXPLAINED))
  expect(seen.filter(shows)).toEqual([])
  expect(seen[2]).toContain('wallet/getnodeinfo;status=200')
  const shown = [
    await text('/health', OF_OPERATOR),
    await post(OF_OPERATOR, 'net_peerCount'),
    await post(OF_OPERATOR, ...EXPLAINED),
    await text('/health', OF_STRANGER, adminPort),
    await text('/state', OF_STRANGER, adminPort),
  ]
  expect(shown.filter((one) => !shows(one))).toEqual([])
})

test('behavior: nor in the reasons and errors when the nodes fail', async () => {
  const { nodes, post, shows, text } = await open()
  await Promise.all(nodes.map((node) => node.close()))
  await until(async () => expect(await text('/health', OF_OPERATOR)).toContain('is failing'))
  const seen = [await text('/health', OF_STRANGER), await post(OF_STRANGER, 'net_peerCount')]
  expect(seen.filter(shows)).toEqual([])
  expect(seen[0]).toMatch(/upstream node 1 is failing/)
})
