import { createHash } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An API keys file in a folder of its own. */
export function createKeysFile(entries: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-limits-'))
  const path = join(folder, 'keys.yaml')
  const file = {
    folder,
    path,
    /** Replaces the file. @param entries - the other members of each key, by name */
    write: (entries: Readonly<Record<string, string>>) =>
      file.writeText(`keys:\n${Object.entries(entries).map(lineOf).join('')}`),
    writeText(text: string) {
      writeFileSync(`${path}.new`, text)
      renameSync(`${path}.new`, path)
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
  file.write(entries)
  return file
}

/** The header with the key of this name. */
export function bearer(name: string): { authorization: string } {
  return { authorization: `Bearer ${secretOf(name)}` }
}

/** The key of this name. */
export function secretOf(name: string): string {
  return `secret-of-${name}`
}

function lineOf([name, more]: [string, string]): string {
  const hash = createHash('sha256').update(secretOf(name)).digest('hex')
  return `  - {name: ${name}, sha256: ${hash}${more && `, ${more}`}}\n`
}
