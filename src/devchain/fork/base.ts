import { MissingStateError } from '../state/missing.ts'
import type { Tables } from '../state/model.ts'
import type { StateReader } from '../state/state.ts'

type Table = keyof Tables

/** Values of a state, by `table:key`. */
export type Entries = Iterable<readonly [name: string, value: unknown]>

/** Fetches a value and those of the same answer. @throws UpstreamError, ForkError */
export type ReadState = (table: Table, key: string) => Promise<Entries>

/**
 * The state of another chain. Each value is fetched at its first read and kept. Reading a value that is not fetched yet
 * throws MissingStateError, whose `load` fetches it.
 *
 * @param known - Values that are already known.
 * @param keep - Called with fetched values, to store them.
 */
export function createForkState({ keep, known = [], read }: createForkState.Options): StateReader {
  const values = new Map<string, unknown>(known)
  const inFlight = new Map<string, Promise<void>>()

  async function fetch(table: Table, key: string, name: string): Promise<void> {
    const fetched: [string, unknown][] = []
    const entries = [...(await read(table, key)), [name, undefined] as const]
    for (const [found, value] of entries) {
      if (values.has(found)) continue
      values.set(found, value)
      fetched.push([found, value])
    }
    keep?.(fetched)
  }

  /** Fetches in flight. Concurrent readers of a value share one. */
  function load(table: Table, key: string, name: string): Promise<void> {
    const running = inFlight.get(name)
    if (running) return running
    const started = fetch(table, key, name).finally(() => inFlight.delete(name))
    inFlight.set(name, started)
    return started
  }

  return {
    get(table, key) {
      const name = `${table}:${key}`
      if (values.has(name)) return values.get(name) as never
      if (isOwn(table, key)) return undefined
      throw new MissingStateError(() => load(table, key, name))
    },
  }
}

export declare namespace createForkState {
  type Options = {
    keep?: ((fetched: readonly (readonly [name: string, value: unknown])[]) => void) | undefined
    known?: Entries
    read: ReadState
  }
}

/** Counters that the other chain does not have. They start at zero. */
const OWN = /^(generation|name|votes):|^(burned|cycle|proposalLifetime|stakesPayNoEnergy)$/

/** Whether the other chain cannot have a value. */
function isOwn(table: Table, key: string): boolean {
  if (table === 'property') return OWN.test(key)
  // A contract that was created again on this chain has its own slots.
  return table === 'storage' && !key.includes('.0/')
}
