/** Runs work after all work that was given before. Work that fails does not stop the work after it. */
export type Queue = <result>(work: () => result | Promise<result>) => Promise<result>

/** Creates an empty queue. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work)
    // The result is not kept.
    last = run.then(ignore, ignore)
    return run
  }
}

const ignore = () => {}
