import type { PublicRpcSchema } from 'viem'
import { expectTypeOf, test } from 'vitest'

import type { Prepared } from '../../lib/prepared.ts'
import type { methods } from './index.ts'

type Methods = typeof methods
type Unwrapped<result> = result extends Prepared<infer value> ? value : result
type Result<name extends keyof Methods> = Unwrapped<Awaited<ReturnType<Methods[name]['handler']>>>
type Spec<name> = Extract<PublicRpcSchema[number], { Method: name }>['ReturnType']

/** Methods of viem whose result type does not accept ours. */
type Mismatch = {
  [name in keyof Methods]: [Spec<name>] extends [never]
    ? never
    : NonNullable<Result<name>> extends Spec<name>
      ? never
      : name
}[keyof Methods]

/**
 * Methods whose result viem types differently: objects, because viem's types are narrower than JSON (tuples of topics, fields
 * of other chains), and test/conformance checks them at run time; ids of filters, which are any text here; `net_version`,
 * which is decimal on Ethereum too.
 */
type Exceptions =
  | 'eth_createAccessList'
  | 'eth_fillTransaction'
  | 'eth_getBlockByHash'
  | 'eth_getBlockByNumber'
  | 'eth_getBlockReceipts'
  | 'eth_getFilterChanges'
  | 'eth_getFilterLogs'
  | 'eth_getLogs'
  | 'eth_getTransactionByBlockHashAndIndex'
  | 'eth_getTransactionByBlockNumberAndIndex'
  | 'eth_getTransactionByHash'
  | 'eth_getTransactionReceipt'
  | 'eth_newBlockFilter'
  | 'eth_newFilter'
  | 'eth_newPendingTransactionFilter'
  | 'eth_simulateV1'
  | 'net_version'

test('every other result is what viem expects', () => {
  expectTypeOf<Exclude<Mismatch, Exceptions>>().toBeNever()
})
