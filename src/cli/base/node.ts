import { shownUrl } from '../../lib/secrets.ts'
import { sharedOperations, walletOperations } from '../../native/wire/operations.ts'
import { createNativeClient } from '../../sdk/client.ts'
import { CommandError } from './errors.ts'
import { nodeFailure, NotServedError } from './failures.ts'
import { get, isRecord, scalar } from './json.ts'

type Prefix = 'wallet' | 'walletsolidity'

/** The native HTTP interface of a node or development chain. */
export type Node = ReturnType<typeof createNode>

/** A client of a node whose errors say what to do. */
export function createNode(options: createNode.Options) {
  const { given, headers, solidityUrl, timeout, url } = options
  const clients = {
    wallet: createNativeClient(url, { headers, timeout }),
    walletsolidity: createNativeClient(solidityUrl, { headers, timeout }),
  }
  return {
    url,
    /**
     * Calls an operation and returns its answer. Integers keep every digit.
     *
     * @throws CommandError with the node's own message, hexadecimal messages as text.
     */
    async call(operation: string, body?: unknown, prefix: Prefix = 'wallet') {
      const path = pathOf(operation)
      const full = shownUrl(prefix === 'wallet' ? url : solidityUrl, `/${prefix}/${path}`)
      const where = given ? full : `${full} (no --node was given)`
      const answer = await clients[prefix].call(prefix, path, body).catch((error: unknown) => {
        throw nodeFailure(error, { path, timeout, where })
      })
      // A gateway answers JSON-RPC at any path of its own.
      if (isRecord(answer) && 'jsonrpc' in answer) throw new NotServedError(where)
      const failure = failureIn(answer)
      if (failure !== undefined)
        throw new CommandError(`${path}: ${failure}`, { details: { answer } })
      return answer
    },
  }
}

export declare namespace createNode {
  type Options = {
    url: string
    /** Base of `/walletsolidity`. */
    solidityUrl: string
    /** Milliseconds for one request. */
    timeout: number
    /** Sent with every request. */
    headers: Record<string, string>
    /** Whether the user gave the node; otherwise errors explain `--node`. */
    given: boolean
  }
}

/** An operation: the last part of its path, and whether `/walletsolidity` has it too. */
type Known = { path: string; solidity: boolean }

/** The operations that this program knows, by the names of the specification. */
export const OPERATIONS: ReadonlyMap<string, Known> = new Map<string, Known>([
  ...known(sharedOperations, true),
  ...known(walletOperations, false),
])

function known(table: Record<string, { path: string }>, solidity: boolean): [string, Known][] {
  return Object.entries(table).map(([name, { path }]) => [name, { path, solidity }])
}

// Some paths have capital letters, and some operations have another name than their path. Names are compared without case.
const PATHS = new Map(
  [...OPERATIONS].flatMap(([name, { path }]) => [
    [name.toLowerCase(), path],
    [path.toLowerCase(), path],
  ]),
)

/** The path of an operation in any letter case. An unknown name is returned in lower case, because nearly all paths are. */
export function pathOf(operation: string): string {
  const name = operation.replace(/^\/?wallet(solidity)?\//, '').replaceAll(/[^A-Za-z0-9]/g, '')
  return PATHS.get(name.toLowerCase()) ?? name.toLowerCase()
}

/** Whether a name is one of the operations that are known here. */
export function isKnown(operation: string): boolean {
  return PATHS.has(pathOf(operation).toLowerCase())
}

/** The failure that an answer reports; undefined for a result. A revert is a result. */
function failureIn(answer: unknown): string | undefined {
  const nested = get(answer, 'result')
  const code = isRecord(nested) ? nested['code'] : get(answer, 'code')
  if (typeof code !== 'string' || code === 'SUCCESS') return undefined
  const message = isRecord(nested) ? nested['message'] : get(answer, 'message')
  return `${code}: ${textOf(scalar(message) ?? '')}`
}

/** The text of a message. Most operations give messages as hex of UTF-8. */
export function textOf(message: string): string {
  if (!/^([0-9a-f]{2})+$/i.test(message)) return message
  const text = Buffer.from(message, 'hex').toString('utf8')
  return /^[\P{C}\s]*$/u.test(text) ? text : message
}
