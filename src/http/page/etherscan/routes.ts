import { type Context, Hono } from 'hono'

import { textOf } from '../../../lib/bodyText.ts'
import { RpcError } from '../../../lib/errors.ts'
import type { Source } from '../reads/source.ts'
import { account } from './account.ts'
import { block, stats, transaction } from './blocks.ts'
import { contract } from './contract.ts'
import { logs } from './logs.ts'
import { proxy } from './proxy.ts'
import { type Action, type Actions, ApiError, EmptyError, type Query } from './query.ts'

/** The modules by their names on the wire. */
const MODULES: Readonly<Record<string, Actions>> = {
  account,
  block,
  contract,
  logs,
  proxy,
  stats,
  transaction,
}

/** Where tools look for the API. */
const PATHS = ['/api', '/v2/api']

/** Bytes of a form: the source of a contract to verify, or a signed transaction. */
const MOST_BYTES = 2 * 1024 * 1024

/**
 * The API of Etherscan, for tools that speak nothing else: `?module=…&action=…`. It answers HTTP 200 with
 * `{status, message, result}`, and the module `proxy` as JSON-RPC does.
 *
 * @param chainId - of the chain that is served; undefined while that is not known
 * @param sourceOf - what is read, charged to the client of the request
 */
export function etherscanRoutes({ chainId, sourceOf }: etherscanRoutes.Options): Hono {
  const app = new Hono()
  for (const path of PATHS) {
    app.get(path, async (c) => answer(c, new URLSearchParams()))
    app.post(path, async (c) => {
      const text = await textOf(c.req.raw, MOST_BYTES)
      if (text === undefined) return c.json(failure('Error! The body is too large'), 413)
      return answer(c, new URLSearchParams(text))
    })
  }

  async function answer(c: Context, form: URLSearchParams): Promise<Response> {
    const query: Query = (name) => form.get(name) || c.req.query(name) || undefined
    const action = actionOf(query)
    if (!action) return c.json(failure('Error! Missing Or invalid Module name'))
    const wanted = query('chainid')
    if (wanted !== undefined && chainId() !== undefined && Number(wanted) !== chainId())
      return c.json(failure(`Error! This API serves chain ${chainId()}`))
    // A page of another site can make a browser send a GET, so bytes are sent only by POST.
    if (query('action') === 'eth_sendRawTransaction' && c.req.method !== 'POST')
      return c.json(failure('Error! Send the transaction with POST'))
    const answered = query('module') === 'proxy' ? asRpc : asResult
    return c.json((await answered(action, query, sourceOf(c))) as object)
  }

  return app
}

export declare namespace etherscanRoutes {
  type Options = { chainId: () => number | undefined; sourceOf: (c: Context) => Source }
}

function actionOf(query: Query): Action | undefined {
  const [module, action] = [query('module') ?? '', query('action') ?? '']
  const actions = Object.hasOwn(MODULES, module) ? MODULES[module] : undefined
  return actions && Object.hasOwn(actions, action) ? actions[action] : undefined
}

const failure = (result: unknown, message = 'NOTOK') => ({ status: '0', message, result })

async function asResult(action: Action, query: Query, source: Source) {
  try {
    return { status: '1', message: 'OK', result: await action(query, source) }
  } catch (error) {
    if (error instanceof EmptyError) return failure([], error.title)
    if (error instanceof ApiError || error instanceof RpcError) return failure(error.message)
    throw error
  }
}

async function asRpc(action: Action, query: Query, source: Source) {
  const envelope = { jsonrpc: '2.0', id: 1 }
  try {
    return { ...envelope, result: await action(query, source) }
  } catch (error) {
    if (error instanceof ApiError)
      return { ...envelope, error: { code: -32602, message: error.message } }
    if (!(error instanceof RpcError)) throw error
    const { code, data, message } = error
    return { ...envelope, error: { code, message, ...(data !== undefined && { data }) } }
  }
}
