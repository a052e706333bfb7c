import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { TestProject } from 'vitest/node'

import { packedManifest } from '../../scripts/manifest.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Builds the package once, for all tests that run it in separate processes and threads. The folder is inside node_modules,
 * so that the program finds its dependencies, and git and the linter ignore it.
 */
export default async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = join(root, 'node_modules', '.cache', 'ethgate-test')
  // This file is written before the build and has its place after it, so a build that failed or is older counts for nothing.
  if (!isCurrent(join(folder, 'package.json'))) {
    const building = `${folder}.new`
    for (const old of [folder, building]) rmSync(old, { force: true, recursive: true })
    mkdirSync(building, { recursive: true })
    for (const file of ['LICENSE', 'README.md'])
      copyFileSync(join(root, file), join(building, file))
    writeFileSync(join(building, 'package.json'), packedManifest())
    const dist = join(building, 'dist')
    // In a fresh clone `npm ci` has built it, the page last. `npm run build:page` alone leaves the program old, or absent.
    if (BUILT.every((file) => isCurrent(join(root, 'dist', file))))
      cpSync(join(root, 'dist'), dist, { recursive: true })
    else {
      await compile(dist)
      await buildPage(dist)
    }
    renameSync(building, folder)
  }
  provide('package', folder)

  // Projects of other tools stay installed for the next run.
  process.env['TOOLS_CACHE'] ??= join(tmpdir(), 'ethgate-tools')
  // Whatever tests and the processes that they kill leave behind is in one folder, which goes with the last test.
  const temporary = mkdtempSync(join(tmpdir(), 'ethgate-test-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(temporary, 0o711)
  process.env['TMPDIR'] = temporary
  provide('stateFolders', join(temporary, 'state'))
  return () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
}

/** Builds the program like `npm run build`. */
async function compile(dist: string): Promise<void> {
  await run(process.execPath, join('scripts', 'build.mjs'), dist)
}

async function buildPage(dist: string): Promise<void> {
  const command = pageBuild().replace('--outdir=dist/assets', `--outdir=${join(dist, 'assets')}`)
  const [program = '', ...args] = command.split(' ')
  await run(join(root, 'node_modules', '.bin', program), ...args)
}

async function run(program: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { cwd: root, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed`)
}

/** The command of `npm run build:page`. */
function pageBuild(): string {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  return scripts['build:page'] ?? ''
}

/** The files of a whole build that its two commands write. */
const BUILT = ['main.js', join('assets', 'style.css')]

/** The other files on which the compiled program depends. */
const BUILD = ['package.json', 'scripts/build.mjs', 'scripts/entries.mjs', 'scripts/manifest.ts']

/** Whether a file of the compiled program is newer than every source file. */
function isCurrent(compiled: string): boolean {
  if (!existsSync(compiled)) return false
  const built = statSync(compiled).mtimeMs
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  const files = [...sources.map((file) => join('src', file)), ...BUILD]
  return files.every((file) => statSync(join(root, file)).mtimeMs < built)
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the compiled package with the files of `npm pack`. */
    package: string
    /** Folder with a state folder for each worker. */
    stateFolders: string
  }
}
