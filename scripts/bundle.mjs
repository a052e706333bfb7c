// Bundles the command line: `node scripts/bundle.mjs [FOLDER]`, dist by default, where tsc has compiled the rest.
// Node takes longer to find, open and compile the thousand modules of the program than the program takes to start. The
// entries of the package that other programs import stay as tsc made them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = process.argv[2] ?? join(root, 'dist')

/** Packages with files beside their code, and modules that packages take where they are installed. */
const EXTERNAL = [
  'fs-native-extensions',
  'lmdb',
  'tiny-secp256k1',
  'pg-native',
  'bufferutil',
  'utf-8-validate',
]

rmSync(join(folder, 'chunks'), { force: true, recursive: true })
const { metafile } = await build({
  absWorkingDir: root,
  // Threads are started from files beside the code that starts them.
  entryPoints: [
    { in: 'src/cli/main.ts', out: 'main' },
    { in: 'src/logIndex/worker/reader.ts', out: 'chunks/reader' },
    { in: 'src/logIndex/worker/writer.ts', out: 'chunks/writer' },
  ],
  outdir: folder,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: EXTERNAL,
  // CommonJS packages ask for the modules of Node.
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
  },
  // For `node --enable-source-maps`.
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
})
writeFileSync(join(folder, 'third-party-licenses.txt'), licenses(Object.keys(metafile.inputs)))

/** The licences of the packages whose code is in the bundle. @param {string[]} files @returns {string} */
function licenses(files) {
  const packages = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  )
  return [...packages]
    .toSorted()
    .map(license)
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/** @param {string} folder @returns {string} */
function license(folder) {
  const { license, name, version } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  )
  const file = readdirSync(join(root, folder)).find((file) => /^licen[cs]e/i.test(file))
  const text = file ? readFileSync(join(root, folder, file), 'utf8') : ''
  return `${name} ${version} (${license})\n\n${text}`
}
