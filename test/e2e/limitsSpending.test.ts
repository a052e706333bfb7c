import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { startGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

let dev: DevGateway
beforeAll(async () => {
  dev = await startDevGateway()
})
afterAll(() => dev.close())

const RECEIVER: Hex = `0x${'ab'.repeat(20)}`
const COIN = 1_000_000

/** A gateway in front of the chain that manages its first two accounts, with an API key "bound" for the first. */
async function start(more: string) {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-spending-'))
  const file = join(folder, 'keys.yaml')
  const write = (...entries: [name: string, more: string][]) =>
    writeFileSync(
      file,
      `keys:\n${entries.map(([name, more]) => `  - {name: ${name}, sha256: ${createHash('sha256').update(name).digest('hex')}${more}}\n`).join('')}`,
    )
  const bound: [string, string] = ['bound', `, accounts: ['${dev.accountOf(0)}']${more}`]
  write(bound, ['other', ''])
  const open = () =>
    startGateway({
      // The tests share the accounts of the chain, and each has its own record.
      config: { apiKeys: file, dataDir: folder, newRecord: true, upstream: dev.url },
      keys: [dev.keyOf(0), dev.keyOf(1)],
    })
  let running = await open()
  onTestFinished(async () => {
    await running.close()
    rmSync(folder, { recursive: true })
  })
  return {
    gateway: () => running.gateway,
    url: () => running.url,
    revoke: () => write(['other', '']),
    /** Replaces what the key "bound" may do. */
    restrict: (more: string) => write(['bound', more]),
    restart: async () => {
      await running.close()
      running = await open()
    },
    call: async (
      key: string | undefined,
      method: string,
      ...params: unknown[]
    ): Promise<Answer> => {
      for (;;) {
        const response = await fetch(running.url, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
          headers: key === undefined ? {} : { 'x-api-key': key },
        })
        const answer = (await response.json()) as Answer
        // A busy machine delays the event loop.
        if (answer.error?.data?.limit !== 'load') return answer
      }
    },
  }
}

type Answer = {
  result?: unknown
  error?: { code: number; message: string; data?: { limit?: string } }
}

const pay = (from: Hex, value: number) => ({ from, to: RECEIVER, value: `0x${value.toString(16)}` })

test('default: only the key that names an account may use it', async () => {
  const { call } = await start('')
  const [own, free] = [dev.accountOf(0), dev.accountOf(1)]
  expect((await call('bound', 'eth_accounts')).result).toEqual([own])
  expect((await call('other', 'eth_accounts')).result).toEqual([free])
  expect((await call(undefined, 'eth_accounts')).result).toEqual([free])
  expect(await call('bound', 'eth_sendTransaction', pay(own, 1))).toHaveProperty('result')
  expect(await call('other', 'eth_sendTransaction', pay(free, 1))).toHaveProperty('result')
  const raw = await privateKeyToAccount(dev.keyOf(0)).signTransaction({
    chainId: Number(await dev.rpc('eth_chainId')),
    gas: 100_000n,
    gasPrice: 1_000n,
    nonce: 1,
    to: RECEIVER,
    type: 'legacy',
    value: 1n,
  })
  for (const [key, account] of [
    ['other', own],
    [undefined, own],
    ['bound', free],
  ] as const) {
    const calls: [string, ...unknown[]][] = [
      ['eth_sendTransaction', pay(account, 1)],
      ['eth_signTransaction', pay(account, 1)],
      ['eth_sign', account, '0x00'],
      ['personal_sign', '0x00', account],
      ...(account === own ? [['eth_sendRawTransaction', raw] as [string, string]] : []),
    ]
    for (const [method, ...params] of calls)
      expect({ key, method, ...(await call(key, method, ...params)).error }).toMatchObject({
        key,
        method,
        code: -32000,
        message: expect.stringContaining('unknown account'),
      })
  }
  expect(await call('bound', 'eth_sendRawTransaction', raw)).toHaveProperty('result')
})

test('behavior: a key spends up to its limit a day, also after a restart', async () => {
  const { call, restart } = await start(`, spend: ${4 * COIN}`)
  const from = dev.accountOf(0)
  // Each costs its value and at most 0.3 coins for its bytes.
  const send = async (value: number, method = 'eth_sendTransaction') =>
    call('bound', method, { ...pay(from, value), to: dev.accountOf(5) })
  expect((await send(2 * COIN)).error).toBeUndefined()
  await restart()
  const before = await dev.rpc('eth_getBalance', from, 'latest')
  const { error } = await send(2 * COIN)
  expect(error).toMatchObject({
    code: -32029,
    message: expect.stringMatching(
      /^the API key bound may spend 4000000 sun a day: it has spent 2[23]\d{5}, and this transaction may cost 2[23]\d{5} \(value, fee limit and fees\)$/,
    ),
    data: {
      limit: 'spend',
      scope: 'key',
      amount: expect.stringMatching(/^2[23]\d{5}$/),
      left: expect.stringMatching(/^1[67]\d{5}$/),
      resetAt: expect.stringMatching(/T00:00:00.000Z$/),
    },
  })
  // A signature alone is refused too, because anybody can broadcast it.
  expect((await send(2 * COIN, 'eth_signTransaction')).error?.code).toBe(-32029)
  expect(await dev.rpc('eth_getBalance', from, 'latest')).toBe(before)
  expect((await send(COIN)).error).toBeUndefined()
  expect((await send(COIN)).error?.code).toBe(-32029)
})

