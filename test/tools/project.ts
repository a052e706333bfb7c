import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Folder of the projects' packages. It is outside the repository, so that the projects do not find its packages. */
const CACHE = process.env['TOOLS_CACHE'] ?? join(tmpdir(), 'ethgate-tools')

/** Folders that the next run uses again: packages and compiled contracts. */
const KEPT = new Set(['node_modules', 'artifacts', 'cache', 'out'])

/** A project of `examples` or of this folder with its packages installed. */
export type Project = {
  cwd: string
  /** Runs a program of the project and returns its output. @throws Error with the output when it fails */
  run(program: string, args: readonly string[], env?: Record<string, string>): Promise<string>
  /** Runs a script with Node. */
  node(args: readonly string[], env?: Record<string, string>): Promise<string>
}

/** Copies a project to the cache and installs the packages that its lockfile names, unless they are there. */
export async function openProject(name: string): Promise<Project> {
  const source = [`../../examples/${name}`, name]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path))
  if (source === undefined) throw new Error(`no project ${name}`)
  const hasPackages = existsSync(join(source, 'package-lock.json'))
  const lock = hasPackages ? readFileSync(join(source, 'package-lock.json')) : ''
  const cwd = join(CACHE, `${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`)
  mkdirSync(cwd, { recursive: true })
  for (const entry of readdirSync(cwd))
    if (!KEPT.has(entry)) rmSync(join(cwd, entry), { recursive: true })
  const filter = (path: string) => !KEPT.has(path.slice(source.length + 1))
  cpSync(source, cwd, { recursive: true, filter })
  // npm writes this file when everything else is there. `npm ci` would refuse a lockfile without the packages of other
  // platforms, which forge and Hardhat name as optional.
  if (hasPackages && !existsSync(join(cwd, 'node_modules/.package-lock.json')))
    await start('npm', ['install', '--no-save', '--no-audit', '--no-fund'], {})

  async function start(program: string, args: readonly string[], env: Record<string, string>) {
    const path = `${join(cwd, 'node_modules/.bin')}:${process.env['PATH']}`
    const options = {
      cwd,
      env: { ...process.env, ...QUIET, PATH: path, ...env },
      maxBuffer: 2 ** 26,
    }
    try {
      const { stderr, stdout } = await run(program, [...args], options)
      return stdout + stderr
    } catch (error) {
      const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
      const message = `${program} ${args.join(' ')} failed\n${stdout}\n${stderr}`
      throw new Error(message, { cause: error })
    }
  }

  return {
    cwd,
    run: (program, args, env = {}) => start(program, args, env),
    node: (args, env = {}) => start(process.execPath, args, env),
  }
}

/** Switches off colours, questions and telemetry, and removes the variables of Vitest's own processes. */
const QUIET = {
  CI: '1',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
  NODE_ENV: 'test',
  NODE_OPTIONS: '',
  NODE_TEST_CONTEXT: undefined,
  HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
  FOUNDRY_DISABLE_NIGHTLY_WARNING: '1',
}

/** Whether the projects are to be tested. Installing and compiling take minutes. */
export const wanted = process.env['TEST_TOOLS'] !== undefined
if (!wanted) process.stderr.write('skipped: the example projects run with npm run test:tools\n')
