import { constants, fstatSync, openSync, writeSync } from 'node:fs'

import { pino } from 'pino'

import { printableLines } from '../lib/printable.ts'
import { secretsIn, SHORTEST_SECRET } from '../lib/secrets.ts'
import type { Upstream } from '../native/upstream.ts'

/**
 * Structured log: state changes at info level, one line per request at debug level. Never bodies, params or keys. Loggers of
 * pino have this shape.
 */
export type Log = Readonly<Record<'debug' | 'error' | 'info' | 'warn', WriteLog>> & {
  isLevelEnabled(level: string): boolean
}

type Output = { write(line: string): void }

type WriteLog = { (fields: object, message?: string): void; (message: string): void }

/**
 * A log in JSON lines.
 *
 * @param secrets - texts that are redacted, such as API keys, because a node may repeat the path of a request in its
 *   answer. More may be added later. Texts shorter than `SHORTEST_SECRET` are not redacted.
 * @param fields - fields of every line
 */
export function createLog(
  level: string,
  destination: Output,
  secrets: readonly string[] = [],
  fields: object | null = null,
): Log {
  let escaped: string[] = []
  let known = 0
  const streamWrite = (line: string) => {
    if (known !== secrets.length) {
      known = secrets.length
      escaped = escapedSecrets(secrets)
    }
    // JSON leaves some characters as they are that a terminal acts on.
    return printableLines(
      escaped.reduce((text, secret) => text.replaceAll(secret, '[secret]'), line),
    )
  }
  return pino(
    {
      level,
      base: fields,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite },
    },
    destination,
  )
}

/** As they appear in JSON. The longest come first, because one secret may begin with another one. */
function escapedSecrets(secrets: readonly string[]): string[] {
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((left, right) => right.length - left.length)
    .map((secret) => JSON.stringify(secret).slice(1, -1))
}

/** What clients must not see of nodes: their hosts, keys in their addresses, and values of headers. */
export function hiddenTexts(nodes: readonly Upstream[]): string[] {
  const addresses = nodes
    .flatMap(({ grpc, rpc, solidity, wallet }) => [wallet, solidity, rpc, grpc])
    .filter((address) => address !== undefined)
  const headers = nodes.flatMap((node) => Object.values(node.headers))
  return [
    ...addresses.map((address) => new URL(address).host),
    ...secretsIn(addresses),
    ...headers.filter(({ length }) => length >= SHORTEST_SECRET),
  ]
}

/** The log of embedders that set none. */
export const silentLog: Log = pino({ level: 'silent' })

/** The output of log lines. */
export type LogOutput = Output & {
  /** Why lines are lost at present; undefined while they are written. */
  problem(): string | undefined
}

/**
 * Writes lines to a file descriptor. A line is lost if it cannot be written: the disk is full, or the reader of a pipe does
 * not read or has closed it. A line with the number of lost lines precedes the next written one. Never throws or waits.
 *
 * @param fd - a descriptor in non-blocking mode, such as that of `stdout()`.
 */
export function createLogOutput(fd: number): LogOutput {
  let code: string | undefined
  let lost = 0
  /** The unwritten rest of a line. */
  let rest: Buffer | undefined

  function put(bytes: Buffer): boolean {
    try {
      const written = writeSync(fd, bytes)
      rest = written < bytes.length ? bytes.subarray(written) : undefined
      code = undefined
      return true
    } catch (error) {
      code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
      return false
    }
  }

  return {
    write(line) {
      if (rest !== undefined && (!put(rest) || rest !== undefined)) {
        lost++
        return
      }
      const note = lost === 0 ? '' : lostLine(lost)
      if (put(Buffer.from(note + line))) lost = 0
      else lost++
    },
    problem: () =>
      code === undefined ? undefined : `the log cannot be written (${code}): ${lost} lines dropped`,
  }
}

/**
 * A descriptor of standard output. Opens pipes and terminals on Linux again in non-blocking mode, so that a write
 * fails instead of waiting. It does not change the original descriptor, because other processes share it.
 */
export function stdout(): number {
  try {
    const stat = fstatSync(1)
    if (!stat.isFIFO() && !stat.isCharacterDevice()) return 1
    const { O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants
    return openSync('/proc/self/fd/1', O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    return 1
  }
}

function lostLine(lost: number): string {
  const time = new Date().toISOString()
  return `${JSON.stringify({ level: 40, time, lost, msg: 'log lines were dropped' })}\n`
}