test('behavior: a key bounds what its transactions cost, with the accounts that they create', async () => {
  const { call } = await start(`, spend: ${3 * COIN}`)
  const from = dev.accountOf(0)
  const balance = async () => BigInt((await dev.rpc('eth_getBalance', from, 'latest')) as Hex)
  const before = await balance()
  const answers: Answer[] = []
  for (let index = 0; index < 5; index++) {
    const to = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`).address
    answers.push(await call('bound', 'eth_sendTransaction', { ...pay(from, 1), to }))
  }
  expect(answers.map(({ error }) => error?.code)).toEqual([
    undefined,
    undefined,
    -32029,
    -32029,
    -32029,
  ])
  expect(before - (await balance())).toBeLessThanOrEqual(BigInt(3 * COIN))
})

test('behavior: the same signed transaction, sent several times at once, counts once', async () => {
  const { call } = await start(`, spend: ${3 * COIN}`)
  const from = dev.accountOf(0)
  const raw = await privateKeyToAccount(dev.keyOf(0)).signTransaction({
    chainId: Number(await dev.rpc('eth_chainId')),
    gas: 100_000n,
    gasPrice: 1_000n,
    nonce: Number((await call('bound', 'eth_getTransactionCount', from, 'pending')).result),
    to: dev.accountOf(5),
    type: 'legacy',
    value: BigInt(2 * COIN),
  })
  const answers = await Promise.all(
    [1, 2, 3].map(() => call('bound', 'eth_sendRawTransaction', raw)),
  )
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(answers[0]).toHaveProperty('result')
})

test('behavior: the fee limit counts', async () => {
  const { call } = await start(`, spend: ${COIN}`)
  // The creation of a contract: its fee limit is the gas times the price.
  const create = (gas: number) => ({
    from: dev.accountOf(0),
    data: '0x00',
    gas: `0x${gas.toString(16)}`,
  })
  const { error } = await call('bound', 'eth_sendTransaction', create(10_000_000))
  expect(error).toMatchObject({ code: -32029, data: { left: String(COIN) } })
})

/** A WebSocket with the key "bound", and what it is answered. */
async function openBound(url: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/k/bound`)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  return async (method = 'eth_chainId', ...params: unknown[]) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return String(((await once(socket, 'message')) as [Buffer])[0])
  }
}

test('behavior: a revoked key makes no more calls on an open WebSocket', async () => {
  const { gateway, revoke, url } = await start('')
  const ask = await openBound(url())
  expect(await ask()).toContain('"result"')
  revoke()
  gateway().reloadApiKeys()
  expect(await ask()).toContain('"code":4100')
})

test.each([
  ['methods', ', methods: [net_version]'],
  ['origins', ', origins: ["https://app.example"]'],
  ['addresses', ', addresses: [192.0.2.0/24]'],
  ['expires', ', expires: 2020-01-01'],
])('behavior: an open WebSocket follows what its key may do now: %s', async (_, permission) => {
  const { gateway, restrict, url } = await start('')
  const ask = await openBound(url())
  expect(await ask()).toContain('"result"')
  restrict(permission)
  gateway().reloadApiKeys()
  expect(await ask()).toContain('"code":4100')
  restrict('')
  gateway().reloadApiKeys()
  expect(await ask()).toContain('"result"')
})

test('behavior: an open WebSocket spends and uses what its key may now', async () => {
  const { gateway, restrict, url } = await start('')
  const ask = await openBound(url())
  const send = () => ask('eth_sendTransaction', pay(dev.accountOf(0), COIN))
  expect(await send()).toContain('"result"')
  restrict(`, accounts: ['${dev.accountOf(0)}'], spend: 1`)
  gateway().reloadApiKeys()
  expect(await send()).toContain('"limit":"spend"')
  restrict(`, accounts: ['${dev.accountOf(0)}'], rate: 0.001, burst: 10`)
  gateway().reloadApiKeys()
  await until(async () =>
    expect(await ask('eth_getBalance', RECEIVER, 'latest')).toContain('-32005'),
  )
})
