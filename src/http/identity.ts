import type { IncomingMessage } from 'node:http'

import { type Caller, IN_PROCESS } from '../limits/caller.ts'
import { type CallerRequest, keyInHeaders, keyInPath } from '../limits/callers.ts'
import type { CallLimits } from '../limits/limits.ts'
import { UnauthorizedError } from '../limits/refusal.ts'
import type { Refusal } from './access.ts'
import { isLocal } from './local.ts'
import { clientAddress } from './scope.ts'

/** Finds out who makes a request. */
export type Identity = {
  /**
   * Who makes a request, or why it is refused. Removes an API key from the path, so that no log, error or page can show it.
   */
  identify(incoming: IncomingMessage): Caller | Refusal
  /** The same for a WebSocket handshake. After it, `callerOfUpgrade` has the caller as the API keys file says at that time. */
  refusalOfUpgrade(incoming: IncomingMessage): Refusal | undefined
  callerOfUpgrade(incoming: IncomingMessage): () => Caller
}

/** @param trustProxy - number of proxies in front whose X-Forwarded-For is trusted */
export function createIdentity({
  limits,
  trustProxy,
}: {
  limits: Pick<CallLimits, 'again' | 'callerOf'>
  trustProxy: number
}): Identity {
  const upgrading = new WeakMap<IncomingMessage, () => Caller>()

  function requestOf(incoming: IncomingMessage): CallerRequest {
    const { headers, url = '/' } = incoming
    const inPath = keyInPath(url)
    if (inPath) incoming.url = inPath.url
    return {
      address: clientAddress(incoming, trustProxy),
      isLocal: isLocal(incoming),
      key: inPath?.key ?? keyInHeaders(headers),
      origin: headers.origin,
    }
  }

  function callerOf(request: CallerRequest): Caller | Refusal {
    try {
      return limits.callerOf(request)
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error
      return { status: 401, reason: error.message, code: error.code }
    }
  }

  return {
    identify: (incoming) => callerOf(requestOf(incoming)),
    refusalOfUpgrade(incoming) {
      const request = requestOf(incoming)
      const found = callerOf(request)
      if ('reason' in found) return found
      upgrading.set(incoming, () => limits.again(found, request))
      return undefined
    },
    callerOfUpgrade: (incoming) => upgrading.get(incoming) ?? (() => IN_PROCESS),
  }
}
