import { execFileSync } from 'node:child_process'

/** Installs the Debian packages whose programs of the same name are missing. */
export function install(packages: readonly string[]): void {
  const missing = packages.filter((name) => {
    try {
      execFileSync('which', [name], { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
  if (missing.length === 0) return
  const stdio = ['ignore', 2, 2] as const
  execFileSync('apt-get', ['update', '-qq'], { stdio: [...stdio] })
  const options = ['install', '-y', '-qq', '--no-install-recommends']
  execFileSync('apt-get', [...options, ...missing], { stdio: [...stdio] })
}
