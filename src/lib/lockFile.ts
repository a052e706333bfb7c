import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Locks a file for this process, and creates it when it does not exist. The system holds the lock (`F_OFD_SETLK`, `flock` or
 * `LockFileEx`) and releases it when the process ends, also when it is killed. The file is never deleted: a process that
 * opened the deleted file could lock it beside the owner of the new one.
 *
 * @returns a function that releases the lock. Later calls have no effect: the number of the descriptor may be another file's.
 * @throws FileInUseError when another process, or another call in this one, holds the lock.
 */
export async function lockFile(file: string): Promise<() => void> {
  // Only now, because the package has machine code that not every system can load.
  const { tryLock } = await import('fs-native-extensions')
  mkdirSync(dirname(file), { mode: 0o700, recursive: true })
  const descriptor = open(file)
  try {
    if (!tryLock(descriptor)) throw new FileInUseError(file)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    closeSync(descriptor)
  }
}

function open(file: string): number {
  try {
    return openSync(file, 'a', 0o600)
  } catch (cause) {
    // Earlier versions locked a folder with a socket of this name.
    if ((cause as NodeJS.ErrnoException).code !== 'ENXIO') throw cause
    throw new Error(
      `${file} is a socket of an earlier version: stop that version, then delete the file`,
      { cause },
    )
  }
}

/** Another process holds the lock. */
export class FileInUseError extends Error {
  override name = 'FileInUseError'

  constructor(file: string) {
    super(`another process uses it (it holds the lock ${file})`)
  }
}
