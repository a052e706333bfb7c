// What a stranger may take or see, each with the limits that the docs recommend: a row, and a bound for its memory.
import { once } from 'node:events'
import { type ClientRequestArgs, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { WebSocket } from 'ws'

import type { Case, Outcome, Target } from '../case.ts'
import { callText, postText } from '../requests.ts'

/** As a proxy passes on what a stranger sends. */
const STRANGER = { 'x-forwarded-for': '203.0.113.9' }

/** A body of 4 MB in chunks of one byte, on each of four connections: 24 MB on the wire. */
async function smallChunks({ port }: Target): Promise<Outcome> {
  const chunk = '1\r\n \r\n'.repeat(20_000)
  const paths = ['/', '/', '/page/call/x', '/wallet/getblock']
  const sockets = await Promise.all(
    paths.map(async (path) => {
      const socket = await open(port)
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\nTransfer-Encoding: chunked\r\n\r\n`,
      )
      for (let sent = 0; sent < 4_000_000; sent += 20_000)
        if (!socket.write(chunk) && !(await drained(socket))) break
      return socket
    }),
  )
  await sleep(1_000)
  for (const socket of sockets) socket.destroy()
  return { tried: sockets.length, wrong: 0 }
}

/** 10,000 requests on one connection that ask for a WebSocket and are none, then a real handshake. */
async function halfUpgrades({ port, wsUrl }: Target): Promise<Outcome> {
  const socket = await open(port)
  socket.resume()
  const one = postText(callText('eth_chainId'), { ...STRANGER, upgrade: 'websocket' })
  for (let sent = 0; sent < 10_000; sent += 100)
    if (!socket.write(one.repeat(100)) && !(await drained(socket))) break
  await sleep(500)
  const ws = new WebSocket(wsUrl, { headers: STRANGER })
  const [is] = await Promise.race([once(ws, 'open').then(() => ['open']), once(ws, 'error')])
  ws.terminate()
  socket.destroy()
  return { tried: 10_000, wrong: is === 'open' ? 0 : 1 }
}

/** Spellings of what only the admin port serves. */
async function spellings({ port }: Target): Promise<Outcome> {
  const heads = ['', '/.', '/x/..', '/k/any', '/k/any/.', `http://127.0.0.1:${port}`]
  const ends = ['/metrics', '/%6detrics', '/state', '/page/state', '/\\metrics']
  const tails = ['', '#x', '?x', '/', '%23x']
  const paths = heads.flatMap((head) =>
    ends.flatMap((end) => tails.map((tail) => head + end + tail)),
  )
  let wrong = 0
  for (const path of paths) if ((await statusOf(port, { path })) === 200) wrong++
  return { tried: paths.length, wrong }
}

/** Values that take long to decode or encode, on pages. */
async function pageWork({ url }: Target): Promise<Outcome> {
  const inputs = [{ name: 'list', type: 'uint8[]' }]
  const entry = { type: 'function', name: 'f', inputs, outputs: [] }
  const encode = JSON.stringify({ entry, args: [`[${'1,'.repeat(150_000)}1]`] })
  const many = Array.from({ length: 60 }, (_, index) => ({ name: `p${index}`, type: 'uint256' }))
  const functions = JSON.stringify(
    Array.from({ length: 100 }, (_, index) => ({ ...entry, inputs: many, name: `f${index}` })),
  )
  let slowest = 0
  let wrong = 0
  for (let round = 0; round < 10; round++)
    for (const [path, body] of [
      ['/page/encode', encode],
      [`/page/functions/0x${'ab'.repeat(20)}`, functions],
    ] as const) {
      const began = performance.now()
      const response = await fetch(url + path, { method: 'POST', body, headers: STRANGER })
      await response.text()
      slowest = Math.max(slowest, performance.now() - began)
      if (response.status >= 500) wrong++
    }
  return { tried: 20, wrong, note: `slowest ${slowest.toFixed(0)} ms` }
}

/** What the public port says about nodes, and HEAD beside GET. */
async function nodeAddresses({ node, port, url }: Target): Promise<Outcome> {
  const { host } = new URL(node.url)
  const headers = { ...STRANGER, 'x-ethgate-explain': '1', accept: 'text/html' }
  let wrong = 0
  for (const [path, body] of [
    ['/health'],
    ['/'],
    ['/state'],
    ['/', callText('net_peerCount')],
    ['/', callText('ethgate_explain', [{ method: 'net_peerCount', params: [] }])],
  ] as const) {
    const response = await fetch(url + path, body ? { method: 'POST', body, headers } : { headers })
    if (`${JSON.stringify([...response.headers])}${await response.text()}`.includes(host)) wrong++
  }
  const [get, head] = await Promise.all(
    ['GET', 'HEAD'].map((method) => statusOf(port, { path: '/health', method })),
  )
  return { tried: 6, wrong: wrong + (get === head ? 0 : 1) }
}

const LIMITED = ['--rate-per-client', '20', '--trust-proxy', '1']

/** Each with the most memory, MiB, that it may add. */
export const strangers: readonly Case[] = [
  {
    name: 'small-chunks',
    what: 'bodies of 4 MB in chunks of one byte on four connections',
    growth: 150,
    run: smallChunks,
  },
  {
    name: 'half-upgrades',
    what: '10,000 times Upgrade: websocket without Connection: Upgrade, then a WebSocket',
    growth: 150,
    run: halfUpgrades,
  },
  {
    name: 'spellings',
    what: 'spellings of paths that only the admin port serves',
    flags: ['--admin-port', '0'],
    run: spellings,
  },
  {
    name: 'page-work',
    what: 'arguments of 300 kB and ABIs of 6,000 parameters on pages',
    growth: 150,
    run: pageWork,
  },
  {
    name: 'node-addresses',
    what: 'addresses of nodes in health, pages, explanations; HEAD /health',
    run: nodeAddresses,
  },
].map((one) => ({ ...one, flags: [...LIMITED, ...(one.flags ?? [])] }))

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Whether a socket takes more within two seconds. */
async function drained(socket: Socket): Promise<boolean> {
  const isEnded = AbortSignal.timeout(2_000)
  return once(socket, 'drain', { signal: isEnded }).then(
    () => true,
    () => false,
  )
}

/** The status of a request whose path is sent as it is. */
async function statusOf(port: number, options: ClientRequestArgs): Promise<number | undefined> {
  const outgoing = request({ agent: false, host: '127.0.0.1', port, ...options })
  outgoing.end()
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  incoming.resume()
  return incoming.statusCode
}
