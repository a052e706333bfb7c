import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file as a whole: after a crash it has the old or the new content. The new content is on the disk when this resolves. */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  await writeFile(`${path}.new`, text, { flush: true, mode })
  await rename(`${path}.new`, path)
  // Some file systems cannot open a folder.
  const folder = await open(dirname(path), 'r').catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

/** Like `replaceFile`, while nothing else runs. */
export function replaceFileSync(path: string, text: string, mode?: number): void {
  writeFileSync(`${path}.new`, text, { flush: true, mode })
  renameSync(`${path}.new`, path)
  try {
    const folder = openSync(dirname(path), 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch {
    // Some file systems cannot open a folder.
  }
}
