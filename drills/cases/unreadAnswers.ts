import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Case } from '../case.ts'
import { callText, largeLogs, postText } from '../requests.ts'

const CONNECTIONS = 200

/** Requests large answers on many connections and reads none of them. */
export const unreadAnswers: Case = {
  name: 'unread',
  what: `${CONNECTIONS} connections ask for eth_getLogs of 6 MB each and read nothing`,
  async run({ node, port }) {
    const sockets: Socket[] = []
    let cut = 0
    for (let index = 0; index < CONNECTIONS; index++) {
      const socket = connect(port, '127.0.0.1')
      // A client that does not read detects the end of a connection when it writes.
      socket.on('error', () => cut++)
      socket.pause()
      socket.write(postText(callText('eth_getLogs', largeLogs(node, index))))
      sockets.push(socket)
    }
    await sleep(8_000)
    for (const socket of sockets) socket.write('x')
    await sleep(500)
    for (const socket of sockets) socket.destroy()
    return { note: `${cut} connections were cut`, tried: CONNECTIONS, wrong: 0 }
  },
}
