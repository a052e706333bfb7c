import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

import { describe, expect, onTestFinished, test } from 'vitest'

import {
  framed,
  type GrpcRequest,
  sendReply,
  startGrpcNode,
} from '../../../test/support/grpcNode.ts'
import { type ReplayRequest, startReplayNode } from '../../../test/support/node.ts'
import { grpcRecording, nativeRecording } from '../../../test/support/recording.ts'
import { createNodeClient } from '../client.ts'
import { type CallReport, createHttpTransport, type NativePath } from '../transport/transport.ts'
import { withGrpc } from './withGrpc.ts'

type Setup = Partial<withGrpc.Options> & {
  intercept?: startGrpcNode.Options['intercept']
  http?: (request: ReplayRequest) => undefined
}

/** A client of a node with both interfaces, and what was asked and logged. */
async function setup({ http, intercept, ...options }: Setup = {}) {
  const node = await startReplayNode(http && { intercept: http })
  const grpcNode = await startGrpcNode(intercept && { intercept })
  const lines: string[] = []
  const reports: CallReport[] = []
  const log = (_: object, message: string) => void lines.push(message)
  const plain = createHttpTransport({ upstream: node.url })
  const transport = withGrpc(createHttpTransport({ upstream: node.url }), {
    address: grpcNode.url,
    log: { info: log, warn: log },
    name: 'node-1',
    onCall: () => ({ end: (report) => void reports.push(report) }),
    timeout: 10_000,
    ...options,
  })
  const native = createNodeClient({ transport })
  onTestFinished(async () => {
    await Promise.all([native.close(), plain.close()])
    await Promise.all([node.close(), grpcNode.close()])
  })
  return {
    grpcNode,
    lines,
    native,
    node,
    /** The same node over HTTP alone. */
    http: createNodeClient({ transport: plain }),
    reports,
    status: () => transport.grpc(),
  }
}

/** A block with logs, and one of its transactions. */
const NUMBER = numberWithLogs()

function numberWithLogs(): number {
  const { answers, requests } = nativeRecording()
  const found = Object.entries(requests['/wallet/gettransactioninfobyblocknum'] ?? {}).find(
    ([, index]) => answers.at(index)?.[2].includes('"log"'),
  )
  if (!found) throw new Error('no recorded block has logs')
  return (JSON.parse(found[0]) as { num: number }).num
}

const FAILED = (request: GrpcRequest) =>
  request.method === 'GetTransactionInfoByBlockNum' ? 'failed' : undefined

test('default: what is read of every recorded block equals the answer over HTTP', async () => {
  const { http, native, node, status } = await setup()
  const { head } = nativeRecording()
  for (let number = 0; number <= head; number++) {
    const request = { num: number }
    expect(await native.wallet.getBlockOutline(request)).toStrictEqual({
      ...(await http.wallet.getBlockOutline(request)),
      size: expect.any(Number),
    })
    const logs = await http.wallet.getTransactionLogsByBlockNum(request)
    expect(await native.wallet.getTransactionLogsByBlockNum(request)).toStrictEqual(logs)
    for (const { id } of logs)
      expect(await native.wallet.getTransactionLogsById({ value: id })).toStrictEqual(
        await http.wallet.getTransactionLogsById({ value: id }),
      )
  }
  const range = { startNum: 1, endNum: 100 }
  const parties = await http.wallet.getBlockParties(range)
  expect(await native.wallet.getBlockParties(range)).toStrictEqual(
    parties.map((one) => ({ ...one, size: expect.any(Number) })),
  )
  const outlines = await http.wallet.getBlockOutlines(range)
  expect(await native.wallet.getBlockOutlines(range)).toStrictEqual(
    outlines.map((outline) => ({ ...outline, size: expect.any(Number) })),
  )
  expect(status()).toMatchObject({ state: 'up', failed: 0 })
  expect(node.requests.count('/wallet/getblockbylimitnext')).toBe(2)
})

