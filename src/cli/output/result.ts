import { withChecksum } from '../../lib/address.ts'
import { type CommandError, usageError } from '../base/errors.ts'
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
      /** How the command ends after the result was printed. */
      failure?: CommandError | undefined
    }

/** Prints a result, or one field of it. @throws CommandError the failure of the result */
export async function show(
  terminal: Terminal,
  result: Result,
  field: string | undefined,
): Promise<void> {
  if (result === undefined) return
  await terminal.print(textOf(terminal, result, field))
  if (typeof result === 'object' && result.failure) throw result.failure
}

function textOf(terminal: Terminal, result: Exclude<Result, undefined>, field?: string): string {
  const { plain, text, value } =
    typeof result === 'object' ? result : { value: result, plain: () => String(result) }
  if (field !== undefined) return fieldText(terminal, value, field)
  if (terminal.asksJson) return stringify(value)
  if (terminal.mode === 'json')
    return plain?.() ?? (typeof value === 'string' ? value : stringify(value))
  return text?.(terminal) ?? plain?.() ?? renderValue(terminal, value)
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
