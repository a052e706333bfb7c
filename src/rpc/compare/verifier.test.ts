import { expect, test } from 'vitest'

import { compareResults } from './compare.ts'
import { createVerifier } from './verifier.ts'

const block = { hash: '0xaa', number: '0x1', transactions: ['0x1', '0x2'] }

function verifier(theirs: (method: string) => unknown, ours: () => unknown = () => block) {
  const waits: number[] = []
  const made = createVerifier({
    rate: 0.5,
    random: () => 0.4,
    now: () => 7,
    ours: async () => ours(),
    theirs: async (method) => theirs(method),
    sleep: async (ms) => void waits.push(ms),
  })
  return { ...made, waits }
}

test('default: counts equal answers', async () => {
  const made = verifier(() => ({ ...block, stateRoot: '0x1' }))
  made.observe('eth_getBlockByNumber', ['0x1', false], block)
  await made.idle()
  expect(made.report()).toEqual({
    methods: [{ method: 'eth_getBlockByNumber', matches: 1, mismatches: 0, unavailable: 0 }],
    mismatches: [],
  })
})

test('behavior: a difference that remains after two more reads is a mismatch with both values', async () => {
  const made = verifier(() => ({ ...block, hash: '0xbb' }))
  made.observe('eth_getBlockByNumber', ['latest', false], block)
  await made.idle()
  expect(made.waits).toEqual([1_000, 3_000])
  expect(made.report().mismatches).toEqual([
    {
      at: 7,
      method: 'eth_getBlockByNumber',
      params: ['latest', false],
      differences: [{ path: 'hash', ours: '0xaa', theirs: '0xbb' }],
    },
  ])
})

test('behavior: a difference because the head moved is not a mismatch', async () => {
  const made = verifier(
    () => ({ ...block, number: '0x2' }),
    () => ({ ...block, number: '0x2' }),
  )
  made.observe('eth_getBlockByNumber', ['latest', false], block)
  await made.idle()
  expect(made.report().methods).toMatchObject([{ matches: 1, mismatches: 0 }])
})

test('behavior: failures of the second source have a separate count', async () => {
  const made = verifier(() => {
    throw new Error('down')
  })
  made.observe('eth_getCode', ['0x1', 'latest'], '0x')
  await made.idle()
  expect(made.report().methods).toMatchObject([{ matches: 0, mismatches: 0, unavailable: 1 }])
})

test('behavior: methods that send or have state are never compared', async () => {
  const asked: string[] = []
  const made = verifier((method) => asked.push(method))
  for (const method of ['eth_sendRawTransaction', 'eth_newFilter', 'eth_getFilterChanges'])
    made.observe(method, [], '0x1')
  await made.idle()
  expect(asked).toEqual([])
})

test('behavior: a repeated read is compared once', async () => {
  let asked = 0
  const made: ReturnType<typeof createVerifier> = createVerifier({
    rate: 1,
    ours: async (method, params) => {
      made.observe(method, params, '0x1')
      return '0x1'
    },
    theirs: async () => `0x${++asked}ff`,
    sleep: async () => {},
  })
  made.observe('eth_getBalance', ['0x5', 'latest'], '0x1')
  await made.idle()
  expect(asked).toBe(3)
})

test('behavior: lists of different lengths and padded signatures', () => {
  expect(compareResults([1, 2], [1])).toEqual([{ path: 'length', ours: 2, theirs: 1 }])
  expect(compareResults({ r: '0x1' }, { r: '0x0001' })).toEqual([])
  expect(compareResults(null, {})).toEqual([{ path: '', ours: null, theirs: {} }])
})
