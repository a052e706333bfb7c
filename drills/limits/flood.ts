import { setTimeout as sleep } from 'node:timers/promises'

import {
  askHelper,
  type Latencies,
  startGateway,
  startHelper,
  startLightClients,
  startNode,
} from '../processes.ts'
import { callText } from '../requests.ts'
import { atLeast, atMost, type LimitsCase, none } from './check.ts'
import { bearer, createKeysFile } from './keys.ts'

/** Requests that are offered whether they are answered or not. */
export type Flood = {
  port: number
  body: string
  headers: Record<string, string>
  connections: number
  perSecond: number
}

const PER_SECOND = 20_000
const SECONDS = 10

/** One key floods the gateway; another key has a limit too and stays below it. */
export const flood: LimitsCase = {
  name: 'flood',
  what: `${PER_SECOND} requests/s are offered on one key, while another key works`,
  async run() {
    const node = await startNode()
    const keys = createKeysFile({ flood: 'rate: 50', works: 'rate: 50' })
    const gateway = await startGateway({
      flags: ['--api-keys', keys.path, '--data-dir', 'none'],
      upstream: node.url,
    })
    const works = () => startLightClients([{ url: gateway.url, headers: bearer('works') }])
    const idle = await works()
    await sleep((SECONDS / 2) * 1_000)
    const [before] = (await idle.stop()) as [Latencies]
    const flooding = await startHelper('limits/floodClient.ts', {
      port: gateway.port,
      body: callText('eth_blockNumber'),
      headers: bearer('flood'),
      connections: 64,
      perSecond: PER_SECOND,
    } satisfies Flood)
    const light = await works()
    await sleep(SECONDS * 1_000)
    const [during] = (await light.stop()) as [Latencies]
    const { held, offered, statuses } = await askHelper<{
      held: number
      offered: number
      statuses: Record<string, number>
    }>(flooding, 'report')
    flooding.kill()
    await gateway.end()
    keys.remove()
    const { 200: served = 0, 429: refused = 0, broken = 0 } = statuses
    return [
      atLeast(
        `requests offered on the key in ${SECONDS} s, ${held} of them not written`,
        offered,
        PER_SECOND * SECONDS * 0.9,
      ),
      atLeast('requests of it refused with 429', refused, 1),
      atMost('requests of it served', served, MOST_SERVED),
      none('its connections that broke', broken),
      none('failed requests of the other key', during.failed, during.firstFailure),
      atMost(`p99 of the other key, ${before.p99.toFixed(1)} ms before`, during.p99, 250, 'ms'),
    ]
  },
}

/** A burst of ten seconds of the rate, and the rate for up to twice the time of the case: a call costs 0.05 units. */
const MOST_SERVED = (50 * (10 + 2 * SECONDS)) / 0.05
