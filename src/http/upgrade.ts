import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

import type { Access } from './access.ts'
import type { InTurn } from './inTurn.ts'
import type { Refusal } from './refuse.ts'
import { readTarget } from './target.ts'

/**
 * Accepts or rejects WebSockets by target, Host and Origin, and who asks. It does so before the app, which could not send a reason with a refusal. Answers other upgrade requests as if they requested no upgrade, which
 * RFC 9110 (7.8) allows for protocols that a server does not support.
 *
 * If there is a listener for `upgrade`, node passes all such requests to it and answers none itself, so the listener must
 * answer each. Java's own client requests HTTP/2 (`h2c`) in this way with the first request of a connection.
 */
export function guardUpgrades(
  server: Server,
  access: Pick<Access, 'refusalOf'>,
  inTurn: InTurn,
): void {
  const listeners = server.listeners('upgrade') as UpgradeListener[]
  server.removeAllListeners('upgrade')
  server.on('upgrade', (incoming: IncomingMessage, socket, head) => {
    if (incoming.headers.upgrade?.toLowerCase() !== 'websocket') {
      const start = () => serveAgain(server, incoming, socket, head)
      const turn = inTurn.wait(socket)
      return turn ? void turn.then(start) : start()
    }
    readTarget(incoming)
    const refusal = access.refusalOf(incoming)
    if (refusal) return refuse(socket, refusal)
    for (const listener of listeners) listener.call(server, incoming, socket, head)
  })
}

type UpgradeListener = (
  this: Server,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => void

function refuse(socket: Duplex, { reason, status }: Refusal): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(reason)}`,
  ]
  socket.on('error', () => {})
  socket.end(`${lines.join('\r\n')}\r\n\r\n${reason}`)
}

/** Puts the request back into the socket without the upgrade headers, so that the server reads it again. */
function serveAgain(server: Server, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { httpVersion, method = '', rawHeaders, url = '/' } = incoming
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!OF_UPGRADES.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1] ?? ''}`)
  }
  // Node reads header bytes as Latin-1.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket)
}

/** The headers of an upgrade. `Connection` lists the others. Without it the connection stays open for the next request. */
const OF_UPGRADES = new Set(['connection', 'http2-settings', 'upgrade'])
