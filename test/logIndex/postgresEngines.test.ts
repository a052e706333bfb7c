// The log index on PostgreSQL as operators run it: PgBouncer, TLS, a standby that is promoted.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { testEngine } from '../../src/logIndex/engine/engine.contract.ts'
import { type Engine } from '../../src/logIndex/engine/engine.ts'
import { openEngine } from '../../src/logIndex/engine/open.ts'
import {
  createPostgresEngines,
  pgbouncerMissing,
  type PostgresEngines,
  postgresServerMissing,
  type TestServer,
} from '../support/postgresEngines.ts'
import { explainSkip } from '../support/redis.ts'
import { until } from '../support/until.ts'

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
