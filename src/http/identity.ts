import type { IncomingMessage } from 'node:http'

import { type Caller, IN_PROCESS } from '../limits/caller.ts'
import { keyInHeaders, keyInPath } from '../limits/callers.ts'
import type { CallLimits } from '../limits/limits.ts'
import { UnauthorizedError } from '../limits/refusal.ts'
import type { Refusal } from './access.ts'
import { clientAddress } from './scope.ts'

/** Finds out who makes a request. */
export type Identity = {
  /**
   * Who makes a request, or why it is refused. Removes an API key from the path, so that no log, error or page can show it.
   */
  identify(incoming: IncomingMessage): Caller | Refusal
  /** The same for a WebSocket handshake, whose caller is asked for again after the handshake. */
  refusalOfUpgrade(incoming: IncomingMessage): Refusal | undefined
  callerOfUpgrade(incoming: IncomingMessage): Caller
}

/** @param trustProxy - number of proxies in front whose X-Forwarded-For is trusted */
export function createIdentity({
  limits,
  trustProxy,
}: {
  limits: Pick<CallLimits, 'callerOf'>
  trustProxy: number
}): Identity {
  const upgrading = new WeakMap<IncomingMessage, Caller>()

  function identify(incoming: IncomingMessage): Caller | Refusal {
    const { headers, url = '/' } = incoming
    const inPath = keyInPath(url)
    if (inPath) incoming.url = inPath.url
    try {
      return limits.callerOf({
        address: clientAddress(incoming, trustProxy),
        key: inPath?.key ?? keyInHeaders(headers),
        origin: headers.origin,
      })
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error
      return { status: 401, reason: error.message, code: error.code }
    }
  }

  return {
    identify,
    refusalOfUpgrade(incoming) {
      const found = identify(incoming)
      if ('reason' in found) return found
      upgrading.set(incoming, found)
      return undefined
    },
    callerOfUpgrade: (incoming) => upgrading.get(incoming) ?? IN_PROCESS,
  }
}
