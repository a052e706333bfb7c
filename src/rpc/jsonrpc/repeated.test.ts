import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { setupRpcServer } from '../../../test/support/rpcServer.ts'
import type { AnyMethod } from '../method.ts'
import { createRepeatedRequests } from './repeated.ts'

/** The params as they arrive, after which they are changed. */
const all: AnyMethod = {
  params: [],
  summary: '',
  handler: () => undefined,
}

const around: NonNullable<Parameters<typeof setupRpcServer>[0]>['around'] = ({ params }, run) => {
  const shown = JSON.stringify(params)
  ;(params as unknown[]).push('changed')
  return run() ?? shown
}

const setup = () => setupRpcServer({ around, methods: { all } })

test('default', () => {
  const repeated = createRepeatedRequests()
  const text = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"m","params":[1]}`
  repeated.add(text('1'), { rawId: '1', value: JSON.parse(text('1')) })
  expect(repeated.find(text('23'))).toEqual({ rawId: '23', value: JSON.parse(text('23')) })
})

describe('behavior: texts that differ in more than an integer id are parsed', () => {
  test.each([
    ['another number', '{"jsonrpc":"2.0","id":1.0,"method":"all"}'],
    ['a number with an exponent', '{"jsonrpc":"2.0","id":1e3,"method":"all"}'],
    ['a negative number', '{"jsonrpc":"2.0","id":-1,"method":"all"}'],
    ['not JSON', '{"jsonrpc":"2.0","id":01,"method":"all"}'],
    ['other params', '{"jsonrpc":"2.0","id":1,"method":"all","params":[2]}'],
    ['white space', '{"jsonrpc":"2.0","id": 1,"method":"all"}'],
  ])('%s', (_, text) => {
    const repeated = createRepeatedRequests()
    const known = '{"jsonrpc":"2.0","id":1,"method":"all"}'
    repeated.add(known, { rawId: '1', value: JSON.parse(known) })
    expect(repeated.find(text)).toBeUndefined()
  })
})

describe('behavior: these are not remembered', () => {
  test.each([
    [
      'the number is in the params',
      '{"jsonrpc":"2.0","method":"all","params":[{"id":1}],"\\u0069d":1}',
    ],
    ['a later id counts', '{"jsonrpc":"2.0","id":1,"method":"all","id" :1}'],
    ['an earlier id is the same', '{"params":[{"id":0}],"jsonrpc":"2.0","method":"all","id" :0}'],
    ['params that are not all simple', '{"jsonrpc":"2.0","id":1,"method":"all","params":[{}]}'],
    ['long', `{"jsonrpc":"2.0","id":1,"method":"all","params":["${'x'.repeat(100)}"]}`],
    ['not a request', '{"id":1}'],
  ])('%s', (_, text) => {
    const repeated = createRepeatedRequests()
    const value = JSON.parse(text) as { id: number }
    repeated.add(text, { rawId: String(value.id), value })
    expect(repeated.find(text)).toBeUndefined()
  })
})

const ID = fc.oneof(
  // Often the same number twice in a text.
  fc.constantFrom('0', '1'),
  fc.nat().map(String),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
  fc.constantFrom(
    '0',
    '-0',
    '01',
    '1e3',
    '1.0',
    '-5',
    '""',
    '"7"',
    'null',
    'true',
    '[1]',
    '{"id":2}',
  ),
)
const MEMBER = fc.oneof(
  ID.map((id) => `"id":${id}`),
  ID.map((id) => ` "id" : ${id} `),
  ID.map((id) => `"\\u0069d":${id}`),
  ID.map((id) => `"params":[${id},{"id":${id}}]`),
  ID.map((id) => `"params":[${id}]`),
  fc.constantFrom(
    '"jsonrpc":"2.0"',
    '"method":"all"',
    '"method":"echo"',
    '"method":"nope"',
    '"params":{}',
    '"params":["\\"id\\":1"]',
    '"params":["ä\u{feff}"]',
    '"error":1',
    '"__proto__":{"id":1}',
  ),
)
const BODY = fc
  .tuple(fc.array(MEMBER, { maxLength: 4 }), fc.constantFrom('', '', '', ' ', '\u{feff}', ','))
  .map(([more, before]) => `${before}{"jsonrpc":"2.0","method":"all",${more.join(',')}}`)

test('behavior: each text has the same answer whatever was asked before', async () => {
  const { ask } = setup()
  await fc.assert(
    fc.asyncProperty(BODY, ID, async (body, id) => {
      // The same text with another first number, so that a wrong place of the id would show.
      for (const text of [body, body.replace(/(?<="id":)\d+/, id), body, `[${body}]`])
        expect(await ask(text)).toBe(await setup().ask(text))
    }),
    { numRuns: 2_000 },
  )
})
