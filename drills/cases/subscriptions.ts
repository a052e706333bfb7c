import { once } from 'node:events'

import { WebSocket } from 'ws'

import type { Case } from '../case.ts'
import { callText } from '../requests.ts'

const SOCKETS = 78
const EACH = 256

/** Creates as many subscriptions as one address may have by default, then disconnects all at the same time. */
export const subscriptions: Case = {
  name: 'subscriptions',
  what: `${SOCKETS} sockets with ${EACH} subscriptions each, then all disconnect`,
  async run({ url, wsUrl }) {
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => open(wsUrl)))
    const made = await Promise.all(sockets.map(subscribeAll))
    for (const socket of sockets) socket.terminate()
    // The gateway answers again when it has handled every disconnect.
    await fetch(url, { method: 'POST', body: callText('eth_blockNumber') })
    const tried = SOCKETS * EACH
    return { tried, wrong: tried - made.reduce((sum, count) => sum + count, 0) }
  },
}

async function open(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  return socket
}

/** Number of created subscriptions. */
async function subscribeAll(socket: WebSocket): Promise<number> {
  let made = 0
  const answered = new Promise<void>((resolve) => {
    let answers = 0
    socket.on('message', (data: Buffer) => {
      const { id, result } = JSON.parse(data.toString()) as { id?: number; result?: unknown }
      if (id === undefined) return
      if (typeof result === 'string') made++
      if (++answers === EACH) resolve()
    })
  })
  for (let id = 1; id <= EACH; id++) socket.send(callText('eth_subscribe', ['newHeads'], id))
  await answered
  return made
}
