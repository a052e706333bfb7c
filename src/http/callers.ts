import type { IncomingMessage } from 'node:http'

import { type Caller, IN_PROCESS } from '../limits/caller.ts'
import { type CallerRequest, keyInHeaders } from '../limits/callers.ts'
import type { CallLimits } from '../limits/limits.ts'
import { UnauthorizedError } from '../limits/refusal.ts'
import { type Access, isLocal, isProbe } from './access.ts'
import type { Middleware } from './env.ts'
import { refused, type Refusal } from './refuse.ts'
import { clientAddress } from './scope.ts'
import { targetOf } from './target.ts'

/** Finds out who makes a request. */
export type RequestCallers = ReturnType<typeof createRequestCallers>

/** Finds the caller of each request. Refuses those with an API key that may not be used, and without one where it is required. */
export function identify(callers: RequestCallers, access: Pick<Access, 'corsHeaders'>): Middleware {
  return function identify(c, next) {
    const { incoming } = c.env
    // A preflight has no API key.
    const isFree = incoming.method === 'OPTIONS' || isProbe(incoming)
    const caller = isFree ? IN_PROCESS : callers.of(incoming)
    if ('reason' in caller) {
      const isPage = incoming.method === 'GET' && /text\/html/.test(incoming.headers.accept ?? '')
      const headers = isPage ? ASK_FOR_KEY : access.corsHeaders(incoming)
      return Promise.resolve(refused({ ...caller, isPage }, headers))
    }
    c.set('caller', caller)
    return next()
  }
}

/** A browser then asks its user, and sends the key as password with each request to this gateway. */
const ASK_FOR_KEY = [
  'www-authenticate',
  'Basic realm="user name: key, password: the API key", charset="UTF-8"',
]

/** @param trustProxy - number of proxies in front whose X-Forwarded-For is trusted */
export function createRequestCallers(
  limits: Pick<CallLimits, 'again' | 'callerOf'>,
  trustProxy: number,
) {
  function requestOf(incoming: IncomingMessage): CallerRequest {
    const { headers } = incoming
    return {
      address: clientAddress(incoming, trustProxy),
      isLocal: isLocal(incoming),
      key: targetOf(incoming).key ?? keyInHeaders(headers),
      origin: headers.origin,
    }
  }

  return {
    /** Who makes a request, or why it is refused. */
    of(incoming: IncomingMessage): Caller | Refusal {
      try {
        return limits.callerOf(requestOf(incoming))
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error
        return { status: 401, reason: error.message, code: error.code }
      }
    },
    /** Who makes a WebSocket handshake that was not refused, as the API keys file says at each time. */
    ofUpgrade(incoming: IncomingMessage): () => Caller {
      const request = requestOf(incoming)
      const caller = limits.callerOf(request)
      return () => limits.again(caller, request)
    },
  }
}
