import { createMemoryFilterStore } from './memory.ts'
import { describeFilterStore } from './store.contract.ts'

describeFilterStore('createMemoryFilterStore', async (limits) => {
  let time = 0
  return {
    store: createMemoryFilterStore({ ...limits, now: () => time }),
    async pass(milliseconds) {
      time += milliseconds
    },
    async close() {},
  }
})