test('default: other calls go over HTTP, and nothing is connected without a call for it', async () => {
  const { grpcNode, native, status } = await setup()
  await native.wallet.getEnergyPrices()
  await native.call('wallet', 'getblockbynum', { num: NUMBER })
  expect(grpcNode.connections()).toBe(0)
  expect(status()).toMatchObject({ state: 'idle', calls: 0 })
})

test('behavior: API keys go with every call, and calls are reported', async () => {
  const keys: unknown[] = []
  const { native, reports } = await setup({
    headers: { 'x-api-key': 'k1' },
    intercept({ headers }) {
      keys.push(headers['x-api-key'])
      return undefined
    },
  })
  await native.wallet.getTransactionLogsByBlockNum({ num: NUMBER })
  expect([...new Set(keys)]).toEqual(['k1'])
  expect(reports).toMatchObject([
    { path: '/protocol.Wallet/GetTransactionInfoByBlockNum', status: 200, cancelled: false },
  ])
})

test('behavior: an object that gRPC does not find is read again over HTTP', async () => {
  const { native, node, status } = await setup()
  expect(await native.wallet.getTransactionLogsByBlockNum({ num: 100_000 })).toEqual([])
  expect(node.requests.count('/wallet/gettransactioninfobyblocknum')).toBe(1)
  expect(status()).toMatchObject({ state: 'up', failed: 0 })
})

/** Faults of an answer, and the reason that is shown. */
const FAULTS: Record<string, { reason: string; fault: (request: GrpcRequest) => void }> = {
  'a rate limit': {
    reason: 'the node answered with gRPC status 8',
    fault: ({ stream }) => sendReply(stream, { code: 8, message: 'slow%20down' }),
  },
  'an unknown method': {
    reason: 'the node answered with gRPC status 12',
    fault: ({ stream }) => sendReply(stream, { code: 12, message: 'Method not found' }),
  },
  'a reset': {
    reason: 'the connection failed (ERR_HTTP2_STREAM_ERROR)',
    fault: ({ stream }) => stream.close(2),
  },
  'a connection that breaks': {
    reason: 'the connection ',
    fault: ({ stream }) => stream.session?.destroy(),
  },
  'a truncated message': {
    reason: 'the answer is not one whole message',
    fault({ stream }) {
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(framed(answerOf(NUMBER)).subarray(0, 40))
    },
  },
  'a message that breaks off inside of a field': {
    reason: 'its answer cannot be read',
    fault: ({ stream }) => sendReply(stream, { bytes: answerOf(NUMBER).subarray(0, 40) }),
  },
  'an answer without its end': {
    reason: 'the answer has no gRPC status',
    fault({ stream }) {
      stream.respond({ ':status': 200 })
      stream.end(framed(answerOf(NUMBER)))
    },
  },
  'a web page': {
    reason: 'the address does not serve gRPC: it answered HTTP 502',
    fault({ stream }) {
      stream.respond({ ':status': 502 })
      stream.end('<html>')
    },
  },
}

function answerOf(number: number): Buffer {
  const answers = Object.values(
    grpcRecording()['/protocol.Wallet/GetTransactionInfoByBlockNum'] ?? {},
  )
  return Buffer.from(answers[number] ?? answers.at(-1) ?? '', 'base64')
}

