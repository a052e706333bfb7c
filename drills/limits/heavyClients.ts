// Many clients, each at a loopback address of its own, that send the next request after each answer. They do not parse answers.
import { Agent, request } from 'node:http'

import type { HeavyLoad } from './heavy.ts'

const { bodies, clients, url } = JSON.parse(process.argv[2] ?? '{}') as HeavyLoad
let answers = 0
let failed = 0

function start(client: number): void {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const localAddress = `127.1.0.${client + 1}`
  let asked = client
  const ask = () => {
    const outgoing = request(url, { agent, localAddress, method: 'POST' }, (response) => {
      let beginning = ''
      response.on('data', (chunk: Buffer) => {
        if (beginning.length < 60) beginning += chunk.toString('latin1', 0, 60)
      })
      response.on('end', () => {
        answers++
        if (!beginning.includes('"result"')) failed++
        ask()
      })
    })
    outgoing.on('error', () => {
      failed++
      setTimeout(ask, 100)
    })
    outgoing.end(bodies[asked++ % bodies.length])
  }
  ask()
}

for (let client = 0; client < clients; client++) start(client)
process.send?.('started')
process.on('message', () => process.send?.({ answers, failed }))
