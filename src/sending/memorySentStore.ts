import { createSentState } from './sentState.ts'
import type { SentStore } from './sentStore.ts'

/** A store in memory, for a chain in this process and for `--data-dir none`. */
export function createMemorySentStore({
  now = () => performance.now(),
  ...options
}: createMemorySentStore.Options = {}): SentStore {
  const state = createSentState({ ...options, now })
  return {
    async reserve(sent) {
      const { fact, reservation } = state.reserve(sent)
      if (fact) state.apply(fact)
      return reservation
    },
    async assertCopied() {},
    async change(id, event) {
      const { fact, result } = state.change(id, event)
      if (fact) state.apply(fact)
      return result
    },
    ending: async (hash) => state.ending(hash),
    counts: async (from) => state.counts(from),
    unfinished: async (options) => state.unfinished(options),
    mined: async (options) => state.mined(options),
    pick: async (ids) => ids.filter(state.isOpen),
    find: async (hash) => state.find(hash),
    async addContract(id) {
      const fact = state.createdBy(id)
      if (fact) state.apply(fact)
    },
    contracts: async (cursor) => state.contracts(cursor),
  }
}

export declare namespace createMemorySentStore {
  type Options = createSentState.Options
}