for (const [name, { fault, reason }] of Object.entries(FAULTS))
  test(`error: after ${name} HTTP answers, and it is logged once until gRPC works again`, async () => {
    let now = 1_000
    let isBroken = true
    const { http, lines, native, status } = await setup({
      now: () => now,
      intercept(request) {
        if (!isBroken || FAILED(request) === undefined) return undefined
        fault(request)
        return 'taken'
      },
    })
    const numbers = [NUMBER, NUMBER + 1, NUMBER + 2]
    for (const num of numbers)
      expect(await native.wallet.getTransactionLogsByBlockNum({ num })).toStrictEqual(
        await http.wallet.getTransactionLogsByBlockNum({ num }),
      )
    expect(status()).toEqual({
      state: 'down',
      reason: expect.stringContaining(reason),
      calls: 1,
      failed: 1,
    })
    expect(lines).toEqual([
      expect.stringMatching(/^the gRPC interface of upstream node-1 fails, calls go over HTTP: /),
    ])
    now += 1_000
    await native.wallet.getTransactionLogsByBlockNum({ num: NUMBER })
    expect(status()).toMatchObject({ state: 'down', calls: 2, failed: 2 })
    // The second pause is twice as long.
    now += 1_000
    isBroken = false
    await native.wallet.getTransactionLogsByBlockNum({ num: NUMBER })
    expect(status()).toMatchObject({ calls: 2 })
    now += 1_000
    await native.wallet.getTransactionLogsByBlockNum({ num: NUMBER })
    expect(status()).toEqual({ state: 'up', reason: undefined, calls: 3, failed: 2 })
    expect(lines.slice(1)).toEqual(['the gRPC interface of upstream node-1 works again'])
  })

test('error: HTTP answers when gRPC gives the answer to another request', async () => {
  let now = 1_000
  const { http, native, status } = await setup({
    now: () => now,
    intercept({ message, method }) {
      const asked = message.toString('hex')
      const answers = Object.entries(grpcRecording()[`/protocol.Wallet/${method}`] ?? {})
      const other = answers.find(([of, bytes]) => asked !== '' && of !== asked && bytes !== '')
      return other && { bytes: Buffer.from(other[1], 'base64') }
    },
  })
  const block = await http.wallet.getBlockOutline({ num: NUMBER })
  const value = block?.txIDs[0] ?? ''
  expect(await native.wallet.getBlockOutline({ num: NUMBER })).toStrictEqual(block)
  now += 60_000
  expect(await native.wallet.getTransactionHeight({ value })).toBe(NUMBER)
  now += 60_000
  expect((await native.wallet.getTransactionById({ value }))?.txID).toBe(value)
  expect(status()).toMatchObject({ calls: 3, failed: 3, reason: 'its answer cannot be read' })
})

test('error: a node that hangs costs half of the time of one call', async () => {
  const { http, native, status } = await setup({
    // Half of it is left for the call over HTTP.
    timeout: 10_000,
    intercept: (request) => (FAILED(request) ? 'taken' : undefined),
  })
  const request = { num: NUMBER }
  expect(await native.wallet.getTransactionLogsByBlockNum(request)).toStrictEqual(
    await http.wallet.getTransactionLogsByBlockNum(request),
  )
  expect(status()).toMatchObject({ state: 'down', reason: 'no answer in time' })
})

test('error: no server at the address', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  const { http, native, status } = await setup({ address: `http://127.0.0.1:${port}` })
  const request = { num: NUMBER }
  expect(await native.wallet.getTransactionLogsByBlockNum(request)).toStrictEqual(
    await http.wallet.getTransactionLogsByBlockNum(request),
  )
  expect(status()).toMatchObject({
    state: 'down',
    reason: 'the connection failed (ECONNREFUSED)',
  })
})

test('error: answers of a node of another chain are not used', async () => {
  const { http, native, status } = await setup({ expected: () => '11'.repeat(32) })
  const request = { num: NUMBER }
  expect(await native.wallet.getTransactionLogsByBlockNum(request)).toStrictEqual(
    await http.wallet.getTransactionLogsByBlockNum(request),
  )
  expect(status()).toMatchObject({ state: 'down', reason: 'it serves another chain', failed: 1 })
})

test('behavior: no call is sent before the chain is known', async () => {
  const { grpcNode, native, status } = await setup({ expected: () => undefined })
  await native.wallet.getTransactionLogsByBlockNum({ num: NUMBER })
  expect(grpcNode.calls()).toEqual([])
  expect(status()).toMatchObject({ state: 'idle', calls: 0 })
})

