import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { findBuildFolder } from './buildFolder.ts'

function someFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-project-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test.each([
  ['hardhat.config.ts', 'artifacts'],
  ['hardhat.config.cjs', 'build/artifacts'],
  ['foundry.toml', 'out'],
])('default: %s with %s', (config, folder) => {
  const project = someFolder()
  mkdirSync(join(project, folder), { recursive: true })
  expect(findBuildFolder(project)).toBe(undefined)
  writeFileSync(join(project, config), '')
  expect(findBuildFolder(project)).toBe(join(project, folder))
})

test('behavior: none before the first build', () => {
  const project = someFolder()
  writeFileSync(join(project, 'hardhat.config.ts'), '')
  expect(findBuildFolder(project)).toBe(undefined)
})
