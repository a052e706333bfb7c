// The package.json of the packed file: without what works in a checkout only. `npm pack` calls `write` before it packs, and `restore` after.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = join(root, 'package.json')
const kept = join(root, 'node_modules', '.package.json')

/** The text of package.json without scripts and the packages of developers. */
export function packedManifest(): string {
  const {
    devDependencies: _,
    scripts: __,
    ...rest
  } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, unknown>
  return `${JSON.stringify(rest, null, 2)}\n`
}

const [, , step] = process.argv
if (step === 'write') {
  copyFileSync(manifest, kept)
  writeFileSync(manifest, packedManifest())
}
if (step === 'restore') renameSync(kept, manifest)
