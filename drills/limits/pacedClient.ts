// Calls at a fixed rate, each request to the next of some gateways, and counts the outcomes by gateway.
import { Agent, request } from 'node:http'

import type { Paced, PacedReport } from './paced.ts'

const { body, headers, perSecond, urls } = JSON.parse(process.argv[2] ?? '{}') as Paced
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const reports = urls.map((): PacedReport => ({ failed: 0, refused: 0, served: 0, slowest: 0 }))

function ask(turn: number): void {
  const began = performance.now()
  const report = reports[turn % urls.length]
  const outgoing = request(urls[turn % urls.length] ?? '', { agent, headers, method: 'POST' })
  outgoing.on('response', (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('end', () => {
      if (!report) return
      if (response.statusCode === 429) report.refused++
      else if (text.includes('"result"')) report.served++
      else fail(text.slice(0, 200))
      report.slowest = Math.max(report.slowest, performance.now() - began)
    })
  })
  const fail = (reason: string) => {
    if (!report) return
    report.failed++
    report.firstFailure ??= reason
  }
  outgoing.on('error', (error) => fail(error.message))
  outgoing.end(body)
}

const began = performance.now()
let asked = 0
setInterval(() => {
  const due = ((performance.now() - began) / 1_000) * perSecond
  while (asked < due) ask(asked++)
}, 10)
process.send?.('started')
process.on('message', () => process.send?.(reports))
