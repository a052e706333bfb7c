import { createPoolTransport, type NativeTransport } from '../transport.ts'

/** A transport for probes and for checks of the chain. */
export type CheckTransport = NativeTransport & {
  /** The calls of this transport that begin from now on use new connections. */
  renew(): void
}

/**
 * A load balancer can lead a new connection to another node, while old connections stay with the node from before. So a check
 * that follows a new connection of other calls must open one too.
 */
export function createCheckTransport(options: createPoolTransport.Options): CheckTransport {
  let current = open(options)
  let isOld = false
  return {
    async send(path, body, sendOptions) {
      if (isOld) {
        isOld = false
        const before = current
        current = open(options)
        if (before.inFlight === 0) await before.transport.close()
      }
      const used = current
      used.inFlight++
      try {
        return await used.transport.send(path, body, sendOptions)
      } finally {
        used.inFlight--
        if (used !== current && used.inFlight === 0) await used.transport.close()
      }
    },
    renew() {
      isOld = true
    },
    close: () => current.transport.close(),
  }
}

function open(options: createPoolTransport.Options): {
  transport: NativeTransport
  inFlight: number
} {
  return { transport: createPoolTransport(options), inFlight: 0 }
}
