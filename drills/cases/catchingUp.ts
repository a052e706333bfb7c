import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

import { WebSocket } from 'ws'

import type { Case } from '../case.ts'
import { callText } from '../requests.ts'

const SUBSCRIPTIONS = 100
const SECONDS = 10

/** One socket requests all logs of the chain a hundred times and reads as fast as it can. */
export const catchingUp: Case = {
  name: 'catching-up',
  what: `one socket with ${SUBSCRIPTIONS} logs subscriptions that resume from block 0`,
  async run({ wsUrl }) {
    const socket = new WebSocket(wsUrl)
    await once(socket, 'open')
    let bytes = 0
    let made = 0
    socket.on('message', (data: Buffer) => {
      bytes += data.length
      if (data.length < 200 && data.includes('"id"')) made++
    })
    for (let id = 1; id <= SUBSCRIPTIONS; id++)
      socket.send(
        callText('eth_subscribe', ['logs', { fromBlock: '0x0' }, { resumeFrom: '0x0' }], id),
      )
    await sleep(SECONDS * 1_000)
    const open = socket.readyState === WebSocket.OPEN
    socket.terminate()
    return {
      tried: SUBSCRIPTIONS,
      wrong: open ? SUBSCRIPTIONS - made : SUBSCRIPTIONS,
      note: `${Math.round(bytes / SECONDS / 2 ** 20)} MiB/s delivered`,
    }
  },
}
