import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { replaceFile } from './replaceFile.ts'
import { writeWhole } from './writeWhole.ts'

/** Bytes above which a file is rewritten if it is twice as long as its entries need. */
const COMPACT_BYTES = 4 * 1024 * 1024

/** A file of JSON lines that one process appends to. */
export type JournalFile = ReturnType<typeof createJournalFile>

/**
 * A journal in a file. The first line is the header, every other line an entry. A last line without a line end was incomplete
 * when the process crashed, and is dropped: its call was never answered. Any other unreadable line is an error.
 */
export function createJournalFile<entry extends object>({
  compactBytes = COMPACT_BYTES,
  entries,
  file,
  header,
  isEntry,
  onFailure,
  onHeader,
  onUnreadable,
  restore,
}: createJournalFile.Options<entry>) {
  let handle: FileHandle | undefined
  /** Bytes of the complete lines of the file. */
  let length = 0
  /** Length of the file after the last rewrite. */
  let compacted = 0
  let lines: string[] = []
  /** The write in flight, and the next one, which contains the entries since. */
  let writing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  /** A write failed: the next operation reads the file again first. */
  let isStale = false
  /** Why the last write failed. */
  let failure: string | undefined
  let reloading: Promise<void> | undefined

  const first = lineOf(header)

  async function load(): Promise<void> {
    await handle?.close()
    handle = undefined
    await mkdir(dirname(file), { mode: 0o700, recursive: true })
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const [found, ...rest] = whole.split('\n').slice(0, -1)
    // The header is never written in part: without its line end the file is another one, or has lost its content.
    const header = found ?? text
    if (header !== '' && `${header}\n` !== first) throw onHeader(header)
    restore(rest.map((line, index) => entryOf(line, index + 2)))
    await rewrite()
    writing = Promise.resolve()
    isStale = false
    failure = undefined
  }

  function entryOf(line: string, number: number): entry {
    try {
      const entry = JSON.parse(line) as entry
      if (isEntry(entry)) return entry
    } catch {
      // The error below names the line.
    }
    throw onUnreadable(`${file}, line ${number}`)
  }

  /** Rewrites the file without outdated entries. */
  async function rewrite(): Promise<void> {
    const body = first + [...entries()].map(lineOf).join('')
    await replaceFile(file, body, 0o600)
    await handle?.close()
    handle = await open(file, 'r+')
    length = compacted = Buffer.byteLength(body)
  }

  async function write(): Promise<void> {
    const bytes = Buffer.from(lines.join(''))
    lines = []
    next = undefined
    try {
      if (!handle) throw new Error('the file is not open')
      // Memory has entries that the file lacks, and these lines were written after them.
      if (isStale) throw new Error('an earlier write failed')
      await writeWhole(handle, bytes, length)
      await handle.datasync()
      length += bytes.length
      if (length > compactBytes && length > 2 * compacted) await rewrite()
    } catch (cause) {
      isStale = true
      // A part of the lines may be there, and a shorter line would be followed by the rest of it.
      await handle?.truncate(length).catch(() => {})
      failure = reasonOf(cause)
      throw onFailure(cause)
    }
  }

  function written(): Promise<void> {
    if (lines.length === 0) return next ?? writing
    if (!next) {
      next = writing.catch(() => {}).then(write)
      writing = next
      // The callers of `append` get the error.
      writing.catch(() => {})
    }
    return next
  }

  return {
    /**
     * Reads the file, or creates it, and rewrites it without outdated entries. The next operation after a failed write calls
     * it again. @throws Error that names the problem with the file or its folder.
     */
    load,
    /** Resolves when every entry so far is on the disk. */
    written,
    /** Appends an entry. Resolves when it is on the disk (fdatasync). Entries of one event loop tick share a write. */
    append(entry: object) {
      lines.push(lineOf(entry))
      return written()
    },
    /** Loads the file again when a write has failed, because memory has entries that the file lacks. */
    async ensureLoaded() {
      if (!isStale) return
      await writing.catch(() => {})
      reloading ??= load()
        .catch((cause: unknown) => {
          failure = reasonOf(cause)
          throw onFailure(cause)
        })
        .finally(() => {
          reloading = undefined
        })
      await reloading
    },
    /** Why the file could not be written the last time, as the code of the system; undefined when it could. */
    problem: () => failure,
    async close() {
      await writing.catch(() => {})
      await handle?.close()
      handle = undefined
    },
  }
}

/** The code of the system, such as ENOSPC. Messages name files, and clients may read them. */
function reasonOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown error'
}

export declare namespace createJournalFile {
  type Options<entry> = {
    /** Length above which a file is rewritten when half of it is outdated. @default 4 MiB */
    compactBytes?: number | undefined
    /** Path of the file. Missing folders are created. */
    file: string
    /** The content of the first line. */
    header: object
    /** The error for a file with another first line. */
    onHeader: (header: string) => Error
    /** The error for a line that is no entry. @param place - the path of the file, and the number of the line */
    onUnreadable: (place: string) => Error
    /** The error for a write that the disk refused. */
    onFailure: (cause: unknown) => Error
    /** Whether the value of a line is an entry of this version. */
    isEntry: (value: entry) => boolean
    /** Replaces what is in memory by the entries of the file. */
    restore: (entries: readonly entry[]) => void
    /** What is in memory, as entries of a new file. */
    entries: () => Iterable<object>
  }
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`
