import type { Command } from 'commander'

import { closest } from '../../lib/closest.ts'
import { CommandError, EXIT, usageError } from '../base/errors.ts'
import { NotServedError } from '../base/failures.ts'
import type { Io } from '../base/io.ts'
import { get, isRecord, parse, parseLoose, scalar } from '../base/json.ts'
import { isKnown, OPERATIONS, pathOf } from '../base/node.ts'
import type { Terminal } from '../base/terminal.ts'
import { renderAnswer } from '../output/nativeTables.ts'
import type { Result } from '../output/result.ts'
import { renderRows } from '../output/table.ts'
import { parseAddress, tryAddress } from '../text/address.ts'
import { readStdin } from '../text/input.ts'
import { addWord } from '../words/command.ts'

/** `ethgate native OPERATION [JSON]`: one call of the native HTTP interface. */
export function addNativeCommand(program: Command, io: Io): void {
  addWord<{ solidity?: boolean; list?: boolean }>(program, io, {
    usage: 'native [operation] [request...]',
    summary: 'call an operation of a node’s native HTTP API',
    description:
      'Calls /wallet/OPERATION (or /walletsolidity with --solidity) of a node, or of a development chain at the address ' +
      'of --rpc-url. The request is a JSON object or name=value words; "-" reads it from standard input. Addresses may be ' +
      'T…, 41… or 0x…. Integers are printed exactly.',
    options: [
      ['--solidity', 'call /walletsolidity, which has the solidified state'],
      [
        '--node-solidity <url>',
        'address of /walletsolidity (default: port 8091 beside port 8090, else --node)',
      ],
      ['--list', 'list the known operations'],
    ],
    examples: [
      ['ethgate native getnowblock', 'the newest block of the chain at --rpc-url'],
      [
        'ethgate native GetNowBlock --solidity --node http://127.0.0.1:8090',
        'the solidified block',
      ],
      ['ethgate native getblockbynum num=42 -f blockID', 'a request as name=value, one field'],
      ['ethgate native getaccount address=TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp', 'an account'],
      [`ethgate native gettransactioninfobyid '{"value":"<txID>"}' --json`, 'an answer as JSON'],
      ['ethgate native --list', 'all known operations'],
    ],
    calls: 'node',
    hasFields: true,
    async run({ options, target }, [operation, ...words]) {
      if (options.list) return listOperations()
      if (operation === undefined)
        throw usageError(
          'the operation is missing, such as getnowblock; "ethgate native --list" shows all',
        )
      const body = normalise(operation, await readRequest(io, words as string[]))
      const prefix = options.solidity ? 'walletsolidity' : 'wallet'
      const value = await target.node.call(operation, body, prefix).catch((error: unknown) => {
        throw suggest(operation, error)
      })
      const unit = await target.unit()
      const text = (terminal: Terminal) => renderAnswer(terminal, pathOf(operation), value, unit)
      return { value, text, failure: await revertIn(operation, value) }
    },
  })
}

async function readRequest(
  io: Io,
  words: readonly string[],
): Promise<Record<string, unknown> | undefined> {
  if (words.length === 0) return undefined
  if (words.length === 1 && (words[0] === '-' || words[0]?.trimStart().startsWith('{'))) {
    const text = words[0] === '-' ? await readStdin(io) : (words[0] ?? '')
    let request: unknown
    try {
      request = parse(text)
    } catch (error) {
      throw usageError(`the request is not JSON: ${(error as Error).message}`)
    }
    if (!isRecord(request)) throw usageError('the request must be a JSON object')
    return request
  }
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=')
      if (at < 1) throw usageError(`"${word}" is neither a JSON object nor name=value`)
      const value = word.slice(at + 1)
      return [word.slice(0, at), isId(value) ? value : parseLoose(value)]
    }),
  )
}

/** Whether digits are an id (a hash, an address) and not an integer: an int64 has at most 19 digits. */
function isId(value: string): boolean {
  return /^\d{20,}$/.test(value)
}

/** Converts addresses to the format that the node reads without `visible`: 41… hexadecimal. */
function normalise(
  operation: string,
  body: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  if (body === undefined || body['visible'] === true) return body
  const contract = pathOf(operation).startsWith('getcontract')
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const isAddress = /address$/i.test(name) || (contract && name === 'value')
      const given = typeof value === 'string' && pathOf(operation) !== 'validateaddress'
      const readsAddress = given && (isAddress || value.startsWith('T')) && tryAddress(value)
      return [name, readsAddress ? parseAddress(value, name).hex : withoutPrefix(name, value)]
    }),
  )
}

/** Removes `0x` from hashes and data, because the node's HTTP API does not accept it. */
function withoutPrefix(name: string, value: unknown): unknown {
  const hex = name === 'value' || name === 'data' || name === 'transaction' || name === 'id_or_num'
  return hex && typeof value === 'string' ? value.replace(/^0x(?=[0-9a-f]{8})/i, '') : value
}

function suggest(operation: string, error: unknown): unknown {
  if (!(error instanceof NotServedError) || isKnown(operation)) return error
  const name = pathOf(operation)
  const paths = [...OPERATIONS.values()].map(({ path }) => path)
  const near = closest(name, paths, 4)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return new CommandError(
    `there is no operation ${name}${hint || '; "ethgate native --list" shows the known ones'}`,
    { exitCode: EXIT.failed, cause: error },
  )
}

/** A constant call that reverted still answers `result: true`: its transaction says FAILED. */
async function revertIn(operation: string, answer: unknown): Promise<CommandError | undefined> {
  const ret = get(answer, 'transaction', 'ret')
  if (!Array.isArray(ret) || get(ret[0], 'ret') !== 'FAILED') return undefined
  const results = get(answer, 'constant_result')
  const data: `0x${string}` = `0x${Array.isArray(results) ? (scalar(results[0]) ?? '') : ''}`
  const { describeRevert } = await import('../text/abi.ts')
  return new CommandError(
    `${pathOf(operation)}: execution reverted: ${describeRevert(data, []).text}`,
    { exitCode: EXIT.reverted, details: { data } },
  )
}

function listOperations(): Result {
  const value = [...OPERATIONS]
    .map(([name, { path, solidity }]) => ({ name, path, solidity }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const rows = value.map(({ name, path, solidity }) => [
    name,
    `/wallet/${path}`,
    solidity ? `/walletsolidity/${path}` : '',
  ])
  const head = ['operation', 'path', 'solidified state']
  return { value, text: (terminal) => renderRows(terminal, head, rows) }
}
