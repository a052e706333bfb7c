import { askHelper, startHelper } from '../processes.ts'

/** Callers that repeat requests, each in turn beginning with another one. */
export type HeavyLoad = { url: string; clients: number; bodies: readonly string[] }

/** Starts heavy callers in a process of their own. */
export async function startHeavy(
  load: HeavyLoad,
): Promise<{ stop(): Promise<{ answers: number; failed: number }> }> {
  const child = await startHelper('limits/heavyClients.ts', load)
  return {
    async stop() {
      const report = await askHelper<{ answers: number; failed: number }>(child, 'report')
      child.kill()
      return report
    },
  }
}
