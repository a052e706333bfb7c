import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Case } from '../case.ts'

const SOCKETS = 40
const BYTES = 4_000_000

/** WebSocket messages that begin, grow to 4 MB in parts and never end. */
export const unfinishedMessages: Case = {
  name: 'unfinished-messages',
  what: `${SOCKETS} WebSocket messages of ${BYTES / 1e6} MB that do not end, for 75 s`,
  flags: ['--rate-per-client', '20', '--trust-proxy', '1', '--held-bytes', '134217728'],
  growth: 250,
  async run({ port }) {
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => begin(port)))
    const closedAtOnce = await closedOf(sockets, 5_000)
    const closed = await closedOf(sockets, 70_000)
    for (const { socket } of sockets) socket.destroy()
    // One client may hold half of the bytes. Whatever it holds has the time of a request, a minute.
    const isBounded = closedAtOnce >= SOCKETS - 64e6 / BYTES && closedAtOnce < SOCKETS
    const note = `${closedAtOnce} closed for their bytes, ${closed - closedAtOnce} for their time`
    return { tried: SOCKETS, wrong: isBounded ? SOCKETS - closed : SOCKETS, note }
  },
}

/** Opens a WebSocket and sends all parts of a message but the last one. */
async function begin(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const state = { isClosed: false, socket }
  socket.once('close', () => (state.isClosed = true)).resume()
  await once(socket, 'connect')
  socket.write(
    [
      'GET / HTTP/1.1',
      'Host: 127.0.0.1',
      'X-Forwarded-For: 203.0.113.9',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      '\r\n',
    ].join('\r\n'),
  )
  // FIN is not set: text first, then continuations; 16 bits of length and a mask of zeros.
  const part = (opcode: number) => {
    const frame = Buffer.alloc(8 + PART)
    frame[0] = opcode
    frame[1] = 0x80 | 126
    frame.writeUInt16BE(PART, 2)
    return frame
  }
  socket.write(part(1))
  for (let sent = PART; sent < BYTES; sent += PART) socket.write(part(0))
  return state
}

const PART = 50_000

async function closedOf(states: readonly { isClosed: boolean }[], wait: number): Promise<number> {
  await sleep(wait)
  return states.filter(({ isClosed }) => isClosed).length
}
