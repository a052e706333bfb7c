// A client with few requests, in its own process: its latency shows how long other clients make it wait.
import { Agent, request } from 'node:http'

import type { Latencies, LightTarget } from './processes.ts'

const targets = JSON.parse(process.argv[2] ?? '[]') as LightTarget[]
const EVERY_MS = 20
const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'

/** Sends requests on a schedule. A client that waited for each answer would send fewer requests while the gateway is slow. */
function startTarget({ body = BODY, headers = {}, url }: LightTarget) {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 })
  const waits: number[] = []
  let failed = 0
  let open = 0
  let firstFailure: string | undefined

  function ask(): void {
    const began = performance.now()
    open++
    const outgoing = request(url, { agent, headers, method: 'POST' }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => done(text.includes('"result"') ? undefined : text.slice(0, 200)))
    })
    outgoing.on('error', (error) => done(error.message))
    outgoing.end(body)
    let over = false
    const done = (failure: string | undefined) => {
      if (over) return
      over = true
      open--
      if (failure !== undefined) {
        failed++
        firstFailure ??= failure
      }
      waits.push(performance.now() - began)
    }
  }

  return {
    ask,
    open: () => open,
    report(): Latencies {
      const sorted = waits.toSorted((a, b) => a - b)
      const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
      return {
        count: waits.length + open,
        failed: failed + open,
        firstFailure,
        max: at(1),
        p50: at(0.5),
        p99: at(0.99),
      }
    },
  }
}

const clients = targets.map(startTarget)
let turn = 0
// In turn, so that the requests of one target do not wait for those of another in this process.
const timer = setInterval(() => {
  clients[turn++ % clients.length]?.ask()
}, EVERY_MS / clients.length)
process.send?.('started')

process.on('message', () => {
  clearInterval(timer)
  const deadline = performance.now() + 60_000
  const report = () => {
    if (clients.some((client) => client.open() > 0) && performance.now() < deadline)
      return setTimeout(report, 10)
    process.send?.(clients.map((client) => client.report()))
    return undefined
  }
  report()
})
