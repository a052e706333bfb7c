import type { Case } from '../case.ts'
import { askInLoops } from '../load.ts'
import { callText } from '../requests.ts'

const CLIENTS = 50

/** Keeps the gateway busy with the longest fee histories. */
export const feeHistory: Case = {
  name: 'fee-history',
  what: `${CLIENTS} clients ask for eth_feeHistory of 256 blocks, for 5 s`,
  run: ({ url }) =>
    askInLoops({
      body: () => callText('eth_feeHistory', ['0x100', 'latest', [10, 50, 90]]),
      clients: CLIENTS,
      seconds: 5,
      url,
    }),
}
