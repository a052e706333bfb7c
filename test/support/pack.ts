import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TYPES = fileURLToPath(new URL('../../scripts/types', import.meta.url))

/** Packs what `npm publish` would upload. Returns the path of the tarball, which is in `folder`, and its files. */
export function packProject(project: string, folder: string): { files: string[]; tarball: string } {
  if (!existsSync(join(project, 'dist', 'gateway.d.ts'))) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: TYPES, stdio: 'inherit' })
    const args = [join(TYPES, 'build.mjs'), join(project, 'dist')]
    execFileSync(process.execPath, args, { stdio: 'inherit' })
  }
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const answer = execFileSync('npm', args, {
    cwd: project,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [{ filename, files }] = JSON.parse(answer) as [
    { filename: string; files: { path: string }[] },
  ]
  return { files: files.map(({ path }) => path), tarball: join(folder, filename) }
}
