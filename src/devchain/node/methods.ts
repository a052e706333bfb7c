import type { AnyMethod } from '../../rpc/method.ts'
import { refusedMethods } from '../../rpc/methods/unsupported.ts'
import type { DevChain } from '../index.ts'
import { accountMethods } from './accounts.ts'
import { controlMethods } from './control.ts'
import { type DevSending, sendingMethods } from './devSending.ts'
import { erc20Methods } from './erc20.ts'
import { callFailure, type FailureOf, withRpcErrors } from './failures.ts'
import { blobMethods } from './fees.ts'
import { lookupMethods } from './lookups.ts'
import { miningMethods } from './mining.ts'
import { nodeMethods } from './node.ts'
import { rawTransactionMethods } from './rawTransactions.ts'
import { reorgMethods } from './reorg.ts'
import { stateMethods } from './state.ts'
import type { Terminal } from './terminal/terminal.ts'
import { replayMethods } from './trace/replay.ts'
import { storageRangeMethods } from './trace/storageRange.ts'
import { treMethods } from './tre.ts'
import { unsupportedMethods } from './unsupported.ts'

/** Fees in wei are a multiple of those of a node, which stakes and points pay in sun. */
const NO_QUOTES = 'a chain with 18 decimals has no stakes and points; use eth_estimateGas'

/**
 * The JSON-RPC methods of a development chain. They replace the gateway's methods of the same name, and use the chain directly.
 *
 * @param terminal - prints calls
 */
export function devMethods(
  chain: DevChain,
  sending: DevSending,
  terminal: Pick<Terminal, 'setEnabled'> = { setEnabled() {} },
): Record<string, AnyMethod> {
  const failureOf: FailureOf = (result) => callFailure(result, chain.artifacts)
  const { unlocked } = chain
  const { signer } = sending
  const methods = {
    ...controlMethods(chain, unlocked),
    ...miningMethods(chain),
    ...nodeMethods(chain, (on) => terminal.setEnabled(on)),
    ...stateMethods(chain, unlocked),
    ...accountMethods,
    ...erc20Methods(chain),
    ...lookupMethods(chain),
    ...rawTransactionMethods(chain),
    ...sendingMethods(sending),
    ...blobMethods(chain),
    ...reorgMethods(chain, signer),
    ...storageRangeMethods(chain),
    ...replayMethods(chain, signer),
    ...unsupportedMethods,
    ...(chain.decimals === 18 && refusedMethods({ ethgate_feeQuote: NO_QUOTES })),
  }
  return withRpcErrors({ ...methods, ...treMethods(chain, methods) }, failureOf)
}
