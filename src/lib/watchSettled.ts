import { statSync } from 'node:fs'

/**
 * Calls back after a file has changed and two checks have found it alike. A program may write a file in parts, and the first part may
 * be valid: a list that ends early, or an entry without its last lines.
 *
 * @returns a function that ends it
 */
export function watchSettled(
  path: string,
  onChange: () => void,
  { interval = CHECK_MS, look = stateOf }: watchSettled.Options = {},
): () => void {
  let known = look(path)
  let isNew = false

  function check() {
    const found = look(path)
    const hasChanged = found !== known
    known = found
    if (isNew && !hasChanged) onChange()
    isNew = hasChanged
  }

  const timer = setInterval(check, interval)
  timer.unref()
  return () => clearInterval(timer)
}

export declare namespace watchSettled {
  type Options = {
    /** Milliseconds between two checks. @default 500 */
    interval?: number
    /** What differs when the content of the file does. */
    look?: (path: string) => string
  }
}

const CHECK_MS = 500

/** Time and size of a file, and which one it is; otherwise why there is none. A check has no caller that could catch an error. */
function stateOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
