import { encodeAbiParameters, type Hex, keccak256, parseAbi, toEventSelector, toHex } from 'viem'
import { expect, test } from 'vitest'

import { namedEvent } from './namedEvent.ts'

const FROM = `0x${'ab'.repeat(20)}` as const

test('default: values by position and by name', () => {
  const abi = parseAbi([
    'struct Part { uint256 no; address who; }',
    'event Paid(string indexed memo, uint256[] amounts, bytes3 tag, bool done, Part part, string text)',
  ])
  const [event] = abi
  const topics = [toEventSelector(event), keccak256(toHex('memo'))]
  const data = encodeAbiParameters(event.inputs.slice(1), [
    [1n, 2n ** 70n],
    '0x010203',
    true,
    { no: 7n, who: FROM },
    `0x${'22'.repeat(32)}`,
  ] as never)
  const values = {
    memo: topics[1]?.slice(2),
    amounts: '[1, 1180591620717411303424]',
    tag: '010203',
    done: 'true',
    part: `[7, ${FROM}]`,
    text: `0x${'22'.repeat(32)}`,
  }
  expect(namedEvent({ data, topics }, abi)).toEqual({
    event_name: 'Paid',
    event:
      'Paid(string indexed memo, uint256[] amounts, bytes3 tag, bool done, tuple part, string text)',
    result: { ...Object.fromEntries(Object.values(values).entries()), ...values },
    result_type: {
      memo: 'string',
      amounts: 'uint256[]',
      tag: 'bytes3',
      done: 'bool',
      part: 'tuple',
      text: 'string',
    },
  })
})

test('behavior: without an ABI the result has the raw words', () => {
  const topics = ['aa', 'bb'].map((byte): Hex => `0x${byte.repeat(32)}`)
  expect(namedEvent({ data: `0x${'cc'.repeat(33)}`, topics }, [])).toEqual({
    event_name: '',
    event: '',
    result: { 0: 'bb'.repeat(32), 1: 'cc'.repeat(32), 2: 'cc' },
    result_type: {},
  })
})
