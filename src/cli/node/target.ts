import type { PublicClient } from 'viem'

import { headersOf, solidityBeside } from '../../config/upstreamList.ts'
import { withoutSlash } from '../../config/values.ts'
import { shownUrl } from '../../lib/secrets.ts'
import { isUnserved } from '../../native/errors.ts'
import { CommandError, EXIT, usageError } from '../base/errors.ts'
import { timeoutError, unreachableError } from '../base/failures.ts'
import type { Io } from '../base/io.ts'
import { get, parse, scalar } from '../base/json.ts'
import { createNode } from '../base/node.ts'
import { createRpc } from '../base/rpcClient.ts'
import { createUnit, type Unit } from '../text/unit.ts'

/** The values of `--rpc-url`, `--node`, `--header` and `--timeout`. */
export type TargetOptions = {
  rpcUrl?: string
  node?: string
  nodeSolidity?: string
  header?: string[]
  timeout?: string
}

/** The two APIs that a command may use. */
export type Target = ReturnType<typeof resolveTarget>

const DEFAULT_RPC = 'http://127.0.0.1:8545'

/** Seconds: a day. */
const MAX_TIMEOUT = 86_400

/**
 * Reads options, then environment, then defaults. Without a node the native HTTP API is expected at the gateway's
 * own address, where a development chain serves it.
 *
 * @param option - the name of the option that gave the JSON-RPC address. Errors name it.
 * @throws CommandError (usage) for an address that is not a URL.
 */
export function resolveTarget(
  options: TargetOptions,
  { env }: Pick<Io, 'env'>,
  option = '--rpc-url',
) {
  if (env['ETHGATE_RPC']) throw usageError('ETHGATE_RPC is now ETH_RPC_URL, as in cast')
  const rpcUrl = address(options.rpcUrl ?? (env['ETH_RPC_URL'] || DEFAULT_RPC), option)
  const nodeText = options.node ?? (env['ETHGATE_NODE'] || undefined)
  const nodeUrl = nodeText === undefined ? base(rpcUrl) : address(nodeText, '--node')
  const line = env['ETHGATE_HEADER']
  const lines = options.header ?? (line ? [line] : [])
  const headers: Record<string, string> = Object.assign({}, ...lines.map(header))
  const timeout = seconds(options.timeout ?? '30') * 1000
  const rpc = createRpc({ url: rpcUrl, timeout, headers })
  const isNodeOnly = nodeText !== undefined && options.rpcUrl === undefined
  const units = new Map<string, Promise<Unit>>()
  function unitAt(url: string): Promise<Unit> {
    const known = units.get(url) ?? readUnit(url, headers, timeout)
    units.set(url, known)
    return known
  }
  const unit = () => unitAt(isNodeOnly ? nodeUrl : base(rpcUrl))
  const ofRpc = () => unitAt(base(rpcUrl))
  const decimals = async () =>
    new URL(rpcUrl).pathname.endsWith('/wei') ? 18 : (await ofRpc()).decimals
  return {
    /** JSON-RPC with exact numbers. */
    rpc,
    /** viem's client over `rpc`, whose errors have those of `rpc` as cause. */
    async client(): Promise<PublicClient> {
      const { createPublicClient, custom } = await import('./viem.ts')
      const request = ({ method, params }: { method: string; params?: unknown }) =>
        rpc.call(method, params as unknown[])
      return createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
    },
    node: createNode({
      url: nodeUrl,
      solidityUrl: options.nodeSolidity
        ? address(options.nodeSolidity, '--node-solidity')
        : solidityBeside(nodeUrl),
      timeout,
      headers,
      given: nodeText !== undefined,
    }),
    /** Whether a node is given, by option or environment. */
    nodeGiven: nodeText !== undefined,
    /** Whether only a node is given: then the command makes no call to a gateway. */
    isNodeOnly,
    headers,
    /** The address of the gateway without the path of a view. */
    baseUrl: base(rpcUrl),
    /** The unit of the amounts in transactions, and of JSON-RPC except at `/wei`: of the node's chain if only a node is given. */
    unit,
    /** Decimals of the amounts of `rpc`: 18 at `/wei`. */
    decimals,
    /** An amount of `rpc` in the smallest unit: 10^12 at `/wei` of a chain with 6 decimals, otherwise 1. */
    scale: async () => 10n ** BigInt((await decimals()) - (await ofRpc()).decimals),
  }
}

/**
 * The unit of a chain: a gateway publishes it, and a node's amounts have 6 decimals. A wrong unit would send another amount, so only
 * an answer decides.
 *
 * @throws CommandError when the server does not answer, or answers an error other than that of a node
 */
async function readUnit(
  url: string,
  headers: Record<string, string>,
  timeout: number,
): Promise<Unit> {
  const limit = AbortSignal.timeout(timeout)
  const { status, text } = await fetch(below(url, '/chain.json'), { headers, signal: limit })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch((error: unknown) => {
      const shown = shownUrl(url)
      throw limit.aborted ? timeoutError(shown, timeout) : unreachableError(shown, error)
    })
  if (isUnserved(status)) return createUnit(6)
  if (status !== 200)
    throw new CommandError(
      `${shownUrl(url, '/chain.json')} answered HTTP ${status}, so the decimals of the coin are unknown`,
      { exitCode: EXIT.unreachable },
    )
  return createUnit(decimalsIn(text) === '18' ? 18 : 6)
}

/** The decimals that a gateway publishes; undefined for the page of another server. */
function decimalsIn(text: string): string | undefined {
  try {
    return scalar(get(parse(text), 'decimals'))
  } catch {
    return undefined
  }
}

function address(text: string, option: string): string {
  if (/^(?:\w+:\/\/)?[^/?#]*@/.test(text))
    throw usageError(`${option} takes no user and password: give them as a header (--header)`)
  const bare = /^[\w.-]+:\d+(\/|$)/.test(text) ? `http://${text}` : text
  if (!URL.canParse(bare) || !/^(https?|wss?):$/.test(new URL(bare).protocol))
    throw usageError(`${option} needs a URL such as http://127.0.0.1:8545`)
  return withoutSlash(bare.replace(/^ws/, 'http'))
}

/** The base address of a gateway, without the path of a view. An API key in the path or the query remains. */
function base(rpc: string): string {
  return rpc.replace(/\/(jsonrpc|solidity|wei|ws)(?=[?#]|$)/, '')
}

/** The address of a path below another address, whose query it keeps. */
export function below(address: string, path: string): URL {
  const url = new URL(address)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  return url
}

function header(text: string): Record<string, string> {
  if (text.indexOf(':') < 1) throw usageError('--header needs "NAME: VALUE"')
  return headersOf(text)
}

function seconds(text: string): number {
  const number = Number(text)
  if (!(number > 0 && number <= MAX_TIMEOUT))
    throw usageError(`--timeout needs seconds, at most ${MAX_TIMEOUT}, got "${text}"`)
  return number
}
