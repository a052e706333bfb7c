import { isUnserved } from '../errors.ts'

/**
 * Whether an answer may only mean that a client has sent a GET where the node takes only POST. Then it does not tell whether the node
 * offers the operation.
 */
export function isWrongMethod(
  status: number,
  { body, isOfClient }: { body: string | undefined; isOfClient?: boolean | undefined },
): boolean {
  return isOfClient === true && body === undefined && isUnserved(status)
}

/** Milliseconds for which an operation counts as not offered. The node may be restarted with other settings. */
const LACKS_FOR = 60_000

/**
 * Operations that a node does not offer: its release does not have them, or its configuration switches them off.
 *
 * They are those that the gateway itself names, so there are few. @param now - monotonic milliseconds
 */
export function createLacking(now: () => number) {
  const until = new Map<string, number>()
  const has = (operation: string) => (until.get(operation) ?? Number.NEGATIVE_INFINITY) > now()
  return {
    add: (operation: string) => void until.set(operation, now() + LACKS_FOR),
    has: (operation: string) => until.size > 0 && has(operation),
    /** In alphabetical order. */
    list: () => [...until.keys()].filter(has).toSorted(),
  }
}
