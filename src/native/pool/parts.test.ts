import { describe, expect, test } from 'vitest'

import { asksForTexts } from '../wire/formats.ts'
import { parseAnswer } from '../wire/parseAnswer.ts'
import { createBudget } from './budget.ts'
import { createConcurrency } from './concurrency.ts'
import { chooseHead, majorityHeight, majorityOf, rightHash } from './headChoice.ts'
import { isWrongMethod } from './lacking.ts'
import { createLatency, createQuickest } from './latency.ts'
import { needOf } from './need.ts'
import { outcomeOf } from './outcome.ts'

describe('createBudget', () => {
  test('behavior: extra calls are a part of the calls, once the reserve is used up', () => {
    const budget = createBudget({ part: 0.1, reserve: 2 })
    expect([budget.spend(), budget.spend(), budget.spend()]).toEqual([true, true, false])
    for (let call = 0; call < 11; call++) budget.earn()
    expect([budget.spend(), budget.spend()]).toEqual([true, false])
  })
})

describe('createLatency', () => {
  test('default', () => {
    const latency = createLatency()
    for (let ms = 1; ms <= 100; ms++) latency.add(ms)
    expect([latency.quantile(0.5), latency.quantile(0.95), latency.p95()]).toEqual([51, 96, 96])
  })

  test('behavior: one call is enough for a figure, but not to tell what is usual', () => {
    const latency = createLatency()
    expect(latency.quantile(0.5)).toBeUndefined()
    latency.add(7)
    expect([latency.quantile(0.5), latency.quantile(0.95)]).toEqual([7, 7])
    for (let ms = 2; ms < 20; ms++) latency.add(ms)
    expect(latency.p95()).toBeUndefined()
    latency.add(20)
    expect(latency.p95()).toBe(20)
  })
})

test('behavior: the quickest call is forgotten in the second period after its own', () => {
  const quickest = createQuickest()
  expect(quickest.value()).toBeUndefined()
  const found = [
    [3, 0],
    [80, 1_000],
    [90, 700_000],
    [70, 1_400_000],
    [60, 2_100_000],
  ].map(([milliseconds = 0, time = 0]) => {
    quickest.add(milliseconds, time)
    return quickest.value()
  })
  expect(found).toEqual([3, 3, 3, 70, 60])
})

describe('createConcurrency', () => {
  test('behavior: less when calls wait inside the node, more again when they do not', () => {
    const concurrency = createConcurrency({ most: 40 })
    for (let call = 0; call < 100; call++) concurrency.observe(10, 40)
    expect(concurrency.limit()).toBe(40)
    for (let call = 0; call < 400; call++) concurrency.observe(200, 40)
    const reduced = concurrency.limit()
    expect(reduced).toBeLessThan(25)
    for (let call = 0; call < 2_000; call++) concurrency.observe(10, 40)
    expect(concurrency.limit()).toBeGreaterThan(reduced)
  })

  test('behavior: half when the node says that it is too much', () => {
    const concurrency = createConcurrency({ most: 40 })
    concurrency.overload()
    expect(concurrency.limit()).toBe(20)
    for (let time = 0; time < 10; time++) concurrency.overload()
    expect(concurrency.limit()).toBe(8)
  })
})

describe('needOf', () => {
  const hash = `${(7).toString(16).padStart(16, '0')}${'ab'.repeat(24)}`
  test.each([
    ['getnowblock', undefined, { kind: 'head', solid: false }],
    ['getblock', '{}', { kind: 'head', solid: false }],
    ['getblock', '{"id_or_num":"7"}', { kind: 'block', number: 7, solid: false }],
    ['getblock', `{"id_or_num":"${hash}"}`, { kind: 'block', number: 7, solid: false }],
    ['getblock', '{"id_or_num":"x"}', { kind: 'state', solid: false }],
    ['getblock', '{"id_or_num":{"toString":1}}', { kind: 'state', solid: false }],
    ['getblock', 'null', { kind: 'head', solid: false }],
    ['getblockbynum', '{"num":7}', { kind: 'block', number: 7, solid: false }],
    ['getblockbynum', '{}', { kind: 'block', number: 0, solid: false }],
    ['getblockbyid', `{"value":"${hash}"}`, { kind: 'block', number: 7, solid: false }],
    [
      'getblockbylimitnext',
      '{"startNum":1,"endNum":8}',
      { kind: 'block', number: 7, solid: false },
    ],
    ['gettransactioninfobyid', '{}', { kind: 'lookup', solid: false }],
    ['getaccountbalance', '{}', { kind: 'balances' }],
    ['triggerconstantcontract', '{}', { kind: 'state', solid: false }],
  ] as const)('args: %s %s', (operation, body, expected) => {
    expect(needOf(operation, false, 'read', body)).toEqual(expected)
  })

  test('behavior: builders want one node, /walletsolidity the solidified state', () => {
    expect(needOf('createtransaction', false, 'build', '{}')).toEqual({ kind: 'same' })
    expect(needOf('getaccount', true, 'read', '{}')).toEqual({
      kind: 'state',
      solid: true,
    })
  })
})

