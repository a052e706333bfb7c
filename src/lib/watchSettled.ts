import { statSync } from 'node:fs'

/**
 * Calls back after a file has changed and two checks have found it alike. A program may write a file in parts, and the first part may
 * be valid: a list that ends early, or an entry without its last lines. A file that changes at every check is read at every tenth,
 * unless it is empty or missing at that time.
 *
 * @returns a function that ends it
 */
export function watchSettled(
  path: string,
  onChange: () => void,
  { interval = CHECK_MS, look = stateOf }: watchSettled.Options = {},
): () => void {
  let known = look(path)
  /** Checks in a row that found the file changed. */
  let changes = 0

  function check() {
    const found = look(path)
    const hasChanged = found !== known
    known = found
    const isDue = hasChanged ? changes + 1 >= MOST_CHANGES && found !== NO_CONTENT : changes > 0
    if (isDue) onChange()
    changes = hasChanged && !isDue ? changes + 1 : 0
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

/** Changes in a row after which a file counts as complete: a writer of parts has five seconds for all of them. */
const MOST_CHANGES = 10

/** The state of a file that is empty or missing. */
const NO_CONTENT = ''

/** Time and size of a file, and which one it is; otherwise why there is none. A check has no caller that could catch an error. */
function stateOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path)
    return size === 0 ? NO_CONTENT : `${ino} ${mtimeMs} ${size}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? NO_CONTENT : String(code)
  }
}
