import { execFileSync, execSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Builds once, for all tests, what they run in processes and threads of its own. The folder is inside node_modules, so that
 * the program finds its dependencies and nobody lints or commits it.
 */
export default async function setup({ provide }: TestProject): Promise<void> {
  const folder = join(root, 'node_modules', '.cache', 'ethgate-test')
  // From here, as from dist/page, the assets are in ../../dist/assets.
  const bundle = join(folder, 'bundle', 'program')
  if (!isCurrent(join(bundle, 'main.js'))) {
    rmSync(folder, { force: true, recursive: true })
    mkdirSync(folder, { recursive: true })
    compilePackage(folder)
    await bundleProgram(bundle)
  }
  provide('package', folder)
  provide('bundle', bundle)
}

/** The package as `npm run build` makes it. */
function compilePackage(folder: string): void {
  for (const file of ['package.json', 'LICENSE', 'README.md'])
    copyFileSync(join(root, file), join(folder, file))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist')]
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  const bundle = [join(root, 'scripts', 'bundle.mjs'), join(folder, 'dist')]
  execFileSync(process.execPath, bundle, { cwd: root, stdio: 'inherit' })
  const out = `--outdir=${join(folder, 'dist', 'assets')}`
  execSync(pageBuild().replace('--outdir=dist/assets', out), {
    cwd: root,
    env: { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env['PATH']}` },
    stdio: 'inherit',
  })
}

/** The program as in the package, and the entry for programs as a bundle too, so that they start as fast. */
async function bundleProgram(outdir: string): Promise<void> {
  await build({
    absWorkingDir: root,
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
    bundle: true,
    chunkNames: '[name]-[hash]',
    entryNames: '[name]',
    entryPoints: [
      'src/main.ts',
      'src/gateway.ts',
      'src/logIndex/worker/reader.ts',
      'src/logIndex/worker/writer.ts',
    ],
    // They load files from their own folders.
    external: ['lmdb', 'tiny-secp256k1'],
    format: 'esm',
    logLevel: 'warning',
    outdir,
    platform: 'node',
    splitting: true,
    target: 'node20',
  })
  // One folder above the bundle, as above dist.
  copyFileSync(join(root, 'package.json'), join(outdir, '..', 'package.json'))
}

/** The command of `npm run build:page`. */
function pageBuild(): string {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  return scripts['build:page'] ?? ''
}

/** What the compiled program depends on besides its sources. */
const BUILD = ['package.json', 'scripts/bundle.mjs', 'tsconfig.build.json']

/** Whether the compiled program is newer than every source file. */
function isCurrent(main: string): boolean {
  if (!existsSync(main)) return false
  const built = statSync(main).mtimeMs
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const files = [...sources.map((file) => join('src', file)), ...BUILD]
  return files.every((file) => statSync(join(root, file)).mtimeMs < built)
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the compiled package, as `npm pack` takes it. */
    package: string
    /** Folder of the same program as a bundle: `main.js`, and `gateway.js` for programs. */
    bundle: string
  }
}
