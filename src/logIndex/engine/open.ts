import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { loadOptionalPart } from '../../lib/optionalPart.ts'
import { leaveMark, takeMark } from './closedMark.ts'
import { type Engine, INDEX_LAYOUT, IndexError, type Layout } from './engine.ts'
import { checkLmdbFile } from './lmdbFile.ts'

/**
 * Opens the engine of an address: `postgres://…` or a directory. Its library is loaded only then. With `mustExist`, a place
 * without an index is an error, otherwise the index is created. `isWriter` reads every page of a file first, unless the last writer
 * closed it: a damaged page would end the process when it is searched.
 *
 * @throws IndexError when it cannot be opened.
 */
export async function openEngine(
  address: string,
  { isWriter = false, layout = INDEX_LAYOUT, mustExist = false }: openEngine.Options = {},
): Promise<Engine> {
  try {
    if (isPostgres(address)) {
      const { createPostgresEngine } = await loadOptionalPart(() => import('./postgres.ts'))
      return await createPostgresEngine({ isWriter, layout, mustExist, url: address })
    }
    const { createLmdbEngine } = await loadOptionalPart(() => import('./lmdb.ts'))
    const file = join(address, layout.file)
    const wasClosed = isWriter && takeMark(file)
    if (existsSync(file)) checkLmdbFile(file, { readsAll: isWriter && !wasClosed })
    else if (mustExist) throw new Error(`the directory contains no ${layout.name}`)
    mkdirSync(address, { recursive: true })
    const engine = createLmdbEngine({ directory: address, layout })
    if (!isWriter) return engine
    const close = async () => {
      await engine.close()
      leaveMark(file)
    }
    return { ...engine, close }
  } catch (error) {
    throw new IndexError(
      `the ${layout.name} ${nameOf(address)} cannot be opened: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

export declare namespace openEngine {
  type Options = {
    /** @default false */
    isWriter?: boolean
    /** @default that of a log index */
    layout?: Layout
    /** @default false */
    mustExist?: boolean
  }
}

/** Whether an address names a PostgreSQL server. */
function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(address)
}

/** The address without user, password and parameters: for messages. */
export function nameOf(address: string): string {
  if (!isPostgres(address)) return address
  return address.replace(/^[a-z]+:\/\/(?:[^?]*@)?([^?#]*).*$/is, 'postgres://$1')
}
