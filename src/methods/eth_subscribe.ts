import { MethodNotSupportedError } from '../errors.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import {
  type SubscriptionKind,
  subscriptionKind,
  type SubscriptionOptions,
  subscriptionOptions,
} from '../jsonrpc/subscriptionParam.ts'
import type { SubscriptionSpec } from '../subscriptions/hub.ts'

export const eth_subscribe = defineMethod({
  params: [subscriptionKind, subscriptionOptions],
  summary:
    'newHeads, logs, newPendingTransactions or syncing over WebSocket; heads and logs also from a past block on',
  handler({ request, subscriptions }, [kind, options]) {
    if (!request.socket)
      throw new MethodNotSupportedError('eth_subscribe', 'notifications need a WebSocket')
    return subscriptions.subscribe(request.socket, request, toSpec(kind, options))
  },
})

function toSpec(
  kind: SubscriptionKind,
  { filter, fromBlock }: SubscriptionOptions,
): SubscriptionSpec {
  if (kind === 'newHeads') return { kind, fromBlock }
  if (kind === 'logs')
    return { kind, addresses: filter.addresses, topics: filter.topics, fromBlock }
  return { kind }
}
