import { describe, expect, test } from 'vitest'

import { call, codes, setupRpcServer } from '../../../test/support/rpcServer.ts'
import { RpcError } from '../../lib/errors.ts'

describe('limits', () => {
  test('error: nesting', async () => {
    const { ask } = setupRpcServer({ depthLimit: 4 })
    expect(codes(await ask(JSON.stringify(call('echo', [[[1]]]))))).toEqual({
      id: 1,
      result: [[1]],
    })
    expect(codes(await ask(JSON.stringify(call('echo', [[[[1]]]]))))).toEqual({
      code: -32700,
      id: null,
    })
    expect(codes(await ask('['.repeat(1_000_000) + ']'.repeat(1_000_000)))).toEqual({
      code: -32700,
      id: null,
    })
  })

  test('error: response size', async () => {
    const { ask } = setupRpcServer({ responseLimit: 100 })
    expect(codes(await ask(JSON.stringify(call('echo', ['x'.repeat(100)], 'a'))))).toEqual({
      code: -32003,
      id: 'a',
    })
  })

  test('error: response size of a batch; what came before is kept, what follows is not executed', async () => {
    const { ask, observed } = setupRpcServer({ responseLimit: 200 })
    const text = 'x'.repeat(100)
    // More entries than run at once.
    const batch = Array.from({ length: 40 }, (_, id) => call('echo', [text], id))
    expect(codes(await ask(JSON.stringify(batch)))).toEqual([
      { id: 0, result: text },
      ...Array.from({ length: 39 }, (_, id) => ({ code: -32003, id: id + 1 })),
    ])
    expect(observed.length).toBeLessThan(40)
  })
})

describe('errors', () => {
  test('behavior: code, message and data of an RpcError reach the caller', async () => {
    expect(await setupRpcServer().ask(JSON.stringify(call('refuse')))).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0x01"}}',
    )
  })

  test('behavior: the text of any other error goes to the log alone', async () => {
    const { ask, errors } = setupRpcServer()
    expect(await ask(JSON.stringify(call('crash')))).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}',
    )
    expect(errors).toEqual([new Error('http://10.0.0.1 refused')])
  })

  test('behavior: messages name the position and what was expected', async () => {
    const { ask } = setupRpcServer()
    const message = async (text: string) =>
      (JSON.parse((await ask(text)) ?? '') as { error: { message: string } }).error.message
    expect(await message(JSON.stringify(call('decode', [1])))).toBe(
      'invalid argument 1: expected a hash',
    )
    expect(await message(JSON.stringify(call('echo', { a: 1 })))).toBe(
      'invalid params: expected an array, by position',
    )
    expect(await message(JSON.stringify(call('n'.repeat(1_000))))).toHaveLength(108)
  })

  test('behavior: services that are not there yet', async () => {
    const { ask } = setupRpcServer({
      context() {
        throw new RpcError(-32603, 'not yet')
      },
    })
    expect(codes(await ask(JSON.stringify(call('echo'))))).toEqual({ code: -32603, id: 1 })
  })
})
