import { once } from 'node:events'
import { memoryUsage } from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'

import { expect, onTestFinished, test } from 'vitest'

import { sleep } from '../../lib/sleep.ts'
import { createGrpcChannel } from './channel.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as (options?: { type: 'minor' }) => void

const REQUEST = Buffer.alloc(0)
const [COUNT, SIZE] = [100, 200_000]

/** In a thread of its own, whose memory does not count. */
const SERVER = `
  const frame = Buffer.alloc(5 + ${SIZE})
  frame.writeUInt32BE(${SIZE}, 1)
  const server = require('node:http2').createServer()
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(frame)
  })
  server.listen(0, '127.0.0.1', () =>
    require('node:worker_threads').parentPort.postMessage(server.address().port),
  )`

test('behavior: answers are released without a full garbage collection', async () => {
  const worker = new Worker(SERVER, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  const channel = createGrpcChannel({ address: `http://127.0.0.1:${port}` })
  onTestFinished(async () => {
    channel.close()
    await worker.terminate()
  })
  gc()
  const before = memoryUsage().arrayBuffers
  let received = 0
  for (let calls = 0; calls < COUNT; calls++)
    received += (await channel.unary('/protocol.Wallet/Any', REQUEST, { timeout: 5_000 })).length
  expect(received).toBe(COUNT * SIZE)
  await sleep(50)
  for (let collections = 0; collections < 3; collections++) gc({ type: 'minor' })
  expect(memoryUsage().arrayBuffers - before).toBeLessThan((COUNT * SIZE) / 4)
})
