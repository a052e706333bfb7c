import type { NativeTransport } from './transport.ts'

/** A transport that counts its calls. */
export type CountedTransport = NativeTransport & {
  /** Calls without an answer yet. */
  inFlight(): number
}

/** Counts the calls of a transport, so that it can be closed when the last one has ended. */
export function countInFlight(transport: NativeTransport): CountedTransport {
  let inFlight = 0
  return {
    ...transport,
    inFlight: () => inFlight,
    async send(path, body, options) {
      inFlight++
      try {
        return await transport.send(path, body, options)
      } finally {
        inFlight--
      }
    },
  }
}
