import { renameSync, writeFileSync, type WriteFileOptions } from 'node:fs'

/** Replaces a file as a whole: after a kill it has the old or the new content. */
export function replaceFile(path: string, text: string, options?: WriteFileOptions): void {
  writeFileSync(`${path}.new`, text, options)
  renameSync(`${path}.new`, path)
}
