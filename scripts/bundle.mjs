// Builds the package: `node scripts/bundle.mjs [FOLDER]`, dist by default. The command line and the entries that programs import are
// bundled with the packages that they use, and so are the types. Few files start fast: Node takes longer to find, open and compile the
// thousand modules of the program than the program takes to start. And an installation has few packages.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

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

/** Packages whose objects programs pass to the entries for them, so both must use the same copy. */
const PEERS = ['ethers', 'viem']

/** Takes the parts of undici that the gateway uses. An alias would replace the paths of the parts too. */
const UNDICI = {
  name: 'undici',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, () => ({ path: join(root, 'scripts/undici.mjs') }))
  },
}

rmSync(folder, { force: true, recursive: true })
const common = {
  absWorkingDir: root,
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the line that threw an error that nobody caught.
  lineLimit: 200,
  metafile: true,
  logLevel: 'warning',
}
const [node, browser] = await Promise.all([
  build({
    ...common,
    // Threads are started from files beside the code that starts them.
    entryPoints: [
      { in: 'src/cli/main.ts', out: 'main' },
      { in: 'src/gateway/gateway.ts', out: 'gateway' },
      { in: 'src/logIndex/worker/reader.ts', out: 'chunks/reader' },
      { in: 'src/logIndex/worker/writer.ts', out: 'chunks/writer' },
      {
        in: 'src/devchain/simulator/simulationThread.ts',
        out: 'chunks/simulationThread',
      },
    ],
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'node',
    plugins: [UNDICI],
    target: 'node20',
    external: EXTERNAL,
    // CommonJS packages ask for the modules of Node.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
    // For `node --enable-source-maps`.
    sourcemap: 'linked',
    sourcesContent: false,
  }),
  // Programs of Node and of browsers import these.
  build({
    ...common,
    entryPoints: ['src/sdk/client.ts', 'src/sdk/viem.ts', 'src/sdk/ethers.ts'],
    chunkNames: 'sdk/[name]-[hash]',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    external: PEERS,
    inject: ['scripts/buffer.mjs'],
  }),
  bundleTypes(),
])
writeFileSync(
  join(folder, 'third-party-licenses.txt'),
  licenses([...Object.keys(node.metafile.inputs), ...Object.keys(browser.metafile.inputs)]),
)

/**
 * Writes one file of types for the entries of each kind. Types of packages that are not installed with this one are copied into it. No
 * entry but `viem` needs viem: the others use its names for hex texts and for ABIs only.
 */
async function bundleTypes() {
  // It is inside node_modules, so that the types find their packages.
  const types = mkdtempSync(join(root, 'node_modules', '.types-'))
  try {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', types]
    execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
    const viem = join(types, 'viem.d.ts')
    const hex = ['Address', 'Hash', 'Hex'].map((name) => `export type ${name} = \`0x\${string}\`\n`)
    writeFileSync(viem, `export type { Abi } from 'abitype'\n${hex.join('')}`)
    await Promise.all([
      writeTypes({ gateway: 'gateway/gateway', client: 'sdk/client' }, types, viem),
      writeTypes({ viem: 'sdk/viem', ethers: 'sdk/ethers' }, types),
    ])
  } finally {
    rmSync(types, { recursive: true })
  }
}

/** @param {Record<string, string>} entries @param {string} types @param {string} [viem] - replaces the package */
async function writeTypes(entries, types, viem) {
  const input = Object.entries(entries).map(([name, path]) => [name, join(types, `${path}.d.ts`)])
  const bundle = await rollup({
    input: Object.fromEntries(input),
    external: (id) => isBuiltin(id) || (!viem && PEERS.some((peer) => id.split('/')[0] === peer)),
    plugins: [
      { name: 'viem', resolveId: (id) => (viem && /^viem(\/|$)/.test(id) ? viem : undefined) },
      dts({ respectExternal: true, tsconfig: join(root, 'tsconfig.build.json') }),
    ],
    onLog(_level, { message }) {
      throw new Error(message)
    },
  })
  await bundle.write({
    dir: folder,
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'types/[name].ts',
  })
}

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
