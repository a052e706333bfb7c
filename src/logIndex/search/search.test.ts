import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe } from 'vitest'

import { postgresMissing, somePostgresIndex } from '../../../test/support/postgres.ts'
import { explainSkip } from '../../../test/support/redis.ts'
import { openEngine } from '../engine/open.ts'
import { testSearch } from './search.contract.ts'

const directory = mkdtempSync(join(tmpdir(), 'ethgate-index-'))
describe('lmdb', () => {
  testSearch({
    open: () => openEngine(directory),
    close: async () => rmSync(directory, { recursive: true }),
    runs: 80,
  })
})

explainSkip(postgresMissing)
describe.skipIf(postgresMissing)('postgres', () => {
  const index = somePostgresIndex()
  testSearch({ open: () => openEngine(index.url), close: () => index.drop(), runs: 25 })
})
