import { readFileSync } from 'node:fs'

import type { JsonSchema } from '../src/lib/jsonSchema.ts'
import { methods as served } from '../src/rpc/methods/index.ts'
import { openRpcDocument, type OpenRpcMethod } from '../src/rpc/openrpc/document.ts'

type ReferenceMethod = {
  params: { name: string; required: boolean; schema: JsonSchema }[]
  result: JsonSchema
}

/** One difference of a method: `kind where path`, such as `lacks result .withdrawals`. */
type Difference = { method: string; what: string }

type Rule = { matches: RegExp; what: string; reason: string }

const NO_BLOBS = 'the chain has no blobs'
const NO_LISTS = 'the chain has no access lists'
const NO_DELEGATION = 'an account cannot delegate to code (EIP-7702)'
const AS_GETH = 'geth accepts it, and clients send it'

/** Why the differences exist. The first rule that matches counts; every difference has one, every rule a difference. */
const RULES: readonly Rule[] = [
  {
    matches:
      /^lacks \w+ (\.tx)?(\[\])?(\.transactions\[\])?\.(blob\w*|maxFeePerBlobGas|excessBlobGas|baseFeePerBlobGas|commitments|proofs)$/,
    what: 'no fields of blobs',
    reason: NO_BLOBS,
  },
  {
    matches: /^lacks \w+ (\[\])?(\.tx)?(\.transactions\[\])?\.(accessList|blockAccessListHash)$/,
    what: 'no access list',
    reason: NO_LISTS,
  },
  {
    matches: /^lacks result (\[\])?(\.transactions\[\])?\.accessList\[\]\..*$/,
    what: '`accessList` is always empty',
    reason: NO_LISTS,
  },
  {
    matches: /^lacks \w+ (\[\])?(\.tx)?(\.transactions\[\])?\.authorizationList$/,
    what: 'no `authorizationList`',
    reason: NO_DELEGATION,
  },
  {
    matches: /^lacks params \.(type|nonce|gas|gasPrice|maxFeePerGas|maxPriorityFeePerGas|chainId)$/,
    what: 'other fields are read, but not described',
    reason: 'they have a meaning on the development chain and in simulations only',
  },
  { matches: /^adds params \.data$/, what: '`data` as well as `input`', reason: AS_GETH },
  {
    matches: /^(adds params (\.(blockNumber|blockHash|requireCanonical))?|types params (string)?)$/,
    what: 'a block may also be an object `{blockHash}` or `{blockNumber}`',
    reason: 'EIP-1898; geth accepts it',
  },
  {
    matches: /^more params (stateOverrides|blockOverrides)$/,
    what: 'state and block overrides',
    reason:
      'geth accepts them, and clients send them; other values than `null` and `{}` need `--simulate`',
  },
  {
    matches: /^optional params /,
    what: 'the last parameters are optional',
    reason: 'clients omit them; the defaults are `latest`, no percentiles, transaction hashes',
  },
  {
    matches: /^required params /,
    what: 'the parameter is required',
    reason: 'the reference does not say; the call has no meaning without it',
  },
  {
    matches: /^lacks result (\[\])?\.withdrawals\[\]$/,
    what: '`withdrawals` is empty; it and fields of blobs are only on the development chain',
    reason: 'other chains have no beacon chain and no blobs',
  },
  {
    matches: /^adds result (\[\])?\.totalDifficulty$/,
    what: '`totalDifficulty`, always zero',
    reason: 'clients from before the merge read it',
  },
  {
    matches:
      /^types result (\[\])?(\.transactions\[\])?\.(blockHash|blockNumber|blockTimestamp|transactionIndex)$/,
    what: 'block fields may be `null`',
    reason: 'a pending transaction has no block; geth does the same',
  },
  {
    matches: /^lacks result (\[\])?\.root$/,
    what: 'no `root` in receipts',
    reason: 'receipts have `status`, as after the Byzantium fork',
  },
  {
    matches: /^adds result (\[\])?\.predictedAddresses$/,
    what: '`predictedAddresses`, if a predicted address was rewritten',
    reason: 'see [sending.md](../sending.md)',
  },
  {
    matches: /^types result \[\]$/,
    what: 'always a list of logs, never of hashes',
    reason: 'only log filters support these methods, as in geth',
  },
  {
    matches: /^types params \.(fromBlock|toBlock)$/,
    what: '`pending` as the end of a range',
    reason: AS_GETH,
  },
  {
    matches: /^(adds|lacks|types) result \.(raw|tx)(\..*)?$/,
    what: '`raw` contains native bytes to sign or to send, and `tx` has only the fields of this chain',
    reason: 'the chain’s transactions are native',
  },
  {
    matches: /^types result $/,
    what: 'the bytes alone on the development chain',
    reason: 'as anvil: viem and ethers take the answer for them',
  },
  {
    matches: /^lacks params \.(blockStateCalls|returnFullTransactions|traceTransfers|validation)/,
    what: 'the members are not described one by one',
    reason: 'see [simulation.md](../simulation.md)',
  },
  {
    matches: /^(adds|types) result \[\]\.calls\[\]\.error\.(code|data)$/,
    what: 'the error of a call has `data`, and other codes',
    reason: 'it is that of eth_call: 3 and the revert data, as in geth',
  },
]

