import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'

import { readValue, writeValue } from '../blocks/stateFile.ts'

type Fetched = readonly (readonly [name: string, value: unknown])[]

/** A file with the values that were read from a forked chain, one a line. @throws Error of the file system when the file cannot be written */
export function createDiskCache(file: string) {
  mkdirSync(dirname(file), { recursive: true })
  return {
    read() {
      if (!existsSync(file)) return []
      const entries: [string, unknown][] = []
      for (const line of readFileSync(file, 'utf8').split('\n'))
        try {
          entries.push(JSON.parse(line, readValue) as [string, unknown])
        } catch {
          // The end of the file, or a line that was incomplete when a process ended. Its value is read again.
        }
      return entries
    },
    append: (fetched: Fetched) => {
      const lines = fetched.map((entry) => `\n${JSON.stringify(entry, writeValue)}`)
      if (lines.length > 0) appendFileSync(file, lines.join(''))
    },
  }
}
