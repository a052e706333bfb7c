import { prettyFactory } from 'pino-pretty'

import { printable, printableLines } from '../../lib/printable.ts'
import type { LogOutput } from '../log.ts'

/**
 * A log for terminals: one line of text for each entry, without stack traces.
 *
 * @param color - whether the terminal shows colours.
 */
export function createPrettyOutput(output: LogOutput, color: boolean): LogOutput {
  const prettify = prettyFactory({
    colorize: color,
    ignore: 'pid,hostname,err',
    messageFormat: ({ err, msg }) => {
      const cause = (err as { message?: unknown } | undefined)?.message
      return printable(typeof cause === 'string' ? `${String(msg)}: ${cause}` : String(msg))
    },
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  })
  return {
    write: (line) => output.write(printableLines(prettify(line))),
    problem: () => output.problem(),
  }
}
