import type { SubscriptionSpec } from '../../chain/subscriptions/hub.ts'
import * as schemas from '../../codec/schemas.ts'
import { InvalidParamsError, MethodNotSupportedError } from '../../lib/errors.ts'
import { defineMethod } from '../method.ts'
import {
  type ResumeOptions,
  resumeOptions,
  type SubscriptionArgument,
  subscriptionArgument,
  type SubscriptionKind,
  subscriptionKind,
} from '../params/subscriptionParam.ts'

export const eth_subscribe = defineMethod({
  params: [subscriptionKind, subscriptionArgument, resumeOptions],
  result: schemas.quantity,
  summary:
    'newHeads, logs, newPendingTransactions or syncing over WebSocket; `{"resumeFrom": "0x…"}` resumes heads and logs from a past block',
  handler({ chain, request, subscriptions }, [kind, argument, options]) {
    if (!request.socket)
      throw new MethodNotSupportedError('eth_subscribe', 'notifications need a WebSocket')
    if (kind === 'newPendingTransactions' && chain.view === 'solid')
      throw new MethodNotSupportedError('eth_subscribe', 'not available on the solidified view')
    return subscriptions.subscribe(request.socket, request, toSpec(kind, argument, options))
  },
})

function toSpec(
  kind: SubscriptionKind,
  argument: SubscriptionArgument,
  options: ResumeOptions,
): SubscriptionSpec {
  if (kind === 'newHeads') return { kind, unit: argument.unit, ...argument.options }
  if (kind !== 'logs') return { kind }
  if (argument.options.resumeFrom !== undefined)
    throw new InvalidParamsError(1, 'expected resumeFrom in a separate object after the filter')
  const { addresses, fromBlock, toBlock, topics } = argument.filter
  const from = heightOf(fromBlock)
  const to = heightOf(toBlock)
  if (from !== undefined && to !== undefined && from > to)
    throw new InvalidParamsError(1, 'invalid block range: fromBlock is above toBlock')
  return {
    kind,
    addresses,
    topics,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...options,
  }
}

/** Tags set no limit: clients send `earliest` and `latest` with every subscription. */
function heightOf(ref: number | string | undefined): number | undefined {
  return typeof ref === 'number' ? ref : undefined
}
