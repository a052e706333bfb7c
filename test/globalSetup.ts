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

import type { TestProject } from 'vitest/node'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Compiles the package once for all tests that run it in a process of its own. The folder is inside node_modules, so that
 * the program finds its dependencies and nobody lints or commits it.
 */
export default function setup({ provide }: TestProject): void {
  const folder = join(root, 'node_modules', '.cache', 'ethgate-test')
  const main = join(folder, 'dist', 'main.js')
  if (!isCurrent(main)) {
    rmSync(folder, { force: true, recursive: true })
    mkdirSync(folder, { recursive: true })
    for (const file of ['package.json', 'LICENSE', 'README.md'])
      copyFileSync(join(root, file), join(folder, file))
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist')]
    execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
    const out = `--outdir=${join(folder, 'dist', 'assets')}`
    execSync(pageBuild().replace('--outdir=dist/assets', out), {
      cwd: root,
      env: { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env['PATH']}` },
      stdio: 'inherit',
    })
  }
  provide('package', folder)
}

/** The command of `npm run build:page`. */
function pageBuild(): string {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  return scripts['build:page'] ?? ''
}

/** Whether the compiled program is newer than every source file. */
function isCurrent(main: string): boolean {
  if (!existsSync(main)) return false
  const built = statSync(main).mtimeMs
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  return [...sources.map((file) => join('src', file)), 'package.json', 'tsconfig.build.json'].every(
    (file) => statSync(join(root, file)).mtimeMs < built,
  )
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the compiled package, as `npm pack` takes it. */
    package: string
  }
}