/** Rows of docs/contributors/execution-apis.md: difference, methods, reason. @throws Error for a difference without a reason, or without use. */
export function executionApisRows(): string[][] {
  const { methods: reference } = JSON.parse(
    readFileSync(new URL('../test/fixtures/execution-apis.json', import.meta.url), 'utf8'),
  ) as { methods: Record<string, ReferenceMethod> }
  const document = openRpcDocument({
    examples: {},
    limits: {},
    methods: served,
    url: '',
    version: '',
  })
  const ours = new Map(document.methods.map((method) => [method.name, method]))
  const rows: string[][] = []
  const found: Difference[] = []
  for (const [name, one] of Object.entries(reference)) {
    const own = ours.get(name)
    if (!own) throw new Error(`${name} of the execution APIs is neither served nor refused`)
    if (own['x-support'] === 'refused') rows.push(['not served', code(name), own.summary])
    else found.push(...differencesOf(name, one, own))
  }
  rows.push(...rowsOf(found))
  const more = document.methods.filter(
    (method) => method['x-support'] !== 'refused' && !(method.name in reference),
  )
  rows.push([
    'additional methods',
    more.map(({ name }) => code(name)).join(', '),
    'geth or the node has them, or they are extensions of the gateway (`ethgate_`)',
  ])
  return rows
}

function rowsOf(found: readonly Difference[]): string[][] {
  const byRule = new Map<Rule, Set<string>>()
  for (const { method, what } of found) {
    const rule = RULES.find(({ matches }) => matches.test(what))
    if (!rule) throw new Error(`${method}: no reason for the difference "${what}"`)
    byRule.set(rule, (byRule.get(rule) ?? new Set()).add(code(method)))
  }
  return RULES.map((rule) => {
    const names = byRule.get(rule)
    if (!names) throw new Error(`no method has the difference "${rule.what}" any more`)
    return [rule.what, [...names].join(', '), rule.reason]
  })
}

function differencesOf(
  method: string,
  reference: ReferenceMethod,
  own: OpenRpcMethod,
): Difference[] {
  const what = [
    ...compare('result', reference.result, own.result.schema),
    ...reference.params.flatMap(({ name, required, schema }, position) => {
      const param = own.params[position]
      if (!param) return [`lacks params ${name}`]
      return [
        ...(required && !param.required ? [`optional params ${name}`] : []),
        ...(!required && param.required ? [`required params ${name}`] : []),
        ...compare('params', schema, param.schema),
      ]
    }),
    ...own.params.slice(reference.params.length).map(({ name }) => `more params ${name}`),
  ]
  return what.map((one) => ({ method, what: one }))
}

/** The differences of two schemas: members by path, and types at a path. Below a missing member nothing is reported. */
function compare(where: string, reference: JsonSchema, own: JsonSchema): string[] {
  const [theirs, ours] = [typesByPath(reference), typesByPath(own)]
  const missing = (from: Types, to: Types) =>
    [...from.keys()].filter((path) => !to.has(path) && (path === '' || to.has(parentOf(path))))
  const differs = [...theirs].filter(([path, types]) => {
    const other = ours.get(path)
    return other && [...types].toSorted().join() !== [...other].toSorted().join()
  })
  return [
    ...missing(theirs, ours).map((path) => `lacks ${where} ${path}`),
    ...missing(ours, theirs).map((path) => `adds ${where} ${path}`),
    ...differs.map(([path]) => `types ${where} ${path}`),
  ]
}

type Types = Map<string, Set<string>>

/** JSON types and tags by path: `.a` for a member, `[]` for the entries of a list. */
function typesByPath(schema: JsonSchema, path = '', found: Types = new Map()): Types {
  const {
    anyOf = [],
    allOf = [],
    const: only,
    enum: values,
    items,
    oneOf = [],
    properties,
    type,
  } = schema as {
    [name in 'anyOf' | 'allOf' | 'oneOf']?: JsonSchema[]
  } & {
    const?: unknown
    enum?: unknown[]
    items?: JsonSchema
    properties?: Record<string, JsonSchema>
    type?: string | string[]
  }
  for (const part of [...anyOf, ...allOf, ...oneOf]) typesByPath(part, path, found)
  const types =
    only !== undefined
      ? [typeof only]
      : (values?.map((value) => JSON.stringify(value)) ?? [type ?? []].flat())
  if (types.length > 0) {
    const known = found.get(path) ?? new Set()
    for (const one of types) known.add(one)
    found.set(path, known)
  }
  for (const [name, part] of Object.entries(properties ?? {}))
    typesByPath(part, `${path}.${name}`, found)
  if (items) typesByPath(items, `${path}[]`, found)
  return found
}

function parentOf(path: string): string {
  return path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, path.lastIndexOf('.'))
}

function code(text: string): string {
  return `\`${text}\``
}
