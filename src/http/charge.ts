import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

import type { HeldBytes } from '../lib/heldBytes.ts'
import type { CallLimits } from '../limits/limits.ts'
import { refusalHeaders, statusOf } from '../limits/refusal.ts'
import { isWallet } from './access.ts'
import type { Middleware } from './env.ts'
import { refused } from './refuse.ts'
import { connectionOf } from './scope.ts'

/** A page or a call of the native interface: both make calls to the node, so they cost units, and their bodies are held. */
export function charge({ held, limits }: charge.Options): Middleware {
  return async function charge(c, next) {
    const { incoming, outgoing } = c.env
    const caller = c.get('caller')
    const name = isWallet(incoming.url ?? '') ? 'wallet' : 'page'
    const denied = await limits.enter(caller, name, undefined)
    if (denied) {
      const { code, message: reason } = denied
      const isPage = incoming.headers.accept?.includes('text/html') === true
      const headers = Object.entries(refusalHeaders(denied, caller.limits)).flat()
      return refused({ code, isPage, reason, status: statusOf(denied) }, headers)
    }
    const { socket } = incoming
    const call = { caller, ...connectionOf(socket) }
    c.env.call = call
    const before = socket.bytesWritten
    const body = held.hold(caller.id, 'bodies')
    const leave = () => {
      body.end()
      limits.leave(caller, name, call.meter, socket.bytesWritten - before)
    }
    // The client may have gone while the limits were read.
    if (outgoing.closed) {
      leave()
      return RESPONSE_ALREADY_SENT
    }
    outgoing.once('close', leave)
    c.set('body', body)
    return next()
  }
}

export declare namespace charge {
  type Options = {
    held: HeldBytes
    limits: Pick<CallLimits, 'enter' | 'leave'>
  }
}
