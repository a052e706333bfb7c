import type { JournalFile } from '../lib/journalFile.ts'
import { createSentState, type SentState } from './sentState.ts'
import type { SentStore } from './sentStore.ts'

/** A store in memory, for a chain in this process and for `--data-dir none`. */
export function createMemorySentStore({
  now = () => performance.now(),
  ...options
}: createSentState.Options = {}): SentStore {
  const state = createSentState({ ...options, now })
  return storeOf(() => state)
}

/** The store of a state in this process. @param journal - has the facts on the disk before a call returns that made them */
export function storeOf(
  state: () => SentState,
  journal?: Pick<JournalFile, 'ensureLoaded' | 'written'>,
): SentStore {
  async function ask<answer>(question: (state: SentState) => answer): Promise<answer> {
    await journal?.ensureLoaded()
    return question(state())
  }
  /** What it answers may rest on what another call has just changed. */
  async function change<answer>(question: (state: SentState) => answer): Promise<answer> {
    const answer = await ask(question)
    await journal?.written()
    return answer
  }
  return {
    reserve: (sent) => change((state) => state.reserve(sent)),
    assertCopied: async () => {},
    change: (id, event) => change((state) => state.change(id, event)),
    ending: (hash) => ask((state) => state.ending(hash)),
    counts: (from) => ask((state) => state.counts(from)),
    unfinished: (options) => ask((state) => state.unfinished(options)),
    mined: (options) => ask((state) => state.mined(options)),
    pick: (ids) => ask((state) => ids.filter(state.isOpen)),
    find: (hash) => change((state) => state.find(hash)),
    addContract: (id) => change((state) => state.addContract(id)),
    contracts: (cursor) => ask((state) => state.contracts(cursor)),
  }
}
