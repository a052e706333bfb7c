import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

import { WebSocket } from 'ws'

import { startGateway, startNode } from '../processes.ts'
import { atMost, type LimitsCase } from './check.ts'

const HASHES = 190
const BLOCKS = 10

/** A client with one unit a second asks in one batch to be told of many transactions that nobody knows, and then only listens. */
export const statuses: LimitsCase = {
  name: 'statuses',
  what: `${HASHES} subscriptions to unknown transactions in one batch, for ${BLOCKS} blocks`,
  async run() {
    const node = await startNode()
    const gateway = await startGateway({
      flags: ['--rate-per-client', '1'],
      upstream: node.url,
    })
    const socket = new WebSocket(gateway.url.replace('http', 'ws'))
    await once(socket, 'open')
    const calls = Array.from({ length: HASHES }, (_, id) => ({
      id,
      jsonrpc: '2.0',
      method: 'eth_subscribe',
      params: ['transactionStatus', `0x${(id + 1).toString(16).padStart(64, '0')}`],
    }))
    const before = await lookUps(gateway.url)
    socket.send(JSON.stringify(calls))
    for (let block = 0; block < BLOCKS; block++) {
      await node.mine()
      await sleep(1_000)
    }
    const made = (await lookUps(gateway.url)) - before
    socket.terminate()
    await gateway.end()
    return [atMost('calls to the node', made, 3 * BLOCKS + 30)]
  },
}

/** Calls to nodes that look a transaction up. */
async function lookUps(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text
    .split('\n')
    .filter((line) => /^ethgate_upstream_call_duration_seconds_count.*gettransaction/.test(line))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
