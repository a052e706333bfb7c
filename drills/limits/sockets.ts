import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import {
  type DrillGateway,
  type Latencies,
  startGateway,
  startLightClients,
  startNode,
  watchMemory,
} from '../processes.ts'
import { callText, largeLogs, postText } from '../requests.ts'
import { atMost, type Check, type LimitsCase, none } from './check.ts'

const UNREAD = 2_000
const SLOW = 500

/** Sockets that ask for large answers and never read, then requests that arrive byte by byte. */
export const sockets: LimitsCase = {
  name: 'sockets',
  what: `${UNREAD} sockets that never read, ${SLOW} slow requests`,
  async run() {
    const node = await startNode()
    const gateway = await startGateway({ upstream: node.url })
    const unread = await beside(gateway, `${UNREAD} unread`, async () => {
      const open = await openSockets(gateway.port, UNREAD, (socket, index) => {
        socket.pause()
        socket.write(postText(callText('eth_getLogs', largeLogs(node, index))))
      })
      await sleep(20_000)
      return open
    })
    const slow = await beside(gateway, `${SLOW} slow`, async () => {
      const [head = '', body = ''] = postText(callText('eth_chainId')).split('\r\n\r\n')
      const open = await openSockets(gateway.port, SLOW, (socket) =>
        socket.write(head.slice(0, 20)),
      )
      for (let at = 20; at < 35; at++) {
        for (const socket of open) socket.write((head + body)[at] ?? '')
        await sleep(1_000)
      }
      return open
    })
    await gateway.end()
    return [...unread, ...slow]
  },
}

/** Runs an attack beside a light client. */
async function beside(
  { pid, url }: DrillGateway,
  name: string,
  attack: () => Promise<Socket[]>,
): Promise<Check[]> {
  const memory = watchMemory(pid)
  const light = await startLightClients([{ url }])
  const open = await attack()
  const [{ failed, firstFailure, p99 }] = (await light.stop()) as [Latencies]
  for (const socket of open) socket.destroy()
  return [
    none(`${name}: failed requests of the light client`, failed, firstFailure),
    atMost(`${name}: p99 of the light client`, p99, 1_000, 'ms'),
    atMost(`${name}: memory`, memory.stop().peak, 1_024, 'MiB'),
  ]
}

async function openSockets(
  port: number,
  count: number,
  begin: (socket: Socket, index: number) => void,
): Promise<Socket[]> {
  const open: Socket[] = []
  for (let index = 0; index < count; index++) {
    const socket = connect(port, '127.0.0.1')
    // The gateway may cut it.
    socket.on('error', () => {})
    begin(socket, index)
    open.push(socket)
    if (index % 50 === 49) await sleep(20)
  }
  return open
}
