import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { replaceFile, replaceFileSync } from './replaceFile.ts'

test.each([
  ['replaceFile', replaceFile],
  [
    'replaceFileSync',
    async (...args: Parameters<typeof replaceFileSync>) => replaceFileSync(...args),
  ],
] as const)('%s: replaces the content and sets the mode of a new file', async (_, replace) => {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-replace-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  await replace(path, 'old', 0o600)
  await replace(path, 'new', 0o600)
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['file'])
  await expect(async () => replace(join(folder, 'none', 'file'), '')).rejects.toThrow('ENOENT')
})
