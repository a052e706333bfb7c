import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

import { WebSocket } from 'ws'

import type { Case } from '../case.ts'
import { callText } from '../requests.ts'

/** Sends the requests that pages of other sites can send to a gateway with keys: without a preflight, and with a Host of their own. */
export const foreignPages: Case = {
  name: 'foreign-pages',
  what: 'pages of other sites, rebound names and WebSockets try to spend managed keys',
  env: { ETHGATE_KEYS: '11'.repeat(32) },
  async run({ port, wsUrl }) {
    const host = `127.0.0.1:${port}`
    const evil = [
      { host, origin: 'https://evil.example' },
      { host, origin: 'null' },
      { host, origin: 'http://127.0.0.1.evil.example' },
      { host: `rebind.example:${port}` },
      { host: `rebind.example:${port}`, origin: `http://rebind.example:${port}` },
      { host, 'sec-fetch-site': 'cross-site' },
    ]
    let tried = 0
    let wrong = 0
    const expect = (status: number, expected: number) => {
      tried++
      if (status !== expected) wrong++
    }
    for (let round = 0; round < 100; round++)
      for (const headers of evil) expect(await post(port, headers), 403)
    for (const headers of evil.slice(0, 5)) expect(await handshake(wsUrl, headers), 403)
    expect(await post(port, { host }), 200)
    expect(await post(port, { host, origin: 'http://localhost:5173' }), 200)
    expect(await handshake(wsUrl, { host, origin: 'http://localhost:5173' }), 101)
    return { tried, wrong }
  },
}

async function post(port: number, headers: Record<string, string>): Promise<number> {
  const outgoing = request({
    agent: false,
    headers: { 'content-type': 'text/plain', ...headers },
    host: '127.0.0.1',
    method: 'POST',
    port,
  })
  outgoing.end(callText('eth_accounts'))
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  incoming.resume()
  return incoming.statusCode ?? 0
}

function handshake(url: string, headers: Record<string, string>): Promise<number> {
  const ws = new WebSocket(url, { headers })
  return new Promise<number>((resolve) => {
    ws.on('open', () => resolve(101))
    ws.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    ws.on('error', () => resolve(0))
  }).finally(() => ws.terminate())
}
