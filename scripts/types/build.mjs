// Writes the types of the package, one file for each entry: `npm run build:types`, or `node scripts/types/build.mjs [FOLDER]`.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

import { ENTRIES } from '../entries.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [, , folder = join(root, 'dist')] = process.argv

// It is inside node_modules, so that the types find their packages.
const types = mkdtempSync(join(root, 'node_modules', '.types-'))
try {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', types]
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  for (const [name, entry] of Object.entries(ENTRIES)) await writeTypes(name, entry, types)
} finally {
  rmSync(types, { recursive: true })
}

/**
 * Fails if the entry needs the types of another package: a compiler would read all types of that package.
 *
 * @param {string} name
 * @param {{ source: string, types: string[] }} entry
 * @param {string} types
 */
async function writeTypes(name, { source, types: packages }, types) {
  const isPackage = (/** @type {string} */ id) => /^[^./]/.test(id)
  const bundle = await rollup({
    input: join(types, `${source}.d.ts`),
    external: isPackage,
    plugins: [dts({ respectExternal: true, tsconfig: join(root, 'tsconfig.build.json') })],
    onLog(_level, { message }) {
      throw new Error(message)
    },
  })
  const { output } = await bundle.write({ file: join(folder, `${name}.d.ts`) })
  const used = output.flatMap((chunk) => ('imports' in chunk ? chunk.imports : []))
  const others = used.filter((id) => !isBuiltin(id) && !packages.includes(id.split('/')[0] ?? id))
  if (others.length > 0) throw new Error(`the types of ${name} need ${others.join(', ')}`)
}
