import { sharedOperations, walletOperations } from '../../native/operations.ts'
import { CommandError, EXIT } from '../command.ts'
import type { Post } from './http.ts'
import { get, isRecord, parse, scalar, stringify } from './json.ts'

type Prefix = 'wallet' | 'walletsolidity'

/** The native HTTP interface of a node or development chain. */
export type Node = {
  readonly url: string
  /**
   * Asks an operation and returns its answer with every digit kept.
   *
   * @throws CommandError with the node's own words, hexadecimal messages as text.
   */
  call(operation: string, body?: unknown, prefix?: Prefix): Promise<unknown>
}

export function createNode(options: createNode.Options): Node {
  const { url, solidityUrl, post, given } = options
  return {
    url,
    async call(operation, body, prefix = 'wallet') {
      const path = pathOf(operation)
      const base = prefix === 'wallet' ? url : solidityUrl
      const full = `${base}/${prefix}/${path}`
      const { status, text } = await post(full, body === undefined ? undefined : stringify(body))
      const where = given ? full : `${full} (no --node was given)`
      if (text.trim() === '' && status === 200)
        throw new CommandError(`${path}: the node's answer is empty; check the request's body`)
      let answer: unknown
      try {
        answer = parse(text)
      } catch {
        throw notNative(status, text, where)
      }
      if (isRecord(answer) && 'jsonrpc' in answer) throw notNative(404, '', where)
      const failure = failureOf(answer)
      if (failure !== undefined)
        throw new CommandError(`${path}: ${failure}`, { details: { answer } })
      if (status >= 400) throw notNative(status, text, where)
      return answer
    },
  }
}

export declare namespace createNode {
  type Options = {
    url: string
    /** Base of `/walletsolidity`. */
    solidityUrl: string
    post: Post
    /** Whether the user named the node; otherwise a failure says how to. */
    given: boolean
  }
}

/** An operation: the last part of its path, and whether `/walletsolidity` offers it too. */
type Known = { path: string; solidity: boolean }

/** The operations that this program knows, by the names of the specification. */
export const OPERATIONS: ReadonlyMap<string, Known> = new Map<string, Known>([
  ...known(sharedOperations, true),
  ...known(walletOperations, false),
])

function known(table: Record<string, { path: string }>, solidity: boolean): [string, Known][] {
  return Object.entries(table).map(([name, { path }]) => [name, { path, solidity }])
}

// Some paths carry capitals and some operations have a name of their own, so names are compared without case.
const PATHS = new Map(
  [...OPERATIONS].flatMap(([name, { path }]) => [
    [name.toLowerCase(), path],
    [path.toLowerCase(), path],
  ]),
)

/** The path of an operation in any spelling; one that is not known is asked for in lower case, as nearly all are. */
export function pathOf(operation: string): string {
  const name = operation.replace(/^\/?wallet(solidity)?\//, '').replaceAll(/[^A-Za-z0-9]/g, '')
  return PATHS.get(name.toLowerCase()) ?? name.toLowerCase()
}

/** Whether a name is one of the operations that are known here. */
export function isKnown(operation: string): boolean {
  return PATHS.has(pathOf(operation).toLowerCase())
}

/** The node's failure in words; undefined when the answer is not one. Reverts are no failure of this kind. */
function failureOf(answer: unknown): string | undefined {
  const error = get(answer, 'Error')
  if (typeof error === 'string') return error.replace(/^class [\w.$]+ : /, '')
  const nested = get(answer, 'result')
  const code = isRecord(nested) ? nested['code'] : get(answer, 'code')
  if (typeof code !== 'string' || code === 'SUCCESS') return undefined
  const message = isRecord(nested) ? nested['message'] : get(answer, 'message')
  return `${code}: ${textOf(scalar(message) ?? '')}`
}

/** Messages are hexadecimal unless `visible` was set or the endpoint prints them plainly. */
export function textOf(message: string): string {
  if (!/^([0-9a-f]{2})+$/i.test(message)) return message
  const text = Buffer.from(message, 'hex').toString('utf8')
  return /^[\P{C}\s]*$/u.test(text) ? text : message
}

function notNative(status: number, text: string, where: string): CommandError {
  if (text.includes('lite fullnode'))
    return new CommandError(`${where}: this node keeps no history (lite node); ask a full one`)
  if (status === 429 || status >= 500)
    return new CommandError(`${where} is busy (HTTP ${status}); try again later`, {
      exitCode: EXIT.unreachable,
    })
  return new CommandError(
    `${where} does not serve this operation (HTTP ${status}); name a node with --node http://HOST:8090, or see "ethgate wallet --list"`,
  )
}
