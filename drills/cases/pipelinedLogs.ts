import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Case } from '../case.ts'
import { callText, largeLogs, postText } from '../requests.ts'

const CONNECTIONS = 4
const REQUESTS = 500

/** Requests hundreds of large answers on each connection and reads none. */
export const pipelinedLogs: Case = {
  name: 'pipelined',
  what: `${CONNECTIONS} connections with ${REQUESTS} pipelined eth_getLogs of 6 MB each, unread`,
  async run({ node, port }) {
    const sockets: Socket[] = []
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.pause()
      const requests = Array.from({ length: REQUESTS }, (_, index) =>
        postText(callText('eth_getLogs', largeLogs(node, index))),
      )
      socket.write(requests.join(''))
      sockets.push(socket)
    }
    await sleep(8_000)
    for (const socket of sockets) socket.destroy()
    return { tried: CONNECTIONS * REQUESTS, wrong: 0 }
  },
}
