import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { FetchRequest, JsonRpcProvider } from 'ethers'
import { type BaseError, createPublicClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import type { Config } from '../../src/config/config.ts'
import { startDevGateway } from '../support/devGateway.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

const CHAIN_ID = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}'
const CALL =
  '{"jsonrpc":"2.0","id":8,"method":"eth_call","params":[{"to":"0x0000000000000000000000000000000000000005"}]}'
const PEERS = '{"jsonrpc":"2.0","id":9,"method":"net_peerCount"}'
/** Never refilled within a test: a unit a day. */
const POOR = { ratePerClient: 0.00001, burstPerClient: 10 }

function send(url: string, body: string, headers: Record<string, string> = {}, path = '/') {
  return fetch(url + path, { method: 'POST', body, headers })
}

/** Writes an API keys file. */
function keysFile(...entries: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-keys-'))
  const path = join(folder, 'keys.yaml')
  const write = (...lines: string[]) => writeFileSync(path, `keys:\n${lines.join('')}`)
  write(...entries)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return { path, write }
}

function entry(name: string, more = ''): string {
  const hash = createHash('sha256').update(`secret-of-${name}`).digest('hex')
  return `  - {name: ${name}, sha256: ${hash}${more && `, ${more}`}}\n`
}

// The usage of keys is not written to the folder of the user.
const start = (config: Partial<Config>, intercept?: startGateway.Options['intercept']) =>
  startGateway({ config: { dataDir: 'none', ...config }, ...(intercept && { intercept }) })

describe('refusals', () => {
  let replay: TestGateway
  beforeAll(async () => {
    replay = await startGateway({ config: POOR })
    // Uses up the burst.
    for (let call = 0; call < 210; call++) await send(replay.url, CHAIN_ID)
  })
  afterAll(() => replay.close())

  test('default: 429 with Retry-After, RateLimit and -32005', async () => {
    const response = await send(replay.url, CALL)
    expect(response.status).toBe(429)
    // The longest that a client is asked to wait; viem sleeps for any time.
    expect(response.headers.get('retry-after')).toBe('30')
    expect(response.headers.get('ratelimit-policy')).toBe('"rate";q=10;w=1000000')
    expect(response.headers.get('ratelimit')).toMatch(/^"rate";r=0;t=\d+$/)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const { error } = (await response.json()) as { error: { code: number; data: object } }
    expect(error).toMatchObject({
      code: -32005,
      data: { limit: 'rate', scope: 'address', retryAfterMs: expect.any(Number) },
    })
  })

  test('behavior: a batch gets an array', async () => {
    const response = await send(replay.url, `[${CHAIN_ID},${CHAIN_ID}]`)
    expect(response.status).toBe(429)
    expect(await response.json()).toMatchObject([{ error: { code: -32005 } }])
  })

  test('behavior: probes are never refused', async () => {
    for (const path of ['/health', '/ready', '/metrics'])
      expect((await fetch(replay.url + path)).status).toBe(200)
    const metrics = await (await fetch(`${replay.url}/metrics`)).text()
    expect(metrics).toMatch(/ethgate_calls_refused_total\{limit="rate",scope="address"\} \d+/)
  })

  test('behavior: pages are refused too', async () => {
    expect((await fetch(replay.url, { headers: { accept: 'text/html' } })).status).toBe(429)
  })

  test('behavior: a WebSocket gets the same error', async () => {
    const ws = new WebSocket(replay.url.replace('http', 'ws'))
    await once(ws, 'open')
    ws.send(CHAIN_ID)
    const [data] = (await once(ws, 'message')) as [Buffer]
    expect(JSON.parse(data.toString())).toMatchObject({ id: 7, error: { code: -32005 } })
    ws.terminate()
  })

  test('behavior: viem reports the status and does not sleep for hours', async () => {
    const client = createPublicClient({ transport: http(replay.url, { retryCount: 0 }) })
    const error = await client.getChainId().catch((error: unknown) => error)
    const isRefusal = (cause: unknown) => (cause as { status?: number }).status === 429
    expect((error as BaseError).walk(isRefusal)).not.toBeNull()
  })

  test('behavior: ethers gives up after its attempts', async () => {
    const request = new FetchRequest(replay.url)
    request.setThrottleParams({ maxAttempts: 1, slotInterval: 1 })
    const provider = new JsonRpcProvider(request, 1, { staticNetwork: true })
    onTestFinished(() => provider.destroy())
    await expect(provider.send('eth_chainId', [])).rejects.toThrow(/429|exceeded/)
  })
})

