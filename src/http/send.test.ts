import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { expect, onTestFinished, test } from 'vitest'

import { until } from '../../test/support/until.ts'
import { sendAnswer } from './send.ts'
import { createUnsent } from './unsent.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

test('behavior: of an answer that a client does not read, only the rest stays in memory', async () => {
  const [count, size] = [160, 128 * 1024]
  const parts: WeakRef<Buffer>[] = []
  const unsent = createUnsent({ limit: count * size })
  const server = createServer((_, outgoing) => {
    const buffers = Array.from({ length: count }, () => Buffer.allocUnsafeSlow(size))
    parts.push(...buffers.map((buffer) => new WeakRef(buffer)))
    sendAnswer(outgoing, { bytes: count * size, parts: buffers }, unsent)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    unsent.stop()
    socket.destroy()
    server.close()
  })
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until(() => {
    expect(unsent.bytes()).toBeGreaterThan(0)
    const written = count - unsent.bytes() / size
    expect(written).toBeGreaterThan(10)
    gc()
    // Two parts may be held by what is written at present.
    expect(parts.filter((part) => part.deref()).length).toBeLessThan(count - written + 4)
  })
})
