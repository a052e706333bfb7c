import { RpcError } from '../lib/errors.ts'
import { createJournalFile } from '../lib/journalFile.ts'
import { storeOf } from './memorySentStore.ts'
import { createSentState, type SentFact, type SentState } from './sentState.ts'
import type { SentStore } from './sentStore.ts'

/** A store in a file, for one process. Call `open` first. */
export type FileSentStore = SentStore & {
  /** Reads the file, or creates it. @throws Error that names the problem with the file or its folder. */
  open(): Promise<void>
  /** Why a change could not be written the last time. */
  problem(): string | undefined
  close(): Promise<void>
}

/**
 * A store that outlives the process: a journal in a file. Its first line names the chain, every other line is a fact. A change
 * is on the disk before its call returns, so every broadcast transaction is known after a restart. When the disk refuses a
 * write, the change fails with `-32603` and the store reads the file again.
 */
export function createFileSentStore({
  compactBytes,
  file,
  genesis,
  now = Date.now,
}: createFileSentStore.Options): FileSentStore {
  let state: SentState = createSentState({ now, onFact })
  const journal = createJournalFile<SentFact>({
    compactBytes,
    entries: () => state.facts(),
    file,
    header: { ethgate: 'sent', version: 1, genesis },
    isEntry: ({ fact }) => FACTS.has(fact),
    onFailure: (cause) =>
      new RpcError(
        -32603,
        'the record of sent transactions cannot be written, so nothing is sent',
        {
          cause,
        },
      ),
    onHeader: (header) =>
      new Error(
        header.includes('"ethgate":"sent","version":1,')
          ? `${file} belongs to another chain`
          : `${file} is not a file of sent transactions that this version can read`,
      ),
    onUnreadable: (place) =>
      new Error(
        `${place} is not readable. Without this file a transaction could be sent twice: restore it, or move it elsewhere if its transactions will not be sent again`,
      ),
    restore(facts) {
      const loaded = createSentState({ changes: state.contracts(0).next, now, onFact })
      for (const fact of facts) loaded.apply(fact)
      state = loaded
    },
  })

  function onFact(fact: SentFact): void {
    void journal.append(fact)
  }

  return {
    ...storeOf(() => state, journal),
    open: () => journal.load(),
    close: () => journal.close(),
    problem: () => journal.problem(),
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

const FACTS = new Set<unknown>(['sent', 'changed', 'released', 'mined', 'contract', 'nonces'])