test('behavior: a batch of which a part is affordable', async () => {
  const { url } = await start(POOR)
  const response = await send(url, `[${Array.from({ length: 50 }, () => CALL).join(',')}]`)
  expect(response.status).toBe(200)
  const entries = (await response.json()) as { id: number; error?: { code: number } }[]
  expect(entries.every(({ id }) => id === 8)).toBe(true)
  const refused = entries.filter(({ error }) => error?.code === -32005)
  expect(refused.length).toBeGreaterThan(40)
  expect(refused.length).toBeLessThan(50)
})

test('behavior: the daily quota is 402 without Retry-After, which viem does not repeat', async () => {
  const { url } = await start({ dailyPerClient: 10 })
  for (let call = 0; call < 210; call++) await send(url, CHAIN_ID)
  const response = await send(url, CHAIN_ID)
  expect(response.status).toBe(402)
  expect(response.headers.get('retry-after')).toBeNull()
  const { error } = (await response.json()) as { error: { data: { resetAt: string } } }
  expect(error).toMatchObject({ code: -32029, data: { limit: 'daily', scope: 'address' } })
  expect(error.data.resetAt).toMatch(/T00:00:00/)
  let requests = 0
  const client = createPublicClient({
    transport: http(url, {
      retryCount: 3,
      onFetchRequest() {
        requests++
      },
    }),
  })
  await expect(client.getChainId()).rejects.toThrow('the daily quota is used up')
  expect(requests).toBe(1)
})

test('behavior: the price is what the nodes did', async () => {
  const { url } = await start({ ratePerClient: 100 })
  const costOf = async (method: string, params: unknown[] = []) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { headers } = await send(url, body, { 'x-ethgate-explain': '1' })
    return { cost: Number(headers.get('x-ethgate-cost')), left: headers.get('ratelimit') }
  }
  expect((await costOf('eth_chainId')).cost).toBeCloseTo(0.05, 2)
  expect((await costOf('net_peerCount')).cost).toBeCloseTo(1.05, 2)
  const { cost, left } = await costOf('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x40' }])
  expect(cost).toBeGreaterThan(5)
  expect(left).toMatch(/^"rate";r=9\d\d;t=\d+$/)
  // From memory.
  const again = await costOf('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x40' }])
  expect(again.cost).toBeLessThan(0.5)
  const limits = await send(url, '{"jsonrpc":"2.0","id":1,"method":"ethgate_limits"}')
  expect(await limits.json()).toMatchObject({
    result: {
      caller: '127.0.0.1',
      scope: 'address',
      limits: { rate: 100, burst: 1000 },
      limit: 'rate',
      remaining: expect.any(Number),
    },
  })
})

/** Units that an address has left. */
async function remaining(url: string): Promise<number> {
  const answer = await send(url, '{"jsonrpc":"2.0","id":1,"method":"ethgate_limits"}')
  return ((await answer.json()) as { result: { remaining: number } }).result.remaining
}

