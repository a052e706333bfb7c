import { createOverlay, type Overlay } from './state.ts'

/**
 * A value of the state is not in memory and must be fetched. Work on the state uses overlays, so it can start again when
 * the value is fetched.
 */
export class MissingStateError extends Error {
  override name = 'MissingStateError'
  /** Fetches the value. @throws UpstreamError, ForkError when that fails */
  readonly load: () => Promise<void>

  constructor(load: () => Promise<void>) {
    super('a value of the state is not in memory yet')
    this.load = load
  }
}

/**
 * Runs work that reads state, and runs it again after each value that had to be fetched. The work must have no effect
 * before its last read.
 */
export async function runFetching<result>(work: () => result | Promise<result>): Promise<result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error
      await error.load()
    }
  }
}

/** The same for a read that usually finds its value. It returns a promise only when a value must be fetched. */
export function readFetching<result>(read: () => result): result | Promise<result> {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MissingStateError)) throw error
    return error.load().then(() => runFetching(read))
  }
}

/** Applies a change of a state as a whole, even if the change runs several times because values had to be fetched. */
export async function changeFetching(
  state: Overlay,
  change: (state: Overlay) => void,
): Promise<void> {
  await runFetching(() => {
    const work = createOverlay(state)
    change(work)
    work.commit()
  })
}
