import Table from 'cli-table3'

import { grouped } from '../../codec/coin.ts'
import { withChecksum } from '../../lib/address.ts'
import { isRecord, scalar, stringify } from '../base/json.ts'
import type { Terminal } from '../base/terminal.ts'

const BARE = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
}

/** Rows under a bold head, no lines, two spaces between columns. `right` names the columns of numbers. */
export function renderRows(
  terminal: Terminal,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  return renderTable(rows, {
    head: head.map((name) => terminal.bold(name)),
    colAligns: head.map((_, column) => (right.includes(column) ? 'right' : 'left')),
  })
}

/** Names and their values. */
export function renderFields(
  terminal: Terminal,
  fields: readonly (readonly [string, string])[],
): string {
  return renderTable(fields.map(([name, value]) => [terminal.bold(name), value]))
}

function renderTable(
  rows: readonly (readonly string[])[],
  options?: Table.TableConstructorOptions,
): string {
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 }
  const table = new Table({ ...options, chars: BARE, style })
  table.push(...rows.map((row) => [...row]))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Any JSON value for people: scalars plainly, objects as fields, lists of objects as rows. */
export function renderValue(terminal: Terminal, value: unknown): string {
  const text = scalar(value)
  if (text !== undefined) return short(terminal, 'result', text)
  if (value === null || value === undefined) return terminal.dim('null')
  if (Array.isArray(value)) return renderList(terminal, value)
  const fields = flatten(value)
  return fields.length === 0
    ? terminal.dim('{} (empty)')
    : renderFields(
        terminal,
        fields.map(([name, field]) => [name, short(terminal, name, field)]),
      )
}

function renderList(terminal: Terminal, values: readonly unknown[]): string {
  if (values.length === 0) return terminal.dim('[] (empty)')
  if (values.every((value) => scalar(value) !== undefined))
    return values.map((value) => withChecksum(scalar(value) ?? '')).join('\n')
  return values
    .map((value, index) => `${terminal.dim(`[${index}]`)}\n${renderValue(terminal, value)}`)
    .join('\n')
}

/** Members of nested objects by dotted name. Lists of scalars are joined, others keep their index. */
function flatten(value: unknown, prefix = ''): [string, string][] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [[prefix, '[]']]
    if (value.every((item) => typeof item === 'string' && item.length <= 12))
      return [[prefix, value.join(' ')]]
    return value.flatMap((item, index) => flatten(item, `${prefix}[${index}]`))
  }
  if (!isRecord(value)) return [[prefix, scalar(value) ?? stringify(value)]]
  const members = Object.entries(value)
  if (members.length === 0 && prefix !== '') return [[prefix, '{}']]
  return members.flatMap(([name, member]) => flatten(member, prefix ? `${prefix}.${name}` : name))
}

const LONGEST = 200

/** Shortens long hex, adds the decimal value to a quantity, and writes an address with its checksum. */
function short(terminal: Terminal, name: string, text: string): string {
  if (text.length > LONGEST) {
    const bytes = /^(0x)?([0-9a-f]{2})+$/i.test(text)
      ? `${grouped((text.replace(/^0x/, '').length / 2).toString())} bytes`
      : `${grouped(text.length)} characters`
    return `${text.slice(0, 66)}… ${terminal.dim(`(${bytes}; --json shows all)`)}`
  }
  const note = meaning(name, text)
  return note === undefined ? withChecksum(text) : `${text} ${terminal.dim(`(${note})`)}`
}

const BYTES = /(^|\.)(data|input|r|s|extraData|output|.*[cC]ode|.*[hH]ash|topics.*|logsBloom)$/

/** A quantity of JSON-RPC in decimal; undefined for bytes and other text. */
export function decimalOf(name: string, text: string): string | undefined {
  const isQuantity = /^0x(0|[1-9a-f][0-9a-f]{0,31})$/.test(text) && !BYTES.test(name)
  return isQuantity ? BigInt(text).toString() : undefined
}

function meaning(name: string, text: string): string | undefined {
  const number = decimalOf(name, text)
  if (number !== undefined && /timestamp$/i.test(name)) return time(Number(number) * 1000)
  if (number !== undefined) return number.length < 2 ? undefined : grouped(number)
  if (/time|expiration/i.test(name) && /^1\d{12}$/.test(text)) return time(Number(text))
  return undefined
}

/** A block, transaction or receipt as cast shows it: quantities in decimal, and what a time or a status means. */
export function renderQuantities(terminal: Terminal, value: unknown): string {
  return renderFields(
    terminal,
    flatten(value).map(([name, text]) => {
      const number = decimalOf(name, text)
      if (number === undefined) return [name, short(terminal, name, text)]
      if (/timestamp$/i.test(name)) return [name, `${number} (${time(Number(number) * 1000)})`]
      if (name === 'status') return [name, number === '1' ? '1 (success)' : `${number} (failed)`]
      return [name, number]
    }),
  )
}

/** Milliseconds as `2026-11-21 13:14:15Z`. */
export function time(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.000Z$/, 'Z')
}

/** The arguments of a decoded call, event or error, one a line. */
export function decodedFields(terminal: Terminal, args: Record<string, unknown>): string {
  return renderFields(
    terminal,
    Object.entries(args).map(([name, value]) => [
      `  ${name}`,
      typeof value === 'string' ? withChecksum(value) : stringify(value),
    ]),
  )
}
