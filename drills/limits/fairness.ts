import { setTimeout as sleep } from 'node:timers/promises'

import { startGateway, startLightClients, startNode } from '../processes.ts'
import { callText, largeLogs } from '../requests.ts'
import { atLeast, atMost, type Check, type LimitsCase, none } from './check.ts'
import { startHeavy } from './heavy.ts'

const HEAVY = 50
const SECONDS = Number(process.env['DRILL_SECONDS'] ?? 20)

/**
 * 50 callers search all logs beside one with few calls. The other gateway is idle and is called at the same time: what the
 * machine makes both wait for is not counted.
 */
export const fairness: LimitsCase = {
  name: 'fairness',
  what: `${HEAVY} callers search all logs beside a light one`,
  async run() {
    const node = await startNode()
    const busy = await startGateway({ upstream: node.url })
    const idle = await startGateway({ upstream: node.url })
    const call = callText('eth_call', [
      { to: '0x0000000000000000000000000000000000000005', data: '0x' },
      'latest',
    ])
    const targets = [busy, idle].flatMap(({ url }) => [{ url }, { url, body: call }])
    const measured = async (seconds: number) => {
      const light = await startLightClients(targets)
      await sleep(seconds * 1_000)
      return light.stop()
    }
    // The first calls compile the code.
    await measured(2)
    const before = await measured(SECONDS / 2)
    const heavy = await startHeavy({ url: busy.url, clients: HEAVY, bodies: searches(node) })
    await sleep(3_000)
    const during = await measured(SECONDS)
    const { answers, failed } = await heavy.stop()
    await busy.end()
    await idle.end()

    const checks: Check[] = [
      atLeast('searches of the heavy callers', answers, HEAVY),
      none('failed searches', failed),
    ]
    for (const [index, method] of ['eth_blockNumber', 'eth_call'].entries()) {
      const [light, beside, alone] = [during[index], during[index + 2], before[index]]
      if (!light || !beside || !alone) continue
      checks.push(
        none(`failed ${method}`, light.failed, light.firstFailure),
        atMost(
          `p99 of ${method}, busy ${light.p99.toFixed(1)} ms to idle ${beside.p99.toFixed(1)} ms`,
          light.p99 / beside.p99,
          2,
          '×',
        ),
        {
          what: `${method}: p50 busy / idle, p99 before the load`,
          measured: `${light.p50.toFixed(1)} / ${beside.p50.toFixed(1)}, ${alone.p99.toFixed(1)} ms`,
          bound: '',
          isGood: true,
        },
      )
    }
    return checks
  },
}

/** Searches of the whole chain without a match, and searches of dense blocks with answers of about 6 MB. */
function searches(node: Awaited<ReturnType<typeof startNode>>): string[] {
  return Array.from({ length: 100 }, (_, index) =>
    index % 2 === 0
      ? callText('eth_getLogs', [
          {
            fromBlock: '0x0',
            toBlock: 'latest',
            address: `0x${(2 ** 40 + index).toString(16).padStart(40, '0')}`,
          },
        ])
      : callText('eth_getLogs', largeLogs(node, index)),
  )
}
