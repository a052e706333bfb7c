// Builds the package: `node scripts/build.mjs [FOLDER [code | types]]`, by default both in dist. Only the code of this project is in it; packages are installed.
// The code is bundled into few files because Node takes longer to find, open and compile the thousand files of the program than the
// program takes to start. The types of each entry are one file.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const root = fileURLToPath(new URL('..', import.meta.url))
const [, , folder = join(root, 'dist'), only] = process.argv

/** What programs import, by the name of the built file, with the packages whose types each entry uses. */
const ENTRIES = {
  gateway: { source: 'gateway/entry', types: [] },
  client: { source: 'sdk/client', types: [] },
  viem: { source: 'sdk/viem', types: ['viem'] },
  ethers: { source: 'sdk/ethers', types: ['ethers'] },
}

if (only !== 'types') rmSync(folder, { force: true, recursive: true })
await Promise.all([only !== 'types' && bundleCode(), only !== 'code' && bundleTypes()])

function bundleCode() {
  return build({
    absWorkingDir: root,
    outdir: folder,
    entryPoints: {
      main: 'src/cli/main.ts',
      // Threads are started from files beside the code that starts them.
      'chunks/reader': 'src/logIndex/worker/reader.ts',
      'chunks/writer': 'src/logIndex/worker/writer.ts',
      'chunks/simulationThread': 'src/devchain/simulator/simulationThread.ts',
      'chunks/tracerThread': 'src/devchain/trace/javascript/tracerThread.ts',
      ...Object.fromEntries(
        Object.entries(ENTRIES).map(([name, { source }]) => [name, `src/${source}.ts`]),
      ),
    },
    bundle: true,
    chunkNames: 'chunks/[name]-[hash]',
    define: version(),
    format: 'esm',
    logLevel: 'warning',
    packages: 'external',
    platform: 'node',
    sourcemap: 'linked',
    splitting: true,
    target: 'node20',
  })
}

/** What src/lib/version.ts adds to a version in development. An image is built without git: it may set ETHGATE_COMMIT. */
function version() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (!version.endsWith('-dev')) return {}
  const commit = process.env['ETHGATE_COMMIT'] || commitOfCheckout()
  return commit ? { BUILD: JSON.stringify(commit) } : {}
}

function commitOfCheckout() {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    return `${git('rev-list', '--count', 'HEAD').trim()}+${git('rev-parse', '--short=8', 'HEAD').trim()}`
  } catch {
    return undefined
  }
}

async function bundleTypes() {
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
