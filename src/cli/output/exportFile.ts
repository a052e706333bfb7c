import { open, readFile, rm, stat } from 'node:fs/promises'

import { replaceFile } from '../../lib/replaceFile.ts'
import { writeWhole } from '../../lib/writeWhole.ts'
import { CommandError, usageError } from '../base/errors.ts'
import { stringify } from '../base/json.ts'
import type { BlockMark } from '../node/search.ts'

/** The progress of an export. Kept in `FILE.state` beside the file. */
type ExportState = {
  version: 1
  /** What is exported: chain, filter, first block. A file holds one search only. */
  search: string
  /** First block that is not in the file yet. */
  next: number
  /** Length of the file up to that block. Bytes after it are from an interrupted write. */
  bytes: number
  logs: number
  /** The last exported block. While it is canonical, all blocks below it are unchanged. */
  goal: BlockMark | undefined
}

/** A file that grows by whole ranges of blocks. */
export type ExportFile = Awaited<ReturnType<typeof openExport>>

/**
 * Opens a new export, or continues one. It removes bytes that were appended after the last `save`, so a run
 * that was killed at any moment leaves neither gaps nor duplicates.
 *
 * @throws CommandError (usage) when the file belongs to another search, or to no export at all
 */
export async function openExport(path: string, options: openExport.Options) {
  const { search, from, force } = options
  const statePath = `${path}.state`
  if (force) await rm(statePath, { force: true })
  const earlier = force ? undefined : await readState(statePath)
  const size = await sizeOf(path)
  if (earlier === undefined && size !== undefined && size > 0 && !force)
    throw usageError(
      `--out ${path} exists without ${statePath}, so the export cannot continue; choose another file, or use --force to overwrite it`,
    )
  if (earlier !== undefined && earlier.search !== search)
    throw usageError(
      `--out ${path} contains another export (${earlier.search}); choose another file, or use --force to overwrite it`,
    )
  if (earlier !== undefined && (size ?? 0) < earlier.bytes)
    throw new CommandError(
      `${path} is shorter than ${statePath} says, so it was changed; use --force to overwrite it`,
    )
  const state: ExportState = earlier ?? {
    version: 1,
    search,
    next: from,
    bytes: 0,
    logs: 0,
    goal: undefined,
  }
  const file = await open(path, earlier ? 'r+' : 'w')
  await file.truncate(state.bytes)
  await writeState(statePath, state)
  return {
    state,

    /** Appends the rows of the blocks up to `next - 1`. */
    async append(rows: readonly string[], next: number) {
      if (rows.length > 0) {
        const bytes = Buffer.from(`${rows.join('\n')}\n`)
        await writeWhole(file, bytes, state.bytes)
        state.bytes += bytes.length
        state.logs += rows.length
      }
      state.next = next
    },
    /** Saves the progress. */
    async save() {
      await file.datasync()
      await writeState(statePath, state)
    },
    close: () => file.close(),
  }
}

export declare namespace openExport {
  type Options = {
    search: string
    /** First block. */
    from: number
    /** Discards the content of the file. */
    force: boolean
  }
}

async function readState(path: string): Promise<ExportState | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const state = JSON.parse(text) as ExportState
    if (
      state.version === 1 &&
      Number.isSafeInteger(state.next) &&
      Number.isSafeInteger(state.bytes)
    )
      return state
  } catch {
    // Falls through to the error below.
  }
  throw new CommandError(`${path} is damaged; use --force to export again`)
}

const writeState = (path: string, state: ExportState) => replaceFile(path, `${stringify(state)}\n`)

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const { size } = await stat(path)
    return size
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw usageError(`--out ${path}: ${code ?? 'not usable'}`)
  }
}
