import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import { openDevScene, type Scene } from './sendScenes.ts'

const page = readFileSync(new URL('../../docs/sending.md', import.meta.url), 'utf8')
const source = fileURLToPath(new URL('../../src/sdk/', import.meta.url))

/** The programs of the page, with the heading that each stands under. */
const programs = page
  .split(/^## /m)
  .flatMap((section) =>
    [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(
      ([, code = '']) => [section.split('\n')[0] ?? '', code] as const,
    ),
  )

/** The output of each program when it succeeds. */
const PRINTED: Record<string, string> = {
  'Any native wallet': 'sent',
  'Managed keys': 'mined',
  'The native library': 'success',
  'ethers 6': 'success',
  viem: 'success',
}

let scene: Scene
// Inside the project, so that the programs find its packages.
const folder = mkdtempSync(fileURLToPath(new URL('../.docs-', import.meta.url)))

beforeAll(async () => {
  scene = await openDevScene()
  vi.stubEnv('ETHGATE_URL', scene.url)
  vi.stubEnv('NATIVE_URL', scene.node)
  vi.stubEnv('PRIVATE_KEY', scene.keys.rich)
  vi.stubEnv('MANAGED_KEY', scene.keys.bob)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { force: true, recursive: true })
  await scene?.stop()
})

test('default: every program of the page is known', () => {
  expect(programs.map(([heading]) => heading).toSorted()).toEqual(Object.keys(PRINTED).toSorted())
})

test.each(programs)('default: %s', async (heading, code) => {
  const file = join(folder, `${heading.replaceAll(/\W+/g, '-')}.ts`)
  writeFileSync(
    file,
    code.replaceAll(/'ethgate\/(\w+)'/g, (_, name) => `'${source}${name}.ts'`),
  )
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await import(pathToFileURL(file).href)
    expect(log.mock.calls).toEqual([[PRINTED[heading]]])
  } finally {
    log.mockRestore()
  }
})
