import { setTimeout as sleep } from 'node:timers/promises'

import type { Case } from '../case.ts'

/** What the light client waits when nobody else is there: what the machine itself does to it. */
export const idle: Case = {
  name: 'idle',
  what: 'nothing happens, for comparison',
  async run() {
    await sleep(5_000)
    return { tried: 0, wrong: 0 }
  },
}
