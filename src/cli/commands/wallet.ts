import type { Command } from 'commander'

import { closest } from '../../lib/closest.ts'
import { tryAddress } from '../support/address.ts'
import {
  addCommand,
  addNodeOption,
  addOutputOptions,
  addRequestOptions,
  addRpcOption,
} from '../support/command.ts'
import { CommandError, EXIT, usageError } from '../support/errors.ts'
import { readStdin } from '../support/input.ts'
import { type Io, processIo } from '../support/io.ts'
import { get, isRecord, parse, parseLoose, scalar, stringify } from '../support/json.ts'
import { isKnown, NotServedError, OPERATIONS, pathOf } from '../support/node.ts'
import { renderRows } from '../support/table.ts'
import { resolveTarget, type TargetOptions } from '../support/target.ts'
import { createTerminal, type Terminal } from '../support/terminal.ts'
import { renderAnswer } from '../support/walletTables.ts'

/** `ethgate wallet OPERATION [JSON]`: one call of the native HTTP interface. */
export function addWalletCommand(program: Command, io: Io = processIo()): void {
  const command = addCommand(program, 'wallet', {
    summary: 'call an operation of a node’s native HTTP API',
    description:
      'Calls /wallet/OPERATION (or /walletsolidity with --solidity) of a node, or of a development chain at the address ' +
      'of --rpc. The request is a JSON object or name=value words; "-" reads it from standard input. Addresses may be ' +
      'T…, 41… or 0x…. Integers are printed exactly.',
    examples: [
      ['ethgate wallet getnowblock', 'the newest block of the chain at --rpc'],
      [
        'ethgate wallet GetNowBlock --solidity --node http://127.0.0.1:8090',
        'the solidified block',
      ],
      ['ethgate wallet getblockbynum num=42', 'a request as name=value'],
      ['ethgate wallet getaccount address=TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp', 'an account'],
      [`ethgate wallet gettransactioninfobyid '{"value":"<txID>"}' --json`, 'an answer as JSON'],
      ['ethgate wallet --list', 'all known operations'],
    ],
  })
    .argument('[operation]', 'such as getaccount, in upper or lower case')
    .argument('[request...]', 'a JSON object, or name=value words')
    .option('--solidity', 'call /walletsolidity, which has the solidified state')
    .option(
      '--node-solidity <url>',
      'address of /walletsolidity (default: port 8091 beside port 8090, else --node)',
    )
    .option('--list', 'list the known operations')
  addOutputOptions(addRequestOptions(addRpcOption(addNodeOption(command)))).action(
    (operation: string | undefined, words: string[], options: WalletOptions) =>
      wallet(io, operation, words, options),
  )
}

type WalletOptions = TargetOptions & {
  solidity?: boolean
  list?: boolean
  json?: boolean
  table?: boolean
}

async function wallet(
  io: Io,
  operation: string | undefined,
  words: string[],
  options: WalletOptions,
): Promise<void> {
  const terminal = createTerminal(options, io)
  if (options.list) return printOperations(terminal)
  if (operation === undefined)
    throw usageError(
      'the operation is missing, such as getnowblock; "ethgate wallet --list" shows all',
    )
  const { node } = resolveTarget(options, io)
  const body = normalise(operation, await readRequest(io, words))
  const answer = await node
    .call(operation, body, options.solidity ? 'walletsolidity' : 'wallet')
    .catch((error: unknown) => {
      throw suggest(operation, error)
    })
  await terminal.print(
    terminal.mode === 'json'
      ? stringify(answer)
      : renderAnswer(terminal, pathOf(operation), answer),
  )
  await failOnRevert(operation, answer)
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
      const address = given && (isAddress || value.startsWith('T')) ? tryAddress(value) : undefined
      return [name, address?.hex ?? withoutPrefix(name, value)]
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
    `there is no operation ${name}${hint || '; "ethgate wallet --list" shows the known ones'}`,
    { exitCode: EXIT.failed, cause: error },
  )
}

/** A constant call that reverted still answers `result: true`: its transaction says FAILED. */
async function failOnRevert(operation: string, answer: unknown): Promise<void> {
  const ret = get(answer, 'transaction', 'ret')
  const failed = Array.isArray(ret) && get(ret[0], 'ret') === 'FAILED'
  if (!failed) return
  const results = get(answer, 'constant_result')
  const data = Array.isArray(results) ? (scalar(results[0]) ?? '') : ''
  const { describeRevert } = await import('../support/abi.ts')
  const { text } = describeRevert(`0x${data}`, [])
  throw new CommandError(`${pathOf(operation)}: execution reverted: ${text}`, {
    exitCode: EXIT.reverted,
    details: { data: `0x${data}` },
  })
}

async function printOperations(terminal: Terminal): Promise<void> {
  if (terminal.mode === 'json')
    return terminal.print(
      stringify([...OPERATIONS].map(([name, { path, solidity }]) => ({ name, path, solidity }))),
    )
  const rows = [...OPERATIONS]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { path, solidity }]) => [
      name,
      `/wallet/${path}`,
      solidity ? `/walletsolidity/${path}` : '',
    ])
  return terminal.print(renderRows(terminal, ['operation', 'path', 'solidified state'], rows))
}