describe('outcomeOf', () => {
  test.each([
    ['getblock', 200, '{"blockID":"0","block_header":{"raw_data":{}}}', 'answer'],
    ['getblock', 200, '{}', 'unknown'],
    ['gettransactioninfobyblocknum', 200, '[]', 'unknown'],
    ['getblock', 200, '{"Error":"id must be legal block hash."}', 'unknown'],
    ['getpendingsize', 200, '{}', 'answer'],
    ['createtransaction', 200, '{"Error":"class a.b.ContractValidateException : no"}', 'answer'],
    ['triggerconstantcontract', 200, '{"result":{"result":true}}', 'answer'],
    [
      'triggerconstantcontract',
      200,
      `{"result":{"code":"OTHER_ERROR","message":"${Buffer.from('this node does not support constant').toString('hex')}"}}`,
      'lacks',
    ],
    [
      // A contract may say the same words.
      'triggerconstantcontract',
      200,
      `{"result":{"result":true,"message":"${Buffer.from('REVERT opcode executed').toString('hex')}"},"constant_result":["${Buffer.from('this node does not support constant').toString('hex')}"]}`,
      'answer',
    ],
    ['getblock', 200, 'this API is closed because this node is a lite fullnode', 'lacks'],
    ['getblock', 404, '', 'lacks'],
    ['getblock', 429, '', 'busy'],
    ['getblock', 200, '{"Error":"class x.y.Z : lack of computing resources"}', 'busy'],
    ['getblock', 200, '', 'failed'],
    ['getblock', 200, '<html>', 'failed'],
    ['getblock', 200, '{"blockID":"0","block_', 'failed'],
    ['getblock', 500, '{}', 'failed'],
    ['getaccount', 200, '{"message":"service is overloaded"}', 'failed'],
    ['getaccount', 200, '{"Error":"class java.lang.NullPointerException : null"}', 'failed'],
  ] as const)('args: %s %i %s', (operation, status, text, kind) => {
    expect(outcomeOf(operation, { status, text }, parseAnswer(text)).kind).toBe(kind)
  })
})

describe('asksForTexts', () => {
  test.each([
    ['/wallet/getblockbynum?num=7&int64_as_string=true', true],
    ['/wallet/getblockbynum?int64_as_string=TRUE', true],
    ['/wallet/getblockbynum?int64_as_string=false', false],
    ['/wallet/getblockbynum?num=7', false],
    ['/wallet/getblockbynum', false],
  ])('args: %s', (path, expected) => {
    expect(asksForTexts(path)).toBe(expected)
  })

  test('behavior: texts are integers only where they were asked for', () => {
    const text =
      '{"blockID":"07","block_header":{"raw_data":{"number":"7","timestamp":"1542607200000"}}}'
    const kindOf = (areTexts: boolean, body = text) =>
      outcomeOf('getblockbynum', { status: 200, text: body }, parseAnswer(body), areTexts).kind
    expect([kindOf(false), kindOf(true)]).toEqual(['failed', 'answer'])
    expect(kindOf(true, text.replace('"7"', '"seven"'))).toBe('failed')
    // What was checked with texts is not good for the gateway itself.
    expect(kindOf(false)).toBe('failed')
  })
})

describe('isWrongMethod', () => {
  test.each([
    [405, undefined, true, true],
    [404, undefined, true, true],
    [404, '{}', true, false],
    [404, undefined, undefined, false],
    [200, undefined, true, false],
  ])('args: %s %s %s', (status, body, isOfClient, expected) => {
    expect(isWrongMethod(status, { body, isOfClient })).toBe(expected)
  })
})

describe('chooseHead', () => {
  const view = (node: string, number: number, hash = `${number}`) => ({
    node,
    tip: { hash, number, timestamp: 0 },
  })
  const same = async (_: string, number: number) => `${number}`

  test('default', async () => {
    const chosen = await chooseHead([view('a', 5), view('b', 7), view('c', 6)], 1, same)
    expect(chosen?.node).toBe('b')
  })

  test('args: quorum', async () => {
    const views = [view('a', 5), view('b', 7), view('c', 6)]
    expect((await chooseHead(views, 2, same))?.tip.number).toBe(6)
    expect((await chooseHead(views, 3, same))?.tip.number).toBe(5)
    expect(await chooseHead(views, 4, same)).toBeUndefined()
  })

  test('args: quorum, nodes on two branches', async () => {
    const views = [view('a', 7, 'x7'), view('b', 6), view('c', 6)]
    expect((await chooseHead(views, 2, async () => 'x6'))?.tip.hash).toBe('6')
    expect(await chooseHead([view('a', 6, 'x'), view('b', 6)], 2, same)).toBeUndefined()
  })

  test('behavior: majorities', () => {
    expect(majorityHeight([5])).toBe(5)
    expect(majorityHeight([5, 9])).toBe(5)
    expect(majorityHeight([5, 9, 7])).toBe(7)
    expect(majorityHeight([])).toBeUndefined()
    expect(majorityOf(['a', 'b', 'b'])).toBe('b')
    expect(majorityOf(['a', 'b'])).toBe('a')
    expect(majorityOf([])).toBeUndefined()
  })

  test('behavior: what clients were shown decides only where no hash has more than half of all nodes', () => {
    expect(rightHash(['a', 'b', 'b'], { of: 3, shown: 'a' })).toBe('b')
    expect(rightHash(['a', 'b'], { of: 2, shown: 'b' })).toBe('b')
    expect(rightHash(['a'], { of: 3, shown: 'b' })).toBe('b')
    expect(rightHash(['a', 'b'], { missing: 1, of: 3, shown: 'b' })).toBeUndefined()
    expect(rightHash(['a', 'b'], { of: 2, shown: undefined })).toBe('a')
    expect(rightHash([], { of: 2, shown: undefined })).toBeUndefined()
  })
})
