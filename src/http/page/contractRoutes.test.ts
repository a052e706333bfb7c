import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Activity, HOSTILE, makeActivity } from '../../../test/support/activity.ts'
import { type DevGateway, startDevGateway } from '../../../test/support/devGateway.ts'
import { pagesOf } from '../../../test/support/pages.ts'
import { artifacts } from '../../../test/support/recordedChain.ts'
import { toBase58Address } from '../../lib/address.ts'
import { callFunction } from './reads/contract.ts'
import type { Source } from './reads/source.ts'

let dev: DevGateway
let seen: Activity
const { open, post, textOf } = pagesOf(() => dev.url)

beforeAll(async () => {
  dev = await startDevGateway()
  seen = await makeActivity(dev)
})

afterAll(() => dev.close())

test('default: functions of the standards that its code has, also behind a proxy', async () => {
  const own = await textOf(`/address/${seen.token}?tab=contract`)
  expect(own).toContain('balanceOf')
  expect(own).not.toContain('ownerOf')
  const proxy = await textOf(`/address/${seen.proxy}?tab=contract`)
  expect(proxy).toContain('Proxy of')
  expect(proxy).toContain('balanceOf')
})

test('args: call: the answer without JavaScript', async () => {
  const query = new URLSearchParams({ call: 'balanceOf(address)', arg: dev.accountOf(1) })
  const { text } = await open(`/address/${seen.token}?${String(query)}`)
  expect(text).toMatch(/<output[^>]*>250000000 = 250 “TUSD”<\/output>/)
})

test('behavior: a pasted ABI gets forms, reads and call data', async () => {
  const { abi } = artifacts.Token
  const response = await fetch(`${dev.url}/page/functions/${seen.token}`, {
    method: 'POST',
    body: JSON.stringify({ abi }),
  })
  expect(await response.text()).toContain('data-writes')
  const entry = abi.find((item) => 'name' in item && item.name === 'balanceOf')
  expect(await post(`/page/call/${seen.token}`, { entry, args: [dev.accountOf(1)] })).toMatchObject(
    { value: '250000000 = 250 “TUSD”' },
  )
  const encoded = { data: `0x70a08231${dev.accountOf(1).slice(2).padStart(64, '0')}` }
  const request = { entry, args: [dev.accountOf(1)] }
  expect(await post('/page/encode', request)).toMatchObject(encoded)
  // A body whose length the client does not give.
  const streamed = await fetch(`${dev.url}/page/encode`, {
    method: 'POST',
    body: new Blob([JSON.stringify(request)]).stream(),
    duplex: 'half',
  })
  expect(await streamed.json()).toMatchObject(encoded)
})

test('error: an ABI of a megabyte', async () => {
  for (const path of [
    '/page/encode',
    `/page/call/${seen.token}`,
    `/page/functions/${seen.token}`,
  ]) {
    const body = `[${' '.repeat(1024 * 1024)}]`
    const response = await fetch(`${dev.url}${path}`, { method: 'POST', body })
    expect([path, response.status]).toEqual([path, 413])
  }
})

test.each([
  ['no JSON', 'x'],
  [
    'a tuple without parts',
    [
      {
        type: 'function',
        name: 'f',
        inputs: [],
        outputs: [{ name: '', type: 'tuple[]', components: [] }],
      },
    ],
  ],
  [
    'an array of billions',
    [
      {
        type: 'function',
        name: 'f',
        inputs: [{ name: '', type: 'uint256[9999][9999]' }],
        outputs: [],
      },
    ],
  ],
  ['a name that is HTML', [{ type: 'function', name: HOSTILE, inputs: [], outputs: [] }]],
])('error: %s is no ABI', async (_, abi) => {
  const response = await fetch(`${dev.url}/page/functions/${seen.token}`, {
    method: 'POST',
    body: JSON.stringify(abi),
  })
  expect(response.status).toBe(400)
})

test('args: arguments are read as the command line reads them, with every digit', async () => {
  const entry = {
    type: 'function',
    name: 'f',
    inputs: [
      { name: 'list', type: 'uint256[]' },
      { name: 'to', type: 'address' },
      { name: 'on', type: 'bool' },
    ],
    outputs: [],
  }
  const native = toBase58Address(dev.accountOf(1))
  const args = ['[9007199254740993]', native, 'true']
  const { data } = await post('/page/encode', { entry, args })
  expect(data).toContain(9_007_199_254_740_993n.toString(16).padStart(64, '0'))
  expect(data).toContain(dev.accountOf(1).slice(2).padStart(64, '0'))
  expect(await post('/page/encode', { entry, args: ['[]', native, 'yes'] })).toEqual({
    error: 'f: on (bool) needs true or false, got "yes"',
  })
})

test('error: arguments of 40 kB', async () => {
  const inputs = [{ name: 'list', type: 'uint8[]' }]
  const entry = { type: 'function', name: 'f', inputs, outputs: [] }
  const args = [`[${'1,'.repeat(20_000)}1]`]
  expect(await post('/page/encode', { entry, args })).toEqual({
    error: 'the arguments have more than 32768 characters',
  })
})

test('error: an answer whose values share their bytes', async () => {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const [items, size] = [4_000, 120_000]
  const offsets = word(items * 32).repeat(items)
  const data = `0x${word(32)}${word(items)}${offsets}${word(size)}${'ab'.repeat(size)}`
  const outputs = [{ name: 'list', type: 'bytes[]' }]
  const entry = {
    inputs: [],
    name: 'f',
    outputs,
    stateMutability: 'view',
    type: 'function',
  } as const
  const source = { ask: async () => data } as unknown as Source
  const { error, value } = await callFunction(dev.accountOf(0), entry, [], source)
  expect([value, error]).toEqual([undefined, 'the values have more than 65536 bytes'])
})

test('behavior: an ABI of many parameters has forms for as many as fit on a page', async () => {
  const inputs = Array.from({ length: 60 }, (_, index) => ({ name: `p${index}`, type: 'uint256' }))
  const abi = Array.from({ length: 100 }, (_, index) => ({
    inputs,
    name: `f${index}`,
    outputs: [],
    stateMutability: 'view',
    type: 'function',
  }))
  const response = await fetch(`${dev.url}/page/functions/${seen.token}`, {
    method: 'POST',
    body: JSON.stringify(abi),
  })
  const text = await response.text()
  expect(text).toContain('f15')
  expect(text).not.toContain('f16')
})

test('error: a wrong argument is named', async () => {
  const entry = artifacts.Token.abi.find((item) => 'name' in item && item.name === 'transfer')
  const { error } = await post('/page/encode', { entry, args: [dev.accountOf(1), 'x'] })
  expect(error).toBe('transfer: v (uint256) needs an integer, got "x"')
})

test('behavior: the calls of a page that fail are no errors of clients', async () => {
  const errors = async () => {
    const text = await (await fetch(`${dev.url}/metrics`)).text()
    return text.split('\n').filter((line) => line.startsWith('ethgate_rpc_errors_total{'))
  }
  const before = await errors()
  await textOf(`/address/${seen.proxy}`)
  const { error } = await post(`/page/call/${seen.proxy}`, {
    entry: { inputs: [], name: 'f', outputs: [], stateMutability: 'view', type: 'function' },
    args: [],
  })
  expect(error).toBeDefined()
  expect(await errors()).toEqual(before)
})
