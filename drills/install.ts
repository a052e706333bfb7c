import { execFileSync } from 'node:child_process'

import { hasProgram } from '../test/support/programs.ts'

/** Installs the Debian packages whose programs of the same name are missing. */
export function install(packages: readonly string[]): void {
  const missing = packages.filter((name) => !hasProgram(name))
  if (missing.length === 0) return
  const apt = (...args: string[]) =>
    execFileSync('apt-get', [...args, '-qq'], { stdio: ['ignore', 2, 2] })
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...missing)
}
