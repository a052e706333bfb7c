import { setTimeout as sleep } from 'node:timers/promises'

import { startGateway, startNode } from '../processes.ts'
import { callText } from '../requests.ts'
import { atLeast, becomes, type LimitsCase, none } from './check.ts'
import { bearer, createKeysFile } from './keys.ts'
import { startPaced } from './paced.ts'

const RELOADS = 10

/** The keys file is replaced by valid and by broken ones, while a key works. */
export const reload: LimitsCase = {
  name: 'reload',
  what: 'the keys file is replaced under load',
  async run() {
    const node = await startNode()
    const keys = createKeysFile({ partner: '' })
    const gateway = await startGateway({
      flags: ['--api-keys', keys.path, '--data-dir', 'none'],
      upstream: node.url,
    })
    const load = await startPaced({
      urls: [gateway.url],
      body: callText('eth_blockNumber'),
      headers: bearer('partner'),
      perSecond: 300,
    })
    const statusOf = async (name: string) => {
      const body = callText('eth_chainId')
      return (await fetch(gateway.url, { method: 'POST', body, headers: bearer(name) })).status
    }
    let late = 0
    for (let reload = 0; reload < RELOADS; reload++) {
      const name = `new-${reload}`
      keys.write({ partner: '', [name]: '' })
      const taken = await becomes('', 10, async () => (await statusOf(name)) === 200)
      if (!taken.isGood) late++
      keys.writeText(`keys:\n  - {name: partner, sha256: broken}\n`)
      await sleep(1_500)
    }
    const [report] = await load.report()
    load.stop()
    await gateway.end()
    keys.remove()
    return [
      none(`new files of ${RELOADS} that were not taken within 10 s`, late),
      atLeast('requests served meanwhile', report?.served ?? 0, 300),
      none('failed requests', (report?.failed ?? 0) + (report?.refused ?? 0), report?.firstFailure),
    ]
  },
}
