import { MethodNotSupportedError } from '../../lib/errors.ts'
import { defineMethod, schemas } from '../method.ts'
import { filterId } from '../params/subscriptionParam.ts'

export const eth_unsubscribe = defineMethod({
  params: [filterId],
  result: schemas.boolean,
  summary: 'ends a subscription; false when this connection has no subscription with that id',
  handler({ subscriptions }, [id], { socket }) {
    if (!socket)
      throw new MethodNotSupportedError('eth_unsubscribe', 'notifications need a WebSocket')
    return subscriptions.unsubscribe(socket, id)
  },
})
