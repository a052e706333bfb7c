// newHeads to many sockets: milliseconds from the block at the node to the first and to the last socket.
//
//   npm run build && npx tsx bench/fanout.ts [1000 5000]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'

import { createScriptedChain } from '../test/support/chain.ts'
import { median } from './median.ts'
import { endAll, startGateway, track } from './processes.ts'

const COUNTS = process.argv.slice(2).map(Number)
const BLOCKS = 7

const chain = createScriptedChain()
const node = await chain.listen()
const sockets = track(fork(fileURLToPath(new URL('./sockets.mjs', import.meta.url))))
const table = new Table({
  head: ['sockets', 'to the first, ms', 'from first to last, ms', 'to the last, ms'],
})

try {
  for (const count of COUNTS.length > 0 ? COUNTS : [1_000, 5_000]) {
    const limit = String(count + 10)
    const { url } = await startGateway([
      '--upstream',
      node.url,
      '--ws-connections',
      limit,
      '--ws-connections-per-client',
      limit,
      '--subscriptions-per-client',
      limit,
    ])
    await ask({ open: count, url: url.replace('http', 'ws') })
    const rows: { first: number; last: number; all: number }[] = []
    for (let block = 0; block < BLOCKS; block++) {
      await sleep(700)
      const began = Date.now()
      const arrived = once(sockets, 'message')
      chain.mine()
      const [{ first, last }] = (await arrived) as [{ first: number; last: number }]
      rows.push({ all: last - began, first: first - began, last: last - first })
    }
    table.push([
      count,
      ...(['first', 'last', 'all'] as const).map((key) => median(rows.map((row) => row[key]))),
    ])
    await ask({ close: true })
    endAll()
  }
  console.log(table.toString())
} finally {
  sockets.kill()
  endAll()
  await node.close()
}

async function ask(question: object): Promise<void> {
  const answer = once(sockets, 'message')
  sockets.send(question)
  await answer
}
