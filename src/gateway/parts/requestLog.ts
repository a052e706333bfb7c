import type { ObservedCall, RpcCall } from '../../rpc/jsonrpc/call.ts'
import type { Log } from '../log.ts'

type LoggedRequest = { bytes: number; calls: ObservedCall[]; ms: number }

/** What a line says of a call. */
type LoggedCall = Pick<RpcCall, 'asked' | 'client' | 'code' | 'id' | 'method' | 'ms'>

/** The code of failures of the upstream or of the gateway, which are logged. Clients cause all other errors. */
const INTERNAL = -32603

/** Logs a line for each slow or failed call, and at debug level a line for each request. */
export function createRequestLog({ log, slow }: createRequestLog.Options) {
  return {
    call({ asked, client, code, id, method, ms }: LoggedCall) {
      const isSlow = slow > 0 && ms >= slow
      if (!isSlow && code !== INTERNAL) return
      const nodes = [...(asked?.names ?? [])]
      const line = {
        client,
        ...(id !== undefined && { id }),
        method,
        ms: rounded(ms),
        ...(nodes.length > 0 && { upstreams: nodes }),
      }
      if (code === INTERNAL) log.warn({ ...line, code }, 'request failed')
      else log.info(line, 'slow request')
    },
    /** Absent unless the log shows debug lines. */
    trace: log.isLevelEnabled('debug')
      ? (request: LoggedRequest) => log.debug(lineOf(request), 'request')
      : undefined,
  }
}

export declare namespace createRequestLog {
  type Options = {
    log: Log
    /** Calls that take this many milliseconds or longer are logged; 0 for none. */
    slow: number
  }
}

function lineOf({ bytes, calls, ms }: LoggedRequest) {
  const [first] = calls
  return {
    bytes,
    ms: rounded(ms),
    ...(calls.length === 1
      ? { code: first?.code, method: first?.method }
      : { calls: calls.map(({ code, method }) => (code === 0 ? method : `${method} ${code}`)) }),
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
