import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect, inject, test } from 'vitest'

/** The SBOM that the release publishes. */

const root = fileURLToPath(new URL('../..', import.meta.url))

type Sbom = {
  bomFormat: string
  components: { name: string; version: string; licenses?: unknown[] }[]
  dependencies: { ref: string; dependsOn: string[] }[]
  metadata: { component: { name: string; version: string } }
}

test('default: the SBOM lists what the package installs and what it contains, and no tools', () => {
  const dist = join(inject('package'), 'dist')
  const printed = execFileSync(process.execPath, [join(root, 'scripts/sbom.mjs'), dist], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  const { bomFormat, components, dependencies, metadata } = JSON.parse(printed) as Sbom
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string
    version: string
  }
  expect({ bomFormat, ...metadata.component }).toMatchObject({
    bomFormat: 'CycloneDX',
    name,
    version,
  })

  const names = components.map((component) => component.name)
  expect(names).toEqual(expect.arrayContaining(['lmdb', 'tiny-secp256k1', 'viem', 'pino']))
  expect(names).not.toContain('vitest')
  const licenses = readFileSync(join(dist, 'third-party-licenses.txt'), 'utf8')
  const headings = [...licenses.matchAll(/^(\S+ \d+\.\S+) \(/gm)].map(([, id]) => id)
  const listed = components.map((component) => `${component.name} ${component.version}`)
  expect(headings.length).toBeGreaterThan(100)
  expect(headings.filter((id = '') => !listed.includes(id))).toEqual([])
  // Every reference leads to a component.
  expect(dependencies).toHaveLength(components.length + 1)
})
