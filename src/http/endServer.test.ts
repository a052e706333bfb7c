import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { expect, test } from 'vitest'

import { until } from '../../test/support/until.ts'
import { endServer } from './endServer.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function servedOnce(): Promise<WeakRef<object>> {
  const app = { answer: 'served' }
  const server = createServer((_, response) => response.end(app.answer)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(await response.text()).toBe('served')
  await endServer(server, {
    closing: { begin() {}, mark() {} },
    delay: 0,
    drain: 1_000,
    isReplaced: false,
    sleep: async () => {},
    ws: { drain: async () => {} },
  })
  return new WeakRef(app)
}

test('behavior: a server that has ended is not kept in memory', async () => {
  const app = await servedOnce()
  await until(() => {
    collect()
    // A failed expectation would keep the object itself.
    expect(app.deref() === undefined).toBe(true)
  })
})
