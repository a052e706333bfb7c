import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'

import type { Outcome } from './case.ts'

/**
 * Clients that each send the next request after an answer, for a while. An answer without a result counts as wrong.
 *
 * @param body - the text of the `index`-th request.
 */
export async function askInLoops({
  body,
  clients,
  seconds,
  url,
}: askInLoops.Options): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const deadline = performance.now() + seconds * 1_000
  const times: number[] = []
  let tried = 0
  let wrong = 0
  const client = async () => {
    while (performance.now() < deadline) {
      const began = performance.now()
      const outgoing = request(url, { agent, method: 'POST' })
      outgoing.end(body(tried++))
      try {
        const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
        if (!(await isResult(incoming))) wrong++
        times.push(performance.now() - began)
      } catch {
        wrong++
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
  return { note: `median of its own calls ${median.toFixed(0)} ms`, tried, wrong }
}

export declare namespace askInLoops {
  type Options = {
    body: (index: number) => string
    clients: number
    seconds: number
    url: string
  }
}

/** Reads a whole answer but checks its beginning only. */
async function isResult(incoming: IncomingMessage): Promise<boolean> {
  let beginning = ''
  for await (const chunk of incoming as AsyncIterable<Buffer>)
    if (beginning.length < 60) beginning += chunk.toString('latin1', 0, 60)
  return /^\{"jsonrpc":"2.0","id":\d+,"result"/.test(beginning)
}
