import { countInFlight } from './countInFlight.ts'
import { createHttpTransport, type NativeTransport } from './transport.ts'

/** A transport for probes and for checks of the chain. */
export type CheckTransport = NativeTransport & {
  /** The calls of this transport that begin from now on use new connections. */
  renew(): void
}

/**
 * A load balancer can lead a new connection to another node, while old connections stay with the node from before. So a check
 * that follows a new connection of other calls must open one too.
 */
export function createCheckTransport(options: createHttpTransport.Options): CheckTransport {
  const open = () => countInFlight(createHttpTransport(options))
  let current = open()
  let isOld = false
  return {
    async send(path, body, sendOptions) {
      if (isOld) {
        isOld = false
        const before = current
        current = open()
        if (before.inFlight() === 0) await before.close()
      }
      const used = current
      try {
        return await used.send(path, body, sendOptions)
      } finally {
        if (used !== current && used.inFlight() === 0) await used.close()
      }
    },
    renew() {
      isOld = true
    },
    close: () => current.close(),
  }
}
