import { setTimeout as sleep } from 'node:timers/promises'

import { startRedis } from '../../test/support/redis.ts'
import { startGateway, startNode } from '../processes.ts'
import { callText } from '../requests.ts'
import { atMost, type Check, type LimitsCase } from './check.ts'
import { bearer, createKeysFile } from './keys.ts'
import { startPaced } from './paced.ts'

const REPLICAS = 3
/** Units a second. */
const RATE = 10
/** Units of eth_blockNumber: the base price and the bytes of its answer. */
const COST = 0.05 + 40 / 2 ** 20
const SECONDS = 20

/** One key calls three replicas, more than its rate allows. Then one of them is killed. */
export const replicas: LimitsCase = {
  name: 'replicas',
  what: `${REPLICAS} replicas share the rate of a key; one of them is killed`,
  async run() {
    const node = await startNode()
    const redis = await startRedis({ durable: false })
    const keys = createKeysFile({ partner: `rate: ${RATE}, burst: ${RATE}` })
    const gateways = []
    for (let replica = 0; replica < REPLICAS; replica++)
      gateways.push(
        await startGateway({
          flags: ['--redis', redis.url, '--api-keys', keys.path],
          upstream: node.url,
        }),
      )
    const load = await startPaced({
      urls: gateways.map(({ url }) => url),
      body: callText('eth_blockNumber'),
      headers: bearer('partner'),
      perSecond: 2 * REPLICAS * (RATE / COST),
    })
    const served = async () => {
      const reports = await load.report()
      return { at: performance.now(), calls: reports.reduce((sum, one) => sum + one.served, 0) }
    }
    const measured = async (what: string): Promise<Check> => {
      // The burst is used up first, and leases of a killed replica return.
      await sleep(3_000)
      const from = await served()
      await sleep(SECONDS * 1_000)
      const to = await served()
      const share = ((to.calls - from.calls) * COST) / (RATE * ((to.at - from.at) / 1_000))
      return atMost(
        `${what}: units served differ from the rate (${(share * 100).toFixed(1)} %)`,
        Math.abs(share - 1) * 100,
        5,
        '%',
      )
    }
    const all = await measured(`${REPLICAS} replicas`)
    await gateways[0]?.end('SIGKILL')
    const fewer = await measured('one killed')
    load.stop()
    for (const gateway of gateways) await gateway.end()
    await redis.close()
    keys.remove()
    return [all, fewer]
  },
}
