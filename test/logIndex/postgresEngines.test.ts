// The log index on PostgreSQL as operators run it: PgBouncer, TLS, a standby that is promoted.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { testEngine } from '../../src/logIndex/engine/engine.contract.ts'
import type { Engine } from '../../src/logIndex/engine/engine.ts'
import { openEngine } from '../../src/logIndex/engine/open.ts'
import { createScriptedChain } from '../support/chain.ts'
import { post } from '../support/client.ts'
import { freePort } from '../support/freePort.ts'
import { startGateway } from '../support/gateway.ts'
import {
  createPostgresEngines,
  pgbouncerMissing,
  type PostgresEngines,
  postgresServerMissing,
  type TestServer,
} from '../support/postgresEngines.ts'
import { explainSkip } from '../support/redis.ts'
import { startTcpProxy } from '../support/tcpProxy.ts'
import { until } from '../support/until.ts'

/** Blocks of the chain of a gateway with an index. */
const BLOCKS = 300

explainSkip(pgbouncerMissing ?? postgresServerMissing)

describe.skipIf(postgresServerMissing)('an index in PostgreSQL', () => {
  let engines: PostgresEngines
  let primary: TestServer
  beforeAll(async () => {
    engines = createPostgresEngines()
    primary = await engines.startPrimary()
  })
  afterAll(() => engines?.close())

  describe.skipIf(pgbouncerMissing)('through PgBouncer in transaction mode', () => {
    testEngine({
      async open() {
        bouncer ??= engines.startBouncer(primary)
        const { host } = await bouncer
        return openEngine(`postgres://postgres@${host}/postgres?pgbouncer=true`)
      },
      async close() {},
    })
    let bouncer: Promise<TestServer> | undefined
  })

  test('args: sslmode: the certificate is compared with an authority', async () => {
    const address = `postgres://postgres@${primary.host}/postgres?sslmode=verify-full&schema=tls`
    const engine = await openEngine(`${address}&sslrootcert=${engines.ca}`)
    expect(await engine.size()).toBeGreaterThan(0)
    await engine.close()
    await expect(openEngine(address)).rejects.toThrow(/cannot be opened: .*certificate/)
  })

  test('behavior: a search does not wait for a pooler whose server is gone, and the next one does not ask it', async () => {
    const pooler = await startMutePooler()
    const addressOf = (hosts: string) => `postgres://postgres@${hosts}/postgres?schema=mute`
    await (await openEngine(addressOf(primary.host), { isWriter: true })).close()
    const hosts = `${pooler.host},${primary.host}`
    const reader = await openEngine(`${addressOf(hosts)}&target_session_attrs=prefer-standby`)
    onTestFinished(() => reader.close())
    const before = pooler.begun()
    expect(await all(reader)).toEqual([])
    expect(await all(reader)).toEqual([])
    expect(pooler.begun() - before).toBeLessThanOrEqual(1)
  })

  const alone = async (host: string) => host
  const besideStandby = async (host: string) =>
    `${host},${(await engines.startStandby(primary)).host}`

  describe.each([
    ['refuses connections', 'gone', freePort, alone],
    ['does not answer', 'mute', mutePort, alone],
    // Before another server is promoted.
    ['refuses connections, beside a standby', 'standby', freePort, besideStandby],
  ])('a server that %s', (_, schema, elsewhere, hostsOf) => {
    test('behavior: searches read the node; those that only the index can answer fail', async () => {
      const proxy = await startTcpProxy(primary.port)
      onTestFinished(() => proxy.close())
      const chain = createScriptedChain()
      for (let block = 1; block <= BLOCKS; block++)
        chain.mine({ logs: [[{ address: '11'.repeat(20), topics: [] }]] })
      chain.solidify(BLOCKS)
      const node = await chain.listen()
      onTestFinished(() => node.close())
      const hosts = await hostsOf(`127.0.0.1:${proxy.port}`)
      const index = `postgres://postgres@${hosts}/postgres?schema=${schema}_gateway`
      const config = { index, indexFrom: 0, indexRate: 10_000, logsMaxBlocks: 100 }
      const { gateway, url } = await startGateway({
        compiled: true,
        config: { ...config, upstream: node.url },
      })
      await until(() => expect(gateway.health().index?.state).toBe('following'))
      await until(() => expect(gateway.health().index?.covered).toHaveLength(1))
      const search = (filter: object) => post(url, 'eth_getLogs', [filter])
      const short = { fromBlock: '0x1', toBlock: '0x50' }
      const long = { fromBlock: '0x1', toBlock: '0xf0' }
      const before = await search(short)
      expect(before.result).toHaveLength(80)
      expect((await search(long)).result).toHaveLength(240)
      proxy.switchTo(await elsewhere())
      // Other ranges, because answers are cached.
      const shifted = { fromBlock: '0x2', toBlock: '0x50' }
      expect((await search(shifted)).result).toEqual((before.result as unknown[]).slice(1))
      expect((await post(url, 'ethgate_countLogs', [short])).result).toBe('0x50')
      const page = await post(url, 'ethgate_getLogs', [{ filter: long }])
      const { cursor, logs } = page.result as { logs: unknown[]; cursor: string }
      expect(logs).toHaveLength(101)
      expect(cursor).toMatch(/^0x/)
      const longer = { ...long, fromBlock: '0x2' }
      for (const method of ['eth_getLogs', 'ethgate_countLogs'])
        expect((await post(url, method, [longer])).error).toMatchObject({
          code: -32603,
          message: 'the log index cannot be read, try again later',
        })
      await until(() => expect(gateway.health().status).toBe('degraded'))
      proxy.switchTo(primary.port)
      await until(async () => expect((await search(longer)).result).toHaveLength(239))
    })
  })

  test('behavior: searches on a standby see every commit, and both go on after it is promoted', async () => {
    await primary.query(`alter system set synchronous_standby_names = '*'`)
    const standby = await engines.startStandby(primary)
    await primary.query('select pg_reload_conf()')
    const address = `postgres://postgres@${primary.host},${standby.host}/postgres?schema=failover&target_session_attrs=prefer-standby`
    const writer = await openEngine(address, { isWriter: true })
    const reader = await openEngine(address)
    onTestFinished(async () => {
      await writer.close()
      await reader.close()
    })
    let written = 0
    const life = { over: false }
    const write = async () => {
      while (!life.over) if (await attempt(() => put(writer, written + 1))) written++
    }
    let searches = 0
    const search = async () => {
      while (!life.over) {
        const known = written
        let found: number[] = []
        if (await attempt(async () => void (found = await all(reader)))) searches++
        else continue
        // No gap, nothing twice, and nothing missing that was committed before.
        expect(found).toEqual(found.map((_, index) => index + 1))
        expect(found.length).toBeGreaterThanOrEqual(known)
      }
    }
    const loops = Promise.all([write(), search()])
    await until(() => expect(Math.min(written, searches)).toBeGreaterThan(20))
    await primary.kill()
    const before = written
    await standby.promote()
    await until(() => expect(written).toBeGreaterThan(before + 20))
    life.over = true
    await loops
    expect((await all(reader)).length).toBeGreaterThanOrEqual(written)
  })
})

/** The port of a server that accepts connections and never answers. */
async function mutePort(): Promise<number> {
  const server = createServer((socket) => void socket.on('error', () => {}))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A pooler that accepts clients and answers no statement. `begun`: how many statements it got. */
async function startMutePooler() {
  let begun = 0
  const server = createServer((socket) => {
    let isKnown = false
    socket.on('error', () => {})
    socket.on('data', () => {
      if (isKnown) begun++
      // The client may log in, and the server is ready for a statement.
      else socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1'))
      isKnown = true
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { begun: () => begun, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const keyOf = (number: number) => {
  const key = Buffer.alloc(4)
  key.writeUInt32BE(number)
  return key
}

const put = (engine: Engine, number: number) =>
  engine.write((batch) => batch.put('logs', [{ key: keyOf(number), value: Buffer.from('a') }]))

const all = (engine: Engine) =>
  engine.read(async (view) =>
    (await view.range('logs', { from: keyOf(0), to: keyOf(2 ** 32 - 1) })).map(({ key }) =>
      key.readUInt32BE(),
    ),
  )

/** Whether something succeeded. A failover may fail it. */
async function attempt(run: () => Promise<void>): Promise<boolean> {
  try {
    await run()
    return true
  } catch {
    return false
  }
}
