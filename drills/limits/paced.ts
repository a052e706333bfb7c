import { askHelper, startHelper } from '../processes.ts'

/** Requests at a fixed rate, to some gateways in turn. */
export type Paced = {
  urls: readonly string[]
  body: string
  headers: Record<string, string>
  perSecond: number
}

/** The outcomes at one gateway so far. `refused`: answered with 429. */
export type PacedReport = {
  served: number
  refused: number
  failed: number
  firstFailure?: string
  /** Milliseconds. */
  slowest: number
}

/** Starts a client with a fixed rate in its own process. */
export async function startPaced(
  load: Paced,
): Promise<{ report(): Promise<PacedReport[]>; stop(): void }> {
  const child = await startHelper('limits/pacedClient.ts', load)
  return { report: () => askHelper(child, 'report'), stop: () => child.kill() }
}
