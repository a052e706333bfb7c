import { setTimeout as sleep } from 'node:timers/promises'

import type { Case } from '../case.ts'

/** The latency of the light client without other clients, for comparison. */
export const idle: Case = {
  name: 'idle',
  what: 'no other client, for comparison',
  async run() {
    await sleep(5_000)
    return { tried: 0, wrong: 0 }
  },
}
