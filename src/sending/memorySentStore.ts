import type { JournalFile } from '../lib/journalFile.ts'
import { createSentState, type SentState } from './sentState.ts'
import type { SentStore } from './sentStore.ts'

/** A store in memory, for a chain in this process and for `--data-dir none`. */
export function createMemorySentStore({
  now = () => performance.now(),
  ...options
}: createMemorySentStore.Options = {}): SentStore {
  const state = createSentState({ ...options, now })
  return storeOf(() => state)
}

export declare namespace createMemorySentStore {
  type Options = createSentState.Options
}

/** The store of a state in this process. @param journal - has all facts of the state on the disk before a call returns */
export function storeOf(
  state: () => SentState,
  journal?: Pick<JournalFile, 'ensureLoaded' | 'written'>,
): SentStore {
  async function ask<answer>(question: (state: SentState) => answer): Promise<answer> {
    await journal?.ensureLoaded()
    const answer = question(state())
    // It may rest on what another call has just changed.
    await journal?.written()
    return answer
  }
  return {
    reserve: (sent) => ask((state) => state.reserve(sent)),
    assertCopied: async () => {},
    change: (id, event) => ask((state) => state.change(id, event)),
    ending: (hash) => ask((state) => state.ending(hash)),
    counts: (from) => ask((state) => state.counts(from)),
    unfinished: (options) => ask((state) => state.unfinished(options)),
    mined: (options) => ask((state) => state.mined(options)),
    pick: (ids) => ask((state) => ids.filter(state.isOpen)),
    find: (hash) => ask((state) => state.find(hash)),
    addContract: (id) => ask((state) => state.addContract(id)),
    contracts: (cursor) => ask((state) => state.contracts(cursor)),
  }
}
