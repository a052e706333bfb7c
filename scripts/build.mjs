// Builds the program: `node scripts/build.mjs [FOLDER]`, by default in dist. Only the code of this project is in it; packages are installed.
// scripts/types builds the types of the entries. The code is bundled into few files because Node takes longer to find, open and compile the
// thousand files of the program than the program takes to start.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'

import { ENTRIES } from './entries.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [, , folder = join(root, 'dist')] = process.argv

rmSync(folder, { force: true, recursive: true })
await build({
  absWorkingDir: root,
  outdir: folder,
  entryPoints: {
    main: 'src/cli/main.ts',
    // Threads are started from files beside the code that starts them.
    'chunks/reader': 'src/logIndex/worker/reader.ts',
    'chunks/writer': 'src/logIndex/worker/writer.ts',
    'chunks/blockWriter': 'src/logIndex/worker/blockWriter.ts',
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
