import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import { somePostgresIndex } from './postgres.ts'

/** A folder for an index, until the test has ended. */
export function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'ethgate-index-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

/** The address of an index in PostgreSQL, until the test has ended. */
export function postgres(): string {
  const index = somePostgresIndex()
  onTestFinished(() => index.drop())
  return index.url
}
