import { describe, expect, test } from 'vitest'

import { call, codes, echo, setupRpcServer } from '../../../test/support/rpcServer.ts'
import { until } from '../../../test/support/until.ts'
import type { AnyMethod } from '../method.ts'

test('default', async () => {
  const { ask } = setupRpcServer()
  expect(await ask(JSON.stringify(call('echo', ['a'])))).toBe(
    '{"jsonrpc":"2.0","id":1,"result":"a"}',
  )
})

test('behavior: a prepared result is spliced in as it is', async () => {
  const { ask } = setupRpcServer()
  expect(await ask(JSON.stringify(call('prepared', [{ b: 1, ä: '€' }], 'ü')))).toBe(
    '{"jsonrpc":"2.0","id":"ü","result":{"b":1,"ä":"€"}}',
  )
})

test('behavior: a method may return a promise of a library', async () => {
  const later: AnyMethod = {
    ...echo,
    // oxlint-disable-next-line unicorn/no-thenable -- as query builders are
    handler: () => ({ then: (done: (result: string) => void) => done('a') }),
  }
  const { ask } = setupRpcServer({ methods: { later } })
  expect(await ask(JSON.stringify(call('later')))).toBe('{"jsonrpc":"2.0","id":1,"result":"a"}')
})

test('behavior: no result is null', async () => {
  const { ask } = setupRpcServer()
  expect(await ask(JSON.stringify(call('nothing')))).toBe('{"jsonrpc":"2.0","id":1,"result":null}')
})

describe('behavior: the id comes back as written', () => {
  test.each([
    '0',
    '-1',
    '1.0',
    '1.50',
    '1e3',
    '9007199254740993',
    '123456789012345678901',
    'null',
    '""',
    '"0x1"',
    '"a\\"b"',
  ])('%s', async (id) => {
    const { ask } = setupRpcServer()
    const text = `{"jsonrpc":"2.0","id":${id},"method":"echo","params":[7]}`
    expect(await ask(text)).toBe(`{"jsonrpc":"2.0","id":${id},"result":7}`)
    expect(await ask(`[${text}]`)).toBe(`[{"jsonrpc":"2.0","id":${id},"result":7}]`)
  })
})

