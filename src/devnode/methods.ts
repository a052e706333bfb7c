import type { DevChain } from '../devchain/index.ts'
import type { AnyMethod } from '../jsonrpc/method.ts'
import { accountMethods } from './accounts.ts'
import { callMethods } from './calls.ts'
import { controlMethods } from './control.ts'
import { tellFailures } from './failures.ts'
import { miningMethods } from './mining.ts'
import { nodeMethods } from './node.ts'
import { sendingMethods } from './sending.ts'
import { simulateMethods } from './simulate.ts'
import { stateMethods } from './state.ts'
import { debugMethods } from './trace/debug.ts'
import { parityMethods } from './trace/parity.ts'
import { createUnlocked } from './unlocked.ts'

/** The JSON-RPC methods of a dev chain. Those that a gateway has too are replaced: the chain is asked directly. */
export function devMethods(chain: DevChain): Record<string, AnyMethod> {
  const unlocked = createUnlocked(chain)
  return tellFailures({
    ...controlMethods(chain, unlocked),
    ...miningMethods(chain),
    ...nodeMethods(chain),
    ...stateMethods(chain, unlocked),
    ...accountMethods(chain),
    ...callMethods(chain),
    ...simulateMethods(chain),
    ...sendingMethods(chain, unlocked),
    ...debugMethods(chain),
    ...parityMethods(chain),
  })
}
