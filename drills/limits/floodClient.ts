// Offers requests at a fixed rate over some connections, without waiting for answers, and counts the answers by status.
import { connect } from 'node:net'

import { postText } from '../requests.ts'
import type { Flood } from './flood.ts'

const { body, connections, headers, perSecond, port } = JSON.parse(process.argv[2] ?? '{}') as Flood
const text = postText(body, headers)
const statuses: Record<string, number> = {}
let offered = 0
/** Requests that were not written, because the gateway reads too slowly. */
let held = 0

const sockets = Array.from({ length: connections }, () => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => (statuses['broken'] = (statuses['broken'] ?? 0) + 1))
  // The end of a chunk may split a status line.
  let rest = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    const read = rest + chunk
    let end = 0
    for (const found of read.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      const [line, status = ''] = found
      statuses[status] = (statuses[status] ?? 0) + 1
      end = found.index + line.length
    }
    rest = read.slice(Math.max(end, read.length - 11))
  })
  return socket
})

const EVERY_MS = 10
const began = performance.now()
setInterval(() => {
  // A timer that comes late makes up for it.
  const due = ((performance.now() - began) / 1_000) * perSecond
  for (let turn = 0; offered < due; turn++) {
    const socket = sockets[turn % connections]
    const amount = Math.min(Math.ceil(perSecond / connections / 50), Math.ceil(due - offered))
    offered += amount
    if (!socket || socket.writableLength > MOST_UNSENT) held += amount
    else socket.write(text.repeat(amount))
  }
}, EVERY_MS)

/** Bytes that wait in a socket before further requests are held back. */
const MOST_UNSENT = 1_000_000

process.send?.('started')
process.on('message', () => process.send?.({ held, offered, statuses }))