describe('error: what is not a request', () => {
  test.each<[string, unknown]>([
    ['', { code: -32700, id: null }],
    ['{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', { code: -32700, id: null }],
    [
      '[{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"},{"jsonrpc":"2.0","method"]',
      { code: -32700, id: null },
    ],
    ['\u{feff}{}', { code: -32700, id: null }],
    ['1', { code: -32600, id: null }],
    ['null', { code: -32600, id: null }],
    ['"eth_chainId"', { code: -32600, id: null }],
    ['{}', { code: -32600, id: null }],
    ['[]', { code: -32600, id: null }],
    ['[1]', [{ code: -32600, id: null }]],
    ['[null]', [{ code: -32600, id: null }]],
    ['[[]]', [{ code: -32600, id: null }]],
    [
      '[1,2,3]',
      [
        { code: -32600, id: null },
        { code: -32600, id: null },
        { code: -32600, id: null },
      ],
    ],
    ['{"id":1,"method":"echo"}', { code: -32600, id: 1 }],
    ['{"jsonrpc":"1.0","id":1,"method":"echo"}', { code: -32600, id: 1 }],
    ['{"jsonrpc":2,"id":1,"method":"echo"}', { code: -32600, id: 1 }],
    ['{"jsonrpc":"2.0","id":1}', { code: -32600, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":1}', { code: -32600, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":null}', { code: -32600, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":1,"params":"bar"}', { code: -32600, id: 1 }],
    ['{"jsonrpc":"2.0","id":true,"method":"echo"}', { code: -32600, id: null }],
    ['{"jsonrpc":"2.0","id":{},"method":"echo"}', { code: -32600, id: null }],
    ['{"jsonrpc":"2.0","id":[1],"method":"echo"}', { code: -32600, id: null }],
    ['{"jsonrpc":"2.0","id":1,"method":"echo","params":"x"}', { code: -32600, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":"echo","params":1}', { code: -32600, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":"echo","result":1}', { code: -32600, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}', { code: -32602, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}', { code: -32602, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":"nope"}', { code: -32601, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', { code: -32601, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":"toString"}', { code: -32601, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":""}', { code: -32601, id: 1 }],
    ['{"jsonrpc":"2.0","id":1,"method":"decode","params":[1,2]}', { code: -32602, id: 1 }],
  ])('%s', async (text, expected) => {
    expect(codes(await setupRpcServer().ask(text))).toEqual(expected)
  })
})

describe('behavior: params may be left out', () => {
  test.each(['', ',"params":null', ',"params":[]'])('%s', async (params) => {
    const { ask } = setupRpcServer()
    expect(await ask(`{"jsonrpc":"2.0","id":1,"method":"echo"${params}}`)).toBe(
      '{"jsonrpc":"2.0","id":1,"result":null}',
    )
  })
})

describe('behavior: notifications are silent', () => {
  test.each([
    '{"jsonrpc":"2.0","method":"echo","params":[1]}',
    '{"jsonrpc":"2.0","method":"nope"}',
    '{"jsonrpc":"2.0","method":"crash"}',
    '{"jsonrpc":"2.0","method":"echo","params":{}}',
    '[{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","method":"nope"}]',
  ])('%s', async (text) => {
    expect(await setupRpcServer().ask(text)).toBeUndefined()
  })
})

describe('batch', () => {
  test('default: the example of the specification', async () => {
    const { ask } = setupRpcServer()
    const batch = [
      call('echo', [7], '1'),
      { jsonrpc: '2.0', method: 'echo', params: [7] },
      call('echo', [19], '2'),
      { foo: 'boo' },
      call('foo.get', { name: 'myself' }, '5'),
      call('echo', [['hello', 5]], '9'),
    ]
    expect(codes(await ask(JSON.stringify(batch)))).toEqual([
      { id: '1', result: 7 },
      { id: '2', result: 19 },
      { code: -32600, id: null },
      { code: -32601, id: '5' },
      { id: '9', result: ['hello', 5] },
    ])
  })

  test('behavior: order is kept though answers come out of order', async () => {
    const slow: AnyMethod = {
      ...echo,
      handler: (_, [ms]) => new Promise((resolve) => setTimeout(() => resolve(ms), ms as number)),
    }
    const { ask } = setupRpcServer({ methods: { slow } })
    const batch = [20, 0, 10].map((ms) => call('slow', [ms], ms))
    expect(codes(await ask(JSON.stringify(batch)))).toEqual([
      { id: 20, result: 20 },
      { id: 0, result: 0 },
      { id: 10, result: 10 },
    ])
  })

  test('behavior: one failure does not affect the others, and equal ids are each answered', async () => {
    const { ask } = setupRpcServer()
    const batch = [
      call('crash'),
      call('bigint'),
      call('echo', [1]),
      call('refuse'),
      call('prepared', ['w']),
    ]
    expect(codes(await ask(JSON.stringify(batch)))).toEqual([
      { code: -32603, id: 1 },
      { code: -32603, id: 1 },
      { id: 1, result: 1 },
      { code: 3, id: 1 },
      { id: 1, result: 'w' },
    ])
  })

  test('error: over the limit, as an array', async () => {
    const { ask, observed } = setupRpcServer({ batchLimit: 2 })
    const notification = { jsonrpc: '2.0', method: 'echo', params: [] }
    const refused = (id: string) =>
      `[{"jsonrpc":"2.0","id":${id},"error":{"code":-32005,"message":"Batch size 3 exceeds the limit of 2"}}]`
    // The id of the first call.
    const calls = [notification, { ...call('echo'), id: 7 }, { ...call('echo'), id: 8 }]
    expect(await ask(JSON.stringify(calls))).toBe(refused('7'))
    expect(await ask(JSON.stringify([notification, notification, notification]))).toBe(
      refused('null'),
    )
    expect(observed).toEqual([])
  })
})

describe('settling', () => {
  test('default: left to the connection', async () => {
    const { ask, listeners, deliveries } = setupRpcServer()
    await ask(JSON.stringify(call('page', [1])))
    expect(deliveries).toEqual([])
    for (const listener of listeners) listener(true)
    expect(deliveries).toEqual([true])
  })

  test.each([
    ['an error in its place', JSON.stringify(call('page', ['fail'])), {}],
    ['a notification', '{"jsonrpc":"2.0","method":"page","params":[1]}', {}],
    ['too large', JSON.stringify(call('page', ['x'.repeat(200)])), { responseLimit: 100 }],
    ['a result that cannot be written', JSON.stringify(call('page', ['bigint'])), {}],
  ])('behavior: not delivered: %s', async (_, text, options) => {
    const { ask, listeners, deliveries } = setupRpcServer(options)
    await ask(text)
    expect(listeners).toEqual([])
    expect(deliveries).toEqual([false])
  })

  test('behavior: in a batch each result for itself', async () => {
    const { ask, listeners, deliveries } = setupRpcServer()
    await ask(JSON.stringify([call('page', ['fail']), call('page', [1])]))
    expect(deliveries).toEqual([false])
    for (const listener of listeners) listener(true)
    expect(deliveries).toEqual([false, true])
  })

  test('behavior: registered late, it is told all the same', async () => {
    const { ask, listeners } = setupRpcServer()
    await ask(JSON.stringify(call('late')))
    await until(() => expect(listeners).toHaveLength(1))
  })
})

test('behavior: every call is observed', async () => {
  const { ask, observed } = setupRpcServer()
  await ask(JSON.stringify([call('echo'), call('nope'), 1, call('crash')]))
  expect(observed.map(({ code, method }) => `${method} ${code}`).toSorted()).toEqual([
    'crash -32603',
    'echo 0',
    'invalid -32600',
    'unknown -32601',
  ])
})