test('behavior: a connection that the node has ended is opened again without a failure', async () => {
  const { grpcNode, native, status } = await setup()
  await native.wallet.getTransactionLogsByBlockNum({ num: NUMBER })
  grpcNode.disconnect()
  await native.wallet.getTransactionLogsByBlockNum({ num: NUMBER })
  expect(status()).toMatchObject({ state: 'up', calls: 2, failed: 0 })
})

test('behavior: a caller that aborts cancels the call at the node', async () => {
  const leaving = new AbortController()
  let ended: Promise<unknown> | undefined
  const { native, status } = await setup({
    intercept(request) {
      if (!FAILED(request)) return undefined
      ended = once(request.stream, 'close')
      leaving.abort(new Error('left'))
      return 'taken'
    },
  })
  const call = native.wallet.getTransactionLogsByBlockNum(
    { num: NUMBER },
    { signal: leaving.signal },
  )
  await expect(call).rejects.toThrow('left')
  await ended
  expect(status()).toMatchObject({ failed: 0 })
})

test('behavior: a call that gRPC did not answer keeps its deadline', async () => {
  const given: (number | undefined)[] = []
  const http = createHttpTransport({ upstream: 'http://127.0.0.1:1' })
  const transport = withGrpc(
    {
      ...http,
      async send(_: NativePath, __, { timeout }) {
        given.push(timeout)
        return { status: 200, text: '[]' }
      },
    },
    { address: 'http://127.0.0.1:1', expected: () => '00', name: 'node-1', timeout: 10_000 },
  )
  onTestFinished(() => transport.close())
  await transport.send('/wallet/gettransactioninfobyblocknum', '{"num":1}', {
    idempotent: true,
    part: 'logs',
    timeout: 9_000,
  })
  expect(given).toHaveLength(1)
  expect(given[0]).toBeLessThan(9_000)
})

describe('a guessed address', () => {
  /** Reads blocks until the interface is used, or long after it was compared. */
  async function read({ native, status }: Awaited<ReturnType<typeof setup>>) {
    for (let time = 0; time < 40 && !status(); time++) {
      await native.wallet.getBlockByNum({ num: 1 + time })
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  test('default: used once its blocks were the same as over HTTP, which is logged once', async () => {
    const started = await setup({ isGuess: true })
    expect(started.status()).toBeUndefined()
    await read(started)
    expect(started.status()).toMatchObject({ state: 'up', failed: 0 })
    const before = started.node.requests.count('/wallet/getblockbynum')
    await started.native.wallet.getBlockByNum({ num: 100 })
    expect(started.node.requests.count('/wallet/getblockbynum')).toBe(before)
    expect(started.lines).toEqual([expect.stringContaining('has a gRPC interface on port')])
  })

  test.each<[string, startGrpcNode.Options['intercept']]>([
    ['there is none', ({ stream }) => (stream.session?.destroy(), 'taken')],
    ['another service', () => ({ code: 12 })],
    [
      'the outcomes of another block',
      ({ method }) =>
        method === 'GetTransactionInfoByBlockNum'
          ? { bytes: Buffer.from(`0a220a20${'11'.repeat(32)}`, 'hex') }
          : undefined,
    ],
    [
      'a node without the newest block',
      ({ message }) => (message.length > 2 ? { bytes: Buffer.alloc(0) } : undefined),
    ],
  ])('error: %s: calls go over HTTP, and nothing is logged', async (_, intercept) => {
    const started = await setup({ isGuess: true, ...(intercept && { intercept }) })
    await read(started)
    expect(started.status()).toBeUndefined()
    expect(started.lines).toEqual([])
    const calls = started.grpcNode.calls().length
    await started.native.wallet.getBlockByNum({ num: 100 })
    // Compared again after a minute.
    expect(started.grpcNode.calls()).toHaveLength(calls)
  })
})
