import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

import { RpcError } from '../lib/errors.ts'
import { createSentState, type SentFact, type SentState } from './sentState.ts'
import type { SentStore } from './sentStore.ts'

/** Bytes above which a file is rewritten if it is twice as long as its facts need. */
const COMPACT_BYTES = 4 * 1024 * 1024

/** A store in a file, for one process. Call `open` first. */
export type FileSentStore = SentStore & {
  /** Reads the file, or creates it. @throws Error that names the problem with the file or its folder. */
  open(): Promise<void>
  close(): Promise<void>
}

/**
 * A store that outlives the process: a file of JSON lines. The first line names the chain, every other line is a fact. A
 * change is on the disk (fdatasync) before its call returns, so every broadcast transaction is known after a restart.
 *
 * A last line without a line end was incomplete when the process crashed. Its transaction was never answered, so the line is
 * dropped. Any other unreadable line is an error. When the disk refuses a write, the change fails with `-32603` and the
 * store reads the file again.
 */
export function createFileSentStore({
  compactBytes = COMPACT_BYTES,
  file,
  genesis,
  now = Date.now,
}: createFileSentStore.Options): FileSentStore {
  let state: SentState = createSentState({ now })
  let handle: FileHandle | undefined
  /** Bytes of the complete lines of the file. */
  let length = 0
  /** Length of the file after the last rewrite. */
  let compacted = 0
  let lines: string[] = []
  /** The write in flight, and the next one, which contains the changes since. */
  let writing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  /** A write failed: the next operation reads the file again first. */
  let isStale = false

  const first = lineOf({ ethgate: 'sent', version: 1, genesis })

  async function load(): Promise<void> {
    await handle?.close()
    handle = undefined
    await mkdir(dirname(file), { mode: 0o700, recursive: true })
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const loaded = createSentState({ now })
    const [header, ...facts] = whole.split('\n').slice(0, -1)
    if (header !== undefined && `${header}\n` !== first) throw new Error(foreign(header, file))
    for (const [index, line] of facts.entries()) loaded.apply(readFact(line, index + 2, file))
    state = loaded
    await rewrite()
    writing = Promise.resolve()
    isStale = false
  }

  /** Rewrites the file without outdated facts, and replaces the old one atomically. */
  async function rewrite(): Promise<void> {
    const body = first + [...state.facts()].map(lineOf).join('')
    const replacement = `${file}.new`
    const written = await open(replacement, 'w', 0o600)
    try {
      await written.writeFile(body)
      await written.sync()
    } finally {
      await written.close()
    }
    await rename(replacement, file)
    await syncFolder(dirname(file))
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
      await handle.write(bytes, 0, bytes.length, length)
      await handle.datasync()
      length += bytes.length
      if (length > compactBytes && length > 2 * compacted) await rewrite()
    } catch (cause) {
      isStale = true
      throw new SentFileError(cause)
    }
  }

  /** Resolves when every change so far is on disk. Changes of one event loop tick share a write. */
  function written(): Promise<void> {
    if (lines.length === 0) return next ?? writing
    if (!next) {
      next = writing.catch(() => {}).then(write)
      writing = next
      // The callers of the changes get the error.
      writing.catch(() => {})
    }
    return next
  }

  function change(fact: SentFact): Promise<void> {
    state.apply(fact)
    lines.push(lineOf(fact))
    return written()
  }

  /** Reads the file after a failed write, because memory has changes that the file lacks. */
  async function fresh(): Promise<SentState> {
    if (isStale) {
      await writing.catch(() => {})
      reloading ??= load()
        .catch((cause: unknown) => {
          throw new SentFileError(cause)
        })
        .finally(() => {
          reloading = undefined
        })
      await reloading
    }
    return state
  }
  let reloading: Promise<void> | undefined

  return {
    open: load,
    async close() {
      await writing.catch(() => {})
      await handle?.close()
      handle = undefined
    },
    async reserve(sent) {
      const { fact, reservation } = (await fresh()).reserve(sent)
      if (fact) await change(fact)
      // Another call may have reserved the nonce just before, and its record may not be on disk yet.
      else await written()
      return reservation
    },
    async release(id) {
      if ((await fresh()).isPending(id)) await change({ fact: 'released', id })
    },
    async confirm(id) {
      if ((await fresh()).isPending(id)) await change({ fact: 'mined', id })
    },
    async addContract(id) {
      const fact = (await fresh()).createdBy(id)
      if (fact) await change(fact)
    },
    counts: async (from) => (await fresh()).counts(from),
    pending: async (options) => (await fresh()).pending(options),
    pick: async (ids) => ids.filter((await fresh()).isPending),
    async find(hash) {
      const found = (await fresh()).find(hash)
      await written()
      return found
    },
    contracts: async (cursor) => (await fresh()).contracts(cursor),
  }
}

export declare namespace createFileSentStore {
  type Options = {
    /** Length above which a file is rewritten when half of it is outdated. @default 4 MiB */
    compactBytes?: number
    /** Path of the file. Missing folders are created. */
    file: string
    /** Hash of block 0, because records are valid for one chain only. */
    genesis: string
    /** @default Date.now */
    now?: () => number
  }
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`

const FACTS = new Set<unknown>(['sent', 'released', 'mined', 'contract', 'nonces'])

function readFact(line: string, number: number, file: string): SentFact {
  try {
    const fact = JSON.parse(line) as SentFact
    if (FACTS.has(fact.fact)) return fact
  } catch {
    // The error below names the line.
  }
  throw new Error(
    `${file}, line ${number} is not readable. Without this file a transaction could be sent twice: restore it, or move it elsewhere if its transactions will not be sent again`,
  )
}

function foreign(header: string, file: string): string {
  return header.includes('"ethgate":"sent","version":1,')
    ? `${file} belongs to another chain`
    : `${file} is not a file of sent transactions that this version can read`
}

/** Makes a rename durable. Some file systems cannot open a folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** `-32603`: the transaction could not be recorded, so it is not sent. */
class SentFileError extends RpcError {
  override name = 'SentFileError'

  constructor(cause: unknown) {
    super(-32603, 'the record of sent transactions cannot be written, so nothing is sent', {
      cause,
    })
  }
}
