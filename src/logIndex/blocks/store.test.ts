import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe } from 'vitest'

import { postgresMissing, somePostgresIndex } from '../../../test/support/postgres.ts'
import { explainSkip } from '../../../test/support/redis.ts'
import { testBlockStore } from './store.contract.ts'

describe('lmdb', () => {
  const address = mkdtempSync(join(tmpdir(), 'ethgate-blocks-'))
  testBlockStore({ address, drop: async () => rmSync(address, { recursive: true }) })
})

explainSkip(postgresMissing)
describe.skipIf(postgresMissing)('postgres', () => {
  const { drop, url } = somePostgresIndex()
  testBlockStore({ address: url, drop })
})