describe('pages', () => {
  const open = (url: string, headers: Record<string, string> = {}) =>
    fetch(url, { headers: { accept: 'text/html', ...headers } })

  test('behavior: a view costs what it made the nodes do, and a stranger is refused in HTML', async () => {
    const { url } = await start({ ratePerClient: 0.00001, burstPerClient: 50 })
    const before = await remaining(url)
    const view = await open(`${url}/address/0x0000000000000000000000000000000000000005`)
    expect(view.status).toBe(200)
    await view.text()
    // Account, resources and contract of the address are calls to the node.
    await expect.poll(async () => before - (await remaining(url))).toBeGreaterThan(3)
    let refused = view
    for (let reload = 0; refused.status === 200 && reload < 200; reload++) {
      refused = await open(`${url}/address/0x000000000000000000000000000000000000000${reload % 10}`)
      if (refused.status === 200) await refused.text()
    }
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('30')
    expect(refused.headers.get('content-type')).toContain('text/html')
    expect(await refused.text()).toContain('too many requests')
    // Programs get JSON.
    const program = await open(`${url}/address/x`, { accept: '*/*' })
    expect(program.status).toBe(429)
    expect(await program.json()).toMatchObject({ error: { code: -32005 } })
  })

  test('behavior: a visitor who leaves at once is charged, and its other calls are not made', async () => {
    let asked = 0
    const { url } = await start({ ratePerClient: 0.00001, burstPerClient: 100 }, ({ path }) => {
      if (path !== '/wallet/getaccount') return undefined
      asked++
      return new Promise(() => {})
    })
    const before = await remaining(url)
    const leaving = new AbortController()
    const visit = fetch(`${url}/address/0x0000000000000000000000000000000000000005`, {
      headers: { accept: 'text/html', connection: 'close' },
      signal: leaving.signal,
    }).then((response) => response.text())
    await expect.poll(() => asked).toBe(1)
    leaving.abort()
    await expect(visit).rejects.toThrow('abort')
    await expect.poll(async () => before - (await remaining(url))).toBeGreaterThan(2)
  })

  test('error: a key for some contracts does not open pages, which read any contract', async () => {
    const permission = 'contracts: ["0x00000000000000000000000000000000000000aa"]'
    const { url } = await start({ apiKeys: keysFile(entry('a', permission)).path })
    expect((await open(url, { 'x-api-key': 'secret-of-a' })).status).toBe(401)
    expect((await open(url)).status).toBe(200)
  })
})

