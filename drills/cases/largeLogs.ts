import type { Case } from '../case.ts'
import { askInLoops } from '../load.ts'
import { callText, largeLogs } from '../requests.ts'

const CLIENTS = 50

/** Keeps the gateway busy with large answers, no two of which are the same. */
export const largeLogsCase: Case = {
  name: 'large-logs',
  what: `${CLIENTS} clients ask for eth_getLogs of 6 MB each, all different, for 10 s`,
  run: ({ node, url }) =>
    askInLoops({
      body: (index) => callText('eth_getLogs', largeLogs(node, index)),
      clients: CLIENTS,
      seconds: 10,
      url,
    }),
}
