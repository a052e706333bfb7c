import { solidityBeside } from '../../config/upstreamList.ts'
import { usageError } from './errors.ts'
import type { Io } from './io.ts'
import { createNode, type Node } from './node.ts'
import { createRpc, type Rpc } from './rpc.ts'

/** The values of `--rpc`, `--node`, `--header` and `--timeout`. */
export type TargetOptions = {
  rpc?: string
  node?: string
  nodeSolidity?: string
  header?: string
  timeout?: string
}

/** The two APIs that a command may use. */
export type Target = {
  rpc: Rpc
  node: Node
  /** Whether a node is given, by option or environment. */
  nodeGiven: boolean
  headers: Record<string, string>
}

const DEFAULT_RPC = 'http://127.0.0.1:8545'

/**
 * Reads options, then environment, then defaults. Without a node the native HTTP API is expected at the gateway's
 * own address, where a development chain serves it.
 *
 * @throws CommandError (usage) for an address that is not a URL.
 */
export function resolveTarget(options: TargetOptions, { env }: Pick<Io, 'env'>): Target {
  const rpcUrl = address(options.rpc ?? (env['ETHGATE_RPC'] || DEFAULT_RPC), '--rpc')
  const nodeText = options.node ?? (env['ETHGATE_NODE'] || undefined)
  const nodeUrl = nodeText === undefined ? host(rpcUrl) : address(nodeText, '--node')
  const solidity = options.nodeSolidity
    ? address(options.nodeSolidity, '--node-solidity')
    : solidityBeside(nodeUrl)
  const headers = header(options.header ?? (env['ETHGATE_HEADER'] || undefined))
  const timeout = seconds(options.timeout ?? '30') * 1000
  return {
    rpc: createRpc({ url: rpcUrl, timeout, headers }),
    node: createNode({
      url: nodeUrl,
      solidityUrl: solidity,
      timeout,
      headers,
      given: nodeText !== undefined,
    }),
    nodeGiven: nodeText !== undefined,
    headers,
  }
}

function address(text: string, option: string): string {
  const bare = /^[\w.-]+:\d+(\/|$)/.test(text) ? `http://${text}` : text
  if (!URL.canParse(bare) || !/^(https?|wss?):$/.test(new URL(bare).protocol))
    throw usageError(`${option} needs a URL such as http://127.0.0.1:8545, got "${text}"`)
  return bare.replace(/^ws/, 'http').replace(/\/+$/, '')
}

/** The base address of the native HTTP API: without the gateway's own paths. An API key in the path remains. */
function host(rpc: string): string {
  return rpc.replace(/\/(jsonrpc|solidity|wei|ws)$/, '')
}

function header(text: string | undefined): Record<string, string> {
  if (text === undefined) return {}
  const at = text.indexOf(':')
  if (at < 1) throw usageError('--header needs "NAME: VALUE"')
  return { [text.slice(0, at).trim()]: text.slice(at + 1).trim() }
}

function seconds(text: string): number {
  const number = Number(text)
  if (!(number > 0 && number <= 86_400)) throw usageError(`--timeout needs seconds, got "${text}"`)
  return number
}