test('behavior: calls of the node’s own JSON-RPC cost units', async () => {
  const { url } = await start({ ratePerClient: 0.00001, burstPerClient: 100 })
  const before = await remaining(url)
  const params = ['0x0000000000000000000000000000000000000005', '0x0', 'latest']
  await send(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getStorageAt', params }))
  expect(before - (await remaining(url))).toBeGreaterThan(1)
})

test('behavior: calls of a chain in this process cost units', async () => {
  const dev = await startDevGateway({}, { ratePerClient: 0.00001, burstPerClient: 100 })
  onTestFinished(() => dev.close())
  const before = await remaining(dev.url)
  await send(dev.url, PEERS)
  expect(before - (await remaining(dev.url))).toBeGreaterThan(1)
})

test('behavior: calls in flight', async () => {
  const started = await start(
    { concurrencyPerClient: 2, ratePerClient: 1_000 },
    async ({ path }) => {
      if (path === '/wallet/getnodeinfo') await released
      return undefined
    },
  )
  const open = [send(started.url, PEERS), send(started.url, PEERS)]
  await expect
    .poll(async () => {
      const state = await send(started.url, '{"jsonrpc":"2.0","id":1,"method":"ethgate_limits"}')
      return state.status
    })
    .toBe(429)
  const refused = await send(started.url, CHAIN_ID)
  expect(await refused.json()).toMatchObject({ error: { data: { limit: 'concurrency' } } })
  release()
  await Promise.all(open)
  expect((await send(started.url, CHAIN_ID)).status).toBe(200)
})
let release = () => {}
const released = new Promise<void>((resolve) => {
  release = resolve
})

describe('API keys', () => {
  test.each([
    ['Authorization: Bearer', '/', { authorization: 'Bearer secret-of-a' }],
    ['Authorization: Basic', '/', { authorization: `Basic ${btoa('key:secret-of-a')}` }],
    ['X-API-Key', '/solidity', { 'x-api-key': 'secret-of-a' }],
    ['TRON-PRO-API-KEY', '/', { 'tron-pro-api-key': 'secret-of-a' }],
    ['/k/KEY', '/k/secret-of-a', {}],
    ['/k/KEY/jsonrpc', '/k/secret-of-a/jsonrpc', {}],
  ])('args: %s', async (_, path, headers) => {
    const { url } = await start({ anonymous: 'off', apiKeys: keysFile(entry('a')).path })
    expect((await send(url, CHAIN_ID, headers as Record<string, string>, path)).status).toBe(200)
    const none = await send(url, CHAIN_ID)
    expect(none.status).toBe(401)
    expect(await none.json()).toMatchObject({
      error: { code: 4100, message: 'an API key is required' },
    })
    const wrong = await send(url, CHAIN_ID, { 'x-api-key': 'guess' })
    expect(wrong.status).toBe(401)
    // A preflight has no key, and load balancers have none.
    expect((await fetch(url, { method: 'OPTIONS' })).status).toBeLessThan(300)
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test('behavior: a browser is asked for the key', async () => {
    const { url } = await start({ anonymous: 'off', apiKeys: keysFile(entry('a')).path })
    const asked = await fetch(url, { headers: { accept: 'text/html' } })
    expect(asked.status).toBe(401)
    expect(asked.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
    expect(await asked.text()).toContain('an API key is required')
    const authorization = `Basic ${btoa('key:secret-of-a')}`
    expect((await fetch(url, { headers: { accept: 'text/html', authorization } })).status).toBe(200)
    // Programs are not asked.
    expect((await send(url, CHAIN_ID)).headers.get('www-authenticate')).toBeNull()
  })

  test('args: a WebSocket with the key in its path', async () => {
    const { url } = await start({ anonymous: 'off', apiKeys: keysFile(entry('a')).path })
    const ws = new WebSocket(`${url.replace('http', 'ws')}/k/secret-of-a/ws`)
    await once(ws, 'open')
    ws.send('{"jsonrpc":"2.0","id":1,"method":"ethgate_limits"}')
    const [data] = (await once(ws, 'message')) as [Buffer]
    expect(JSON.parse(data.toString())).toMatchObject({ result: { caller: 'key:a' } })
    ws.terminate()
    const refused = new WebSocket(`${url.replace('http', 'ws')}/k/guess`)
    const [error] = (await once(refused, 'error')) as [Error]
    expect(error.message).toContain('401')
  })

  test('behavior: sockets over the limit of a key close with 1013', async () => {
    const { url } = await start({ apiKeys: keysFile(entry('a', 'sockets: 1')).path })
    const socket = `${url.replace('http', 'ws')}/k/secret-of-a`
    const first = new WebSocket(socket)
    await once(first, 'open')
    const [code] = (await once(new WebSocket(socket), 'close')) as [number]
    expect(code).toBe(1013)
    first.terminate()
  })

  test.each([
    ['methods: [eth_get*]', 'eth_chainId', [], 'may not call eth_chainId'],
    [
      'contracts: ["0x00000000000000000000000000000000000000aa"]',
      'eth_call',
      [{ to: `0x${'0'.repeat(40)}` }],
      'with this contract',
    ],
    [
      'contracts: ["0x00000000000000000000000000000000000000aa"]',
      'eth_call',
      [{ to: `0x${'0'.repeat(38)}aa` }, 'latest', { [`0x${'0'.repeat(38)}aa`]: { code: '0x00' } }],
      'with this contract',
    ],
    [
      'contracts: ["0x00000000000000000000000000000000000000aa"]',
      'debug_traceCall',
      [
        { to: `0x${'0'.repeat(38)}aa` },
        'latest',
        { stateOverrides: { [`0x${'0'.repeat(38)}aa`]: { stateDiff: {} } } },
      ],
      'with this contract',
    ],
    [
      'contracts: ["0x00000000000000000000000000000000000000aa"]',
      'trace_call',
      [
        { to: `0x${'0'.repeat(38)}aa` },
        ['trace'],
        'latest',
        { [`0x${'0'.repeat(38)}aa`]: { code: '0x00' } },
      ],
      'with this contract',
    ],
    [
      'contracts: ["0x00000000000000000000000000000000000000aa"]',
      'trace_callMany',
      [[[{ to: `0x${'0'.repeat(38)}aa` }, ['trace']]]],
      'with this contract',
    ],
    [
      'contracts: ["0x00000000000000000000000000000000000000aa"]',
      'eth_getLogs',
      [{}],
      'with this contract',
    ],
    [
      'contracts: ["0x00000000000000000000000000000000000000aa"]',
      'eth_sendRawTransaction',
      ['0x00'],
      'with this contract',
    ],
    [
      'contracts: ["0x00000000000000000000000000000000000000aa"]',
      'eth_signTypedData_v4',
      [`0x${'0'.repeat(40)}`, '{}'],
      'with this contract',
    ],
  ])('error: %s refuses %s', async (permission, method, params, message) => {
    const { url } = await start({ apiKeys: keysFile(entry('a', permission)).path })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await send(url, body, { 'x-api-key': 'secret-of-a' })
    expect(response.status).toBe(401)
    const { error } = (await response.json()) as { error: { code: number; message: string } }
    expect(error.code).toBe(4100)
    expect(error.message).toContain(message)
    // A call inside another one is checked too.
    const inside = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ethgate_explain',
      params: [{ method, params }],
    })
    const explained = await send(url, inside, { 'x-api-key': 'secret-of-a' })
    expect(JSON.stringify(await explained.json())).toContain(
      message.split(/ (?:debug|eth|trace)_/, 1)[0],
    )
  })

  test('args: a key limited to contracts may trace calls of them', async () => {
    const permission = 'contracts: ["0x00000000000000000000000000000000000000aa"]'
    const { url } = await start({ apiKeys: keysFile(entry('a', permission)).path })
    const params = [{ to: `0x${'0'.repeat(38)}aa` }, ['trace'], 'latest']
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'trace_call', params })
    const response = await send(url, body, { 'x-api-key': 'secret-of-a' })
    // Without --simulate it goes no further.
    expect(await response.json()).toMatchObject({ error: { code: -32601 } })
  })

  test.each([
    [
      'a stolen key from another origin',
      'origins: ["https://app.example"]',
      { origin: 'https://evil.example' },
    ],
    ['a stolen key without an origin', 'origins: ["https://app.example"]', {}],
    ['a stolen key from another address', 'addresses: [192.0.2.0/24]', {}],
    ['an expired key', 'expires: 2020-01-01', {}],
  ])('error: %s', async (_, permission, headers) => {
    const { url } = await start({ apiKeys: keysFile(entry('a', permission)).path })
    const response = await send(url, CHAIN_ID, { 'x-api-key': 'secret-of-a', ...headers })
    expect(response.status).toBe(401)
  })

  test('behavior: the file is read again when it changes, as a whole or not at all', async () => {
    const { path, write } = keysFile(entry('a'))
    const { gateway, url } = await start({ anonymous: 'off', apiKeys: path })
    const statusOf = async (name: string) =>
      (await send(url, CHAIN_ID, { 'x-api-key': `secret-of-${name}` })).status
    write(entry('a'), entry('b'))
    await expect.poll(() => statusOf('b')).toBe(200)
    write(entry('c'), '  - {name: broken}\n')
    gateway.reloadApiKeys()
    expect(await statusOf('c')).toBe(401)
    expect(await statusOf('a')).toBe(200)
    write(entry('b'))
    gateway.reloadApiKeys()
    expect(await statusOf('a')).toBe(401)
  })

  test('behavior: the limits of a key are its own', async () => {
    const { url } = await start({ ...POOR, apiKeys: keysFile(entry('a')).path })
    for (let call = 0; call < 210; call++) await send(url, CHAIN_ID)
    expect((await send(url, CHAIN_ID)).status).toBe(429)
    expect((await send(url, CHAIN_ID, {}, '/k/secret-of-a')).status).toBe(200)
  })
})

test('error: no client could call', async () => {
  await expect(startGateway({ config: { anonymous: 'off' } })).rejects.toThrow('needs --api-keys')
})
