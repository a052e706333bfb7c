// A client with few requests, in its own process: its latency shows how long other clients make it wait.
import { Agent, request } from 'node:http'

import type { Latencies } from './processes.ts'

const url = new URL(process.argv[2] ?? '')
const EVERY_MS = 20
const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'
const agent = new Agent({ keepAlive: true, maxSockets: 512 })
const waits: number[] = []
let failed = 0
let open = 0

/** Sends requests on a schedule. A client that waited for each answer would send fewer requests while the gateway is slow. */
function ask(): void {
  const began = performance.now()
  open++
  const outgoing = request(url, { agent, method: 'POST' }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('end', () => done(!text.includes('"result"')))
  })
  outgoing.on('error', () => done(true))
  outgoing.end(BODY)
  let over = false
  const done = (isFailed: boolean) => {
    if (over) return
    over = true
    open--
    if (isFailed) failed++
    waits.push(performance.now() - began)
  }
}

const timer = setInterval(ask, EVERY_MS)
process.send?.('started')

process.on('message', () => {
  clearInterval(timer)
  const deadline = performance.now() + 60_000
  const report = () => {
    if (open > 0 && performance.now() < deadline) return setTimeout(report, 10)
    const sorted = waits.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
    const latencies: Latencies = {
      count: waits.length + open,
      failed: failed + open,
      max: at(1),
      p50: at(0.5),
      p99: at(0.99),
    }
    process.send?.(latencies)
    return undefined
  }
  report()
})
