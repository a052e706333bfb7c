/** Runs functions one after the other, in the order of the calls. When one fails, the next one runs all the same. */
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
