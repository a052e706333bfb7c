import { describe, expect, test } from 'vitest'

import { NodeError, queryParams, readParams } from './request.ts'

const failure = (read: () => unknown) => {
  try {
    return read()
  } catch (error) {
    return error instanceof NodeError ? `${error.className} : ${error.message}` : error
  }
}

const PARSE = 'org.tron.core.services.http.JsonFormat$ParseException'

describe('readParams', () => {
  test('default: hex, numbers beyond 2^53, flags', () => {
    const params = readParams('{"a":"0xABC","n":9223372036854775807,"f":true,"s":"x"}')
    expect(params.hex('a')).toBe('0abc')
    expect(params.int('n')).toBe(2n ** 63n - 1n)
    expect(params.flag('f')).toBe(true)
    expect(params.text('s')).toBe('x')
    expect([params.int('x'), params.hex('x'), params.flag('x')]).toEqual([0n, '', false])
  })

  test('args: visible accepts base58 addresses and plain text', () => {
    const params = readParams(
      '{"visible":true,"address":"TFzhvSa3iHFwzTkWmnNmrhvGSjEy9ncdJF","name":"hi"}',
    )
    expect(params.hex('address', 'address')).toBe('4142194febc0f076d4151747569ae87374b41f4a09')
    expect(params.hex('name', 'text')).toBe('6869')
  })

  test('error: the node’s text with the position of the token', () => {
    const body = '{"num":"5","address":"junk","big":99999999999999999999}'
    const params = readParams(body)
    expect(failure(() => params.int('num'))).toBe(
      `${PARSE} : 1:8: Couldn't parse integer: For input string: ""5""`,
    )
    expect(failure(() => params.hex('address'))).toBe(`${PARSE} : 1:22: INVALID hex String`)
    expect(failure(() => params.int('big'))).toBe(
      `${PARSE} : 1:35: Couldn't parse integer: Number out of range for 64-bit signed integer: 99999999999999999999`,
    )
    expect(failure(() => readParams(''))).toBe(`${PARSE} : 1:1: Expected "{".`)
    expect(failure(() => readParams('[]'))).toBe(
      'com.alibaba.fastjson.JSONException : can not cast to JSONObject.',
    )
  })

  test('behavior: text that is not JSON is a form, unless the operation requires JSON', () => {
    expect(readParams('num=5').int('num')).toBe(5n)
    expect(failure(() => readParams('x', true))).toContain('illegal state')
  })
})

test('queryParams: members of a GET', () => {
  const params = queryParams(new URLSearchParams('num=12&visible=true&value=ab'))
  expect([params.int('num'), params.visible, params.hex('value')]).toEqual([12n, true, 'ab'])
})
