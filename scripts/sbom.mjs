// Prints the SBOM of the built package as CycloneDX: `npm run -s sbom > ethgate.cdx.json`. npm lists what package-lock.json installs. The
// package installs few of these and contains others as code, which npm counts as tools of developers. This script keeps both kinds.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = process.argv[2] ?? join(root, 'dist')

/** @param {string[]} args */
const npmSbom = (...args) =>
  JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', ...args], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )

/** @param {{ name: string, version: string }} component */
const idOf = ({ name, version }) => `${name} ${version}`

const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const licenses = readFileSync(join(built, 'third-party-licenses.txt'), 'utf8')
// The build begins the licence of each bundled package with a line such as `pino 10.4.0 (MIT)`.
const bundled = new Set([...licenses.matchAll(/^(\S+ \d+\.\S+) \(/gm)].map(([, id]) => id))
const installed = new Set(npmSbom('--omit', 'dev').components.map(idOf))
const sbom = npmSbom()
// npm takes the name of the folder.
sbom.metadata.component.name = name
const kept = new Map()
for (const component of sbom.components) {
  const { properties = [], ...rest } = component
  if (installed.has(idOf(component))) kept.set(component['bom-ref'], component)
  else if (bundled.has(idOf(component)))
    kept.set(component['bom-ref'], {
      ...rest,
      properties: properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
    })
}
sbom.components = [...kept.values()]
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => kept.has(ref) || ref === sbom.metadata.component['bom-ref'])
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`)
