import { MethodNotSupportedError } from '../../lib/errors.ts'
import type { Method } from '../method.ts'

type Refused = Method<[], never>

const NONCES =
  'the transactions of this chain have no nonce; ethgate dev answers it for Ethereum transactions'

/**
 * Ethereum methods that are refused on purpose, with the reason that the error gives. Unknown and refused methods
 * both answer `-32601`, which clients check before they use a fallback.
 */
const reasons = {
  eth_getProof: 'the chain has no Merkle proofs of its state',
  eth_getBlockAccessList: 'access lists do not exist on this chain',
  eth_blobBaseFee: 'blobs do not exist on this chain',
  eth_capabilities: 'the node does not report how far back it keeps data',
  eth_config: 'this chain has no Ethereum forks',
  eth_getStorageValues: 'read the slots with eth_getStorageAt in one batch',

  eth_submitWork: 'the chain has no mining: producers take turns',
  eth_submitHashrate: 'the chain has no mining: producers take turns',
  eth_compileLLL: 'the gateway has no compiler',
  eth_compileSerpent: 'the gateway has no compiler',
  eth_compileSolidity: 'the gateway has no compiler',
  eth_getCompilers: 'the gateway has no compiler',

  ...family('this chain does not encode blocks, transactions and receipts as Ethereum does', [
    'debug_getRawBlock',
    'debug_getRawHeader',
    'debug_getRawReceipts',
    'debug_getRawTransaction',
  ]),
  ...family(
    'the node only records internal transactions; use debug_traceTransaction, debug_traceBlockByNumber or trace_block',
    [
      'debug_accountRange',
      'debug_dumpBlock',
      'debug_executionWitness',
      'debug_getBadBlocks',
      'debug_getModifiedAccountsByHash',
      'debug_getModifiedAccountsByNumber',
      'debug_intermediateRoots',
      'debug_preimage',
      'debug_printBlock',
      'debug_storageRangeAt',
      'debug_traceBadBlock',
      'debug_traceBlock',
      'debug_traceCallMany',
      'debug_traceChain',
      'trace_rawTransaction',
      'trace_replayBlockTransactions',
      'trace_replayTransaction',
    ],
  ),
  ots_getTransactionBySenderAndNonce: NONCES,
} as const satisfies Record<string, string>

/** The refused methods by wire name. */
export const unsupported = refusedMethods(reasons)

/** Methods that are refused on purpose, from the reasons that their errors give. */
export function refusedMethods<name extends string>(
  reasons: Readonly<Record<name, string>>,
): Record<name, Refused> {
  const methods = Object.entries<string>(reasons).map(([name, reason]): [string, Refused] => [
    name,
    {
      params: [],
      kind: 'refused',
      summary: reason,
      handler: () => {
        throw new MethodNotSupportedError(name, reason)
      },
    },
  ])
  return Object.fromEntries(methods) as Record<name, Refused>
}

function family<const name extends string>(
  reason: string,
  names: readonly name[],
): { [key in name]: string } {
  return Object.fromEntries(names.map((name) => [name, reason])) as { [key in name]: string }
}
