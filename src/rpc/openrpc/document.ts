import { minimumPrice } from '../../limits/prices.ts'
import type { AnyMethod } from '../method.ts'
import type { ParamDoc } from '../params/params.ts'

/** An OpenRPC 1.3 document. */
export type OpenRpcDocument = ReturnType<typeof openRpcDocument>

/** A method of the OpenRPC document. */
export type OpenRpcMethod = OpenRpcDocument['methods'][number]

/** Limits in force. Bytes, blocks or counts, as their names say. */
export type Limits = Readonly<Record<string, number>>

const ERRORS = {
  invalidParams: { code: -32602, message: 'invalid params' },
  notFound: { code: -32601, message: 'method not supported' },
  server: { code: -32000, message: 'the call cannot be answered; the message gives the reason' },
  internal: { code: -32603, message: 'internal error, or the upstream cannot be reached' },
  limit: { code: -32005, message: 'a limit is exceeded' },
  revert: { code: 3, message: 'execution reverted' },
}

/** Parameters that run in the VM, so that the call can revert. */
const EXECUTED = new Set(['call', 'transaction'])

/** Describes a table of methods, from the same definitions that decode and answer calls. */
export function openRpcDocument({
  examples,
  limits,
  methods,
  url,
  version,
}: openRpcDocument.Options) {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'ethgate',
      version,
      description:
        'Ethereum JSON-RPC for a chain of java-tron nodes. Amounts are in sun, 10^-6 of the coin; at /wei they are in 10^-18.',
      license: { name: 'MIT' },
    },
    servers: [
      { name: 'full', url },
      { name: 'solidity', url: `${url}/solidity`, summary: 'as of the solidified block' },
      { name: 'wei', url: `${url}/wei`, summary: 'amounts with 18 decimals' },
    ],
    methods: Object.entries(methods)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, method]) => describeMethod(name, method, examples[name])),
    'x-limits': limits,
  }
}

export declare namespace openRpcDocument {
  type Options = {
    /** By method. */
    examples: Readonly<Record<string, { params: readonly unknown[]; result: unknown } | undefined>>
    limits: Limits
    methods: Readonly<Record<string, AnyMethod>>
    /** URL of the JSON-RPC, without a trailing slash. */
    url: string
    version: string
  }
}

function describeMethod(
  name: string,
  method: AnyMethod,
  example: { params: readonly unknown[]; result: unknown } | undefined,
) {
  const { fullOnly = false, kind = 'served', result = {}, summary } = method
  const params = paramsOf(method)
  return {
    name,
    summary,
    paramStructure: 'by-position' as const,
    params,
    result: { name: 'result', schema: result },
    errors:
      kind === 'refused'
        ? [ERRORS.notFound]
        : [
            ERRORS.invalidParams,
            ERRORS.server,
            ERRORS.internal,
            ERRORS.limit,
            ...(params.some((param) => EXECUTED.has(param.name)) ? [ERRORS.revert] : []),
          ],
    ...(example && {
      examples: [
        {
          name: 'recorded',
          params: example.params.map((value, index) => ({
            name: params[index]?.name ?? String(index),
            value,
          })),
          result: { name: 'result', value: example.result },
        },
      ],
    }),
    'x-support': kind,
    /** Whether it is refused on /solidity. */
    'x-full-only': fullOnly,
    /** Units that must be affordable before the call. What it costs is known after it. */
    'x-cost': minimumPrice(name),
  }
}

/** OpenRPC requires unique names within a method, so a repeated name gets a number. */
function paramsOf({ params }: AnyMethod) {
  const seen = new Map<string, number>()
  const listed = (params as readonly { doc?: ParamDoc }[]).filter(({ doc }) => !doc?.hidden)
  return listed.map(({ doc }, position) => {
    const {
      description,
      name,
      required = true,
      schema,
    } = doc ?? {
      name: `param${position}`,
      schema: {},
    }
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return {
      name: count === 1 ? name : `${name}${count}`,
      required,
      ...(description !== undefined && { description }),
      schema,
    }
  })
}
