// The table of docs/packages.md: what each package that an installation has costs, from package-lock.json and node_modules.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

type Locked = {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  os?: string[]
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>
}
const own = packages[''] as Required<Locked>

/** The parts that need optional packages. */
const PARTS: readonly (readonly [part: string, ...names: string[]])[] = [
  [
    '`ethgate dev`, `--fork`, `--simulate`; `--keys` signs faster with it',
    '@ethereumjs/common',
    '@ethereumjs/evm',
    '@ethereumjs/util',
    'tiny-secp256k1',
  ],
  [
    'tracers in JavaScript',
    '@jitl/quickjs-wasmfile-release-sync',
    'big-integer',
    'quickjs-emscripten-core',
  ],
  ['`--index` with a directory', 'lmdb'],
  ['`--index` with PostgreSQL', 'pg', 'pg-copy-streams'],
  [
    'traces with OpenTelemetry',
    ...Object.keys(own.optionalDependencies).filter((name) => name.startsWith('@opentelemetry/')),
  ],
  ['`ethgate index export` to Parquet', 'hyparquet-writer'],
]

/** Rows of a table: what needs the packages, the packages, how many they are with those that they need, and MB. */
export function packageRows(): string[][] {
  const listed = PARTS.flatMap(([, ...names]) => names)
  const missing = Object.keys(own.optionalDependencies).filter((name) => !listed.includes(name))
  if (missing.length > 0) throw new Error(`no part needs ${missing.join(', ')}`)
  const always = closure(Object.keys(own.dependencies))
  // Packages with the largest share have a row of their own.
  const large = ['viem', 'undici', 'hono']
  const rest = new Set(
    [...always].filter((path) => !large.some((name) => closure([name]).has(path))),
  )
  return [
    ...large.map((name) => row('every command', [name], closure([name]))),
    ['every command', 'all others', String(rest.size), megabytes(rest)],
    ...PARTS.map(([part, ...names]) =>
      row(part, names, new Set([...closure(names)].filter((path) => !always.has(path)))),
    ),
  ]
}

function row(part: string, names: readonly string[], paths: ReadonlySet<string>): string[] {
  return [part, names.map((name) => `\`${name}\``).join(', '), String(paths.size), megabytes(paths)]
}

/** Where packages and all that they need are installed. */
function closure(names: readonly string[], from = '', found = new Set<string>()): Set<string> {
  for (const name of names) {
    const path = locate(name, from)
    const locked = path === undefined ? undefined : packages[path]
    // Packages for one system differ between machines.
    if (path === undefined || !locked || locked.os || found.has(path)) continue
    found.add(path)
    closure(Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }), path, found)
  }
  return found
}

function locate(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (packages[path]) return path
    if (folder === '' || folder === '.') return undefined
  }
}

/** The bytes of the files of packages, without packages inside them. */
function megabytes(paths: ReadonlySet<string>): string {
  const bytes = [...paths].reduce((sum, path) => sum + sizeOf(join(root, path)), 0)
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === 'node_modules') return sum
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? sizeOf(path) : statSync(path).size)
  }, 0)
}
