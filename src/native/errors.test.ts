import { describe, expect, test } from 'vitest'

import { recordedNative } from '../../test/support/node.ts'
import { LimitExceededError, RpcError, UpstreamError } from '../lib/errors.ts'
import { decodeMessage, nodeErrorOf, splitException } from './errors.ts'
import { parseNative } from './wire/json.ts'

/** The error that a body becomes: class, code, message. */
function read(text: string, status = 200): object | undefined {
  let parsed: unknown
  try {
    parsed = parseNative(text)
  } catch {
    parsed = undefined
  }
  const error = nodeErrorOf('getx', { status, text }, parsed)
  if (!error) return undefined
  return { name: error.name, code: error.code, message: error.message }
}

const HTML = '<html>\n<head>\n<title>Error 404 Not Found</title>\n</head></html>\n'

describe('nodeErrorOf', () => {
  test('default', () => {
    for (const text of [
      '{}',
      '[]',
      '{"result":{"code":"OTHER_ERROR","message":"00"}}',
      '{"a":1}\n',
    ])
      expect(read(text)).toBeUndefined()
  })

  test('error: what the node refused', () => {
    expect(
      read(
        '{"Error":"class org.tron.core.exception.ContractValidateException : Amount must be greater than 0."}',
      ),
    ).toMatchInlineSnapshot(`
      {
        "code": -32000,
        "message": "Amount must be greater than 0.",
        "name": "NodeRefusedError",
      }
    `)
    expect(read('{"Error":"num must be non-positive number."}')).toMatchObject({
      name: 'NodeRefusedError',
      message: 'num must be non-positive number.',
    })
    expect(
      read(
        '{"Error":"class org.tron.core.services.http.JsonFormat$ParseException : 1:10: INVALID hex String"}',
      ),
    ).toMatchObject({ name: 'NodeRefusedError', message: '1:10: INVALID hex String' })
  })

  test('error: an exception of the node without a message', () => {
    const failed = {
      name: 'NodeFailedError',
      code: -32603,
      message: 'the upstream node failed to process the request',
    }
    expect(read('{"Error":"class java.lang.NullPointerException : null"}')).toEqual(failed)
    expect(
      read('{"Error":"class java.lang.NullPointerException : Cannot read the array length"}'),
    ).toEqual(failed)
    expect(read('{"Error":"class java.lang.IllegalStateException : null"}')).toEqual(failed)
  })

  test('error: an operation that the node does not offer', () => {
    expect(read('this API is closed because this node is a lite fullnode')).toMatchInlineSnapshot(`
      {
        "code": -32603,
        "message": "the upstream node does not serve getx: it is a lite node without history",
        "name": "NodeLacksApiError",
      }
    `)
    expect(read('{"Error":"this API is unavailable due to config"}', 404)).toMatchInlineSnapshot(`
      {
        "code": -32603,
        "message": "the upstream node does not serve getx: it is disabled in the node’s configuration",
        "name": "NodeLacksApiError",
      }
    `)
    const unknown = (status: number) => ({
      name: 'NodeLacksApiError',
      code: -32603,
      message: `the upstream node does not serve getx: it answered HTTP ${status}, so it lacks this operation, or the path of its address is wrong`,
    })
    expect(read(HTML, 404)).toEqual(unknown(404))
    expect(read('', 405)).toEqual(unknown(405))
  })

  test('error: limits', () => {
    const busy = {
      name: 'NodeBusyError',
      code: -32005,
      message: 'the upstream node limits the request rate, try again later',
    }
    expect(
      read('{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}'),
    ).toEqual(busy)
    expect(read('slow down', 429)).toEqual(busy)
    expect(
      read('{"Error":"The key exceeds the frequency limit(15), suspended for 5s"}', 403),
    ).toEqual(busy)
    // The node quotes the request.
    expect(
      read(
        `{"Error":"class org.tron.core.services.http.JsonFormat$ParseException : 1:8: Couldn't parse integer: For input string: \\"\\"lack of computing resources\\"\\""}`,
      ),
    ).toMatchObject({ name: 'NodeRefusedError' })
    const tooBig = { code: -32005, message: 'the request is larger than the upstream node accepts' }
    expect(read('', 413)).toMatchObject(tooBig)
    expect(
      read('{"Error":"class java.lang.Exception : body size is too big, the limit is 4194304"}'),
    ).toMatchObject(tooBig)
  })

  test('error: answers that cannot be read', () => {
    expect(read('')).toMatchObject({
      message: 'the upstream node returned an empty answer to getx',
    })
    expect(read(HTML)).toMatchObject({ message: 'the upstream node’s answer to getx is not JSON' })
    expect(read('{"a":1}', 502)).toMatchObject({ message: 'the upstream node answered HTTP 502' })
    expect(read('{"message":"no key"}', 403)).toMatchObject({
      code: -32603,
      message: 'the upstream node denies access; check the API key',
    })
    expect(read('{"Error":"no such key"}', 401)).toMatchObject({
      message: 'the upstream node denies access; check the API key',
    })
    expect(read('', 302)).toMatchObject({ message: 'the upstream node answered HTTP 302' })
  })

  test('behavior: each kind can be told apart, and is one of the errors that callers know', () => {
    const of = (text: string, status = 200) => nodeErrorOf('x', { status, text }, undefined)
    expect(of('', 429)).toBeInstanceOf(LimitExceededError)
    expect(of('', 500)).toBeInstanceOf(UpstreamError)
    expect(nodeErrorOf('x', { status: 200, text: '' }, { Error: 'no' })).toBeInstanceOf(RpcError)
  })

  test('behavior: no message shows a class name, a body or an address; the cause has the body', () => {
    const text = '{"Error":"class org.tron.FooException : class c.d.Bar$BazException : why"}'
    const error = nodeErrorOf('x', { status: 200, text }, JSON.parse(text))
    expect(error?.message).toBe('why')
    expect(error).toMatchObject({ exception: 'FooException', reason: 'why' })
    expect(String(error?.cause)).toContain(text)
  })

  test('behavior: the text of a front end is not passed on', () => {
    for (const text of ['bad key in /f00d/wallet/getaccount', 'class com.front.Refused : no key'])
      expect(read(JSON.stringify({ Error: text }))).toMatchObject({
        code: -32000,
        message: 'the upstream node refused the request',
      })
  })

  test('behavior: class names are not passed on', () => {
    const text = '{"Error":"class java.lang.ClassCastException : class a.b.c.Foo is no a.b.c.Bar"}'
    expect(read(text)).toMatchObject({
      code: -32603,
      message: 'the upstream node failed to process the request',
    })
  })

  test('behavior: every recorded error body is recognised', () => {
    const text = recordedNative('/wallet/createtransaction', {})
    expect(read(text)).toMatchObject({ code: -32000 })
    expect(read(recordedNative('/wallet/nosuch'), 405)).toMatchObject({ name: 'NodeLacksApiError' })
  })
})

describe('splitException', () => {
  test('default', () => {
    expect(
      splitException(
        "class org.tron.core.vm.program.Program$OutOfEnergyException : Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit[1]",
      ),
    ).toEqual({
      exception: 'OutOfEnergyException',
      text: "Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit[1]",
    })
  })

  test('behavior: text without a class stays as it is', () => {
    for (const text of [
      'Smart contract is not exist.',
      'a : b',
      '1.2 : x',
      'endowment out of long range',
    ])
      expect(splitException(text)).toEqual({ exception: undefined, text })
  })
})

describe('decodeMessage', () => {
  test('default', () => {
    expect(decodeMessage('524556455254206f70636f6465206578656375746564')).toBe(
      'REVERT opcode executed',
    )
    expect(decodeMessage('e4bda0e5a5bd')).toBe('你好')
  })

  test('behavior: a value that is not hex is already text', () => {
    for (const text of ['', 'REVERT opcode executed', 'abc', 'AB'])
      expect(decodeMessage(text)).toBe(text)
  })
})
