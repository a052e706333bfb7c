import { withChecksum } from '../../lib/address.ts'
import { usageError } from '../base/errors.ts'
import { get, isRecord, scalar, stringify } from '../base/json.ts'
import type { Terminal } from '../base/terminal.ts'
import { decimalOf, renderValue } from './table.ts'

/** What a command prints. Text and integers have no quotes, except with `--json`. */
export type Result =
  | string
  | bigint
  | undefined
  | {
      /** JSON in a pipe. */
      value: unknown
      /** For a terminal. @default fields */
      text?: (terminal: Terminal) => string
      /** For a pipe, instead of JSON. */
      plain?: () => string
    }

/** Prints a result, or one field of it. */
export async function show(
  terminal: Terminal,
  result: Result,
  field: string | undefined,
): Promise<void> {
  if (result === undefined) return
  const { plain, text, value } =
    typeof result === 'object' ? result : { value: result, plain: () => String(result) }
  if (field !== undefined) return terminal.print(fieldText(terminal, value, field))
  if (terminal.asksJson) return terminal.print(stringify(value))
  if (terminal.mode === 'json')
    return terminal.print(plain?.() ?? (typeof value === 'string' ? value : stringify(value)))
  return terminal.print(text?.(terminal) ?? plain?.() ?? renderValue(terminal, value))
}

function fieldText(terminal: Terminal, value: unknown, field: string): string {
  const path = field.split(/[.[\]]+/).filter((name) => name !== '')
  const found = path.reduce(
    (at: unknown, name) => (Array.isArray(at) ? at[Number(name)] : get(at, name)),
    value,
  )
  if (found === undefined)
    throw usageError(
      `there is no field ${field}${isRecord(value) ? `; the fields are ${Object.keys(value).join(', ')}` : ''}`,
    )
  const text = scalar(found)
  if (terminal.asksJson || text === undefined) return stringify(found)
  return decimalOf(path.at(-1) ?? '', text) ?? withChecksum(text)
}
