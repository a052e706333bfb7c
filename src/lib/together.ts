import { type Call, withSignal } from './call.ts'
import { createStop } from './stopSignal.ts'

/**
 * Runs the parts of one piece of work at the same time, with a call of their own. It is aborted when one of them fails, so that the
 * others stop, and when all are done, which stops what nobody waits for any more.
 *
 * @param parent - The work: its parts count for the same caller, and are of the same group.
 * @throws the first failure, at once
 */
export async function together<result>(
  parent: Call | undefined,
  start: (call: Call) => readonly Promise<result>[],
): Promise<result[]> {
  const part = createStop(parent?.signal)
  try {
    return await Promise.all(start(withSignal(parent, part)))
  } catch (error) {
    part.stop(error)
    throw error
  } finally {
    part.stop(OVER)
    parent?.signal?.removeEventListener('abort', part)
  }
}

const OVER = new Error('nobody waits for this work any more')
