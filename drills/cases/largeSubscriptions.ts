import { once } from 'node:events'

import { WebSocket } from 'ws'

import type { Case } from '../case.ts'
import { callText } from '../requests.ts'
import { largeLogFilter } from './largeFilters.ts'

const SOCKETS = 4
const EACH = 100

/** The largest filters in subscriptions, which count against the limits of filters. */
export const largeSubscriptions: Case = {
  name: 'large-subscriptions',
  what: `${SOCKETS * EACH} log subscriptions with the largest filters`,
  growth: 300,
  async run({ wsUrl }) {
    const all = await Promise.all(
      Array.from({ length: SOCKETS }, (_, index) => subscribe(wsUrl, index)),
    )
    const made = all.flat().filter((code) => code === undefined).length
    const refused = all.flat().filter((code) => code === -32005).length
    const tried = SOCKETS * EACH
    // 32 MiB for one client, and a filter needs about 0.8 of one.
    const isBounded = made > 0 && made < 50
    const wrong = isBounded ? tried - made - refused : tried
    return { tried, wrong, note: `${made} subscriptions created, ${refused} rejected` }
  },
}

/** The error code of each subscription; undefined for one that was created. */
async function subscribe(url: string, index: number): Promise<(number | undefined)[]> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const codes: (number | undefined)[] = []
  for (let id = 0; id < EACH; id++) {
    socket.send(callText('eth_subscribe', ['logs', largeLogFilter(index * EACH + id)], id))
    const [data] = (await once(socket, 'message')) as [Buffer]
    codes.push((JSON.parse(data.toString()) as { error?: { code: number } }).error?.code)
  }
  socket.terminate()
  return codes
}
