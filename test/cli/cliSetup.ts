import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll } from 'vitest'

import { type ReplayNode, startReplayNode } from '../support/node.ts'

/** A replay node that all tests of a file share. Call it at the top of the file; read the node inside the tests. */
export function useReplayNode(): { readonly node: ReplayNode } {
  const shared = {} as { node: ReplayNode }
  beforeAll(async () => {
    shared.node = await startReplayNode()
  })
  afterAll(() => shared.node.close())
  return shared
}

/** A folder for the files of a test file's commands. It is removed at the end. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-cli-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}
