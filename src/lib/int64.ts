/** The largest int64: the native format has no larger amount, id or height. */
export const MAX_INT64 = 2n ** 63n - 1n
