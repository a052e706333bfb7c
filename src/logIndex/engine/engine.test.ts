import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { postgresMissing, somePostgresIndex } from '../../../test/support/postgres.ts'
import { explainSkip } from '../../../test/support/redis.ts'
import { testEngine } from './engine.contract.ts'
import { nameOf, openEngine } from './open.ts'

const directory = mkdtempSync(join(tmpdir(), 'ethgate-index-'))
describe('lmdb', () => {
  testEngine({
    open: () => openEngine(directory),
    close: async () => rmSync(directory, { recursive: true }),
  })
})

explainSkip(postgresMissing)
describe.skipIf(postgresMissing)('postgres', () => {
  const index = somePostgresIndex()
  testEngine({ open: () => openEngine(index.url), close: () => index.drop() })

  test('error: a schema without an index is not created where an index must exist', async () => {
    const other = somePostgresIndex()
    const message = /the schema \w+ contains no log index$/
    await expect(openEngine(other.url, { mustExist: true })).rejects.toThrow(message)
    await expect(openEngine(other.url, { mustExist: true })).rejects.toThrow(message)
  })

  test('behavior: opening an index waits for no search', async () => {
    const other = somePostgresIndex()
    const engine = await openEngine(other.url)
    try {
      await engine.read(async (view) => {
        await view.get('logs', [Buffer.from('a')])
        const second = await openEngine(other.url)
        expect(await second.read((view) => view.get('logs', [Buffer.from('a')]))).toEqual([
          undefined,
        ])
        await second.close()
      })
    } finally {
      await engine.close()
      await other.drop()
    }
  })
})

describe('openEngine', () => {
  test('error: an index that cannot be opened is named, without its password', async () => {
    const opening = openEngine('postgres://user:secret@127.0.0.1:1/test?schema=x')
    await expect(opening).rejects.toThrow(
      /^the log index postgres:\/\/127\.0\.0\.1:1\/test cannot be opened: /,
    )
    expect(nameOf('/data/index')).toBe('/data/index')
  })

  test.each([
    ['Postgres://me:secret@127.0.0.1:1/test?application_name=a@b', 'connect ECONNREFUSED'],
    ['postgres://me:a#secret@127.0.0.1:1/test', 'the address has a #; in a password it is %23'],
    ['postgres://me:secret/b@127.0.0.1:1/test', 'host 1 is not a name or address with a port'],
  ])('error: %s is not another server, and its password is not shown', async (url, reason) => {
    await expect(openEngine(url)).rejects.toThrow(
      `the log index postgres://127.0.0.1:1/test cannot be opened: ${reason}`,
    )
  })
})
