import { type DestinationStream, type Logger, pino } from 'pino'

/** Structured log: state changes at info, one line a request at debug. Never bodies, params or keys. */
export type Log = Logger

/** A log in JSON lines, on stdout unless a destination is given. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  return destination ? pino(options, destination) : pino(options)
}

/** For embedders that bring no log. */
export const silentLog: Log = pino({ level: 'silent' })
