import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

// A file beside the file of an index, while no writer has it open. It says that every page was sound when the last writer closed it. A copy,
// a file that something else wrote to, and one that was open when a process ended, have none that fits.

/** Removes the mark. @returns whether it was there and fits to the file */
export function takeMark(file: string): boolean {
  try {
    const mark = readFileSync(nameOf(file), 'utf8')
    rmSync(nameOf(file))
    return mark === stateOf(file)
  } catch {
    return false
  }
}

/** Leaves the mark after the file was closed. Without one the next writer reads all pages, so a failure does no harm. */
export function leaveMark(file: string): void {
  try {
    writeFileSync(nameOf(file), stateOf(file))
  } catch {}
}

const nameOf = (file: string) => `${file}-closed`

function stateOf(file: string): string {
  const { dev, ino, mtimeNs, size } = statSync(file, { bigint: true })
  return [dev, ino, size, mtimeNs].join(' ')
}
