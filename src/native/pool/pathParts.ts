import type { NativePath } from '../transport/transport.ts'

/** The operation of a path, and whether the path is of `/walletsolidity`. */
export type PathParts = { operation: string; solid: boolean }

/**
 * The parts of each path without a query. Sets and maps find a name that is always the same string faster than one that is cut out
 * of the path for each call.
 */
const partsOf = new Map<NativePath, PathParts>()

/** Splits a path into its parts. */
export function pathParts(path: NativePath): PathParts {
  const known = partsOf.get(path)
  if (known) return known
  const query = path.indexOf('?')
  const parts = {
    operation: path.slice(path.indexOf('/', 1) + 1, query === -1 ? undefined : query),
    solid: path.startsWith('/walletsolidity/'),
  }
  if (query === -1) partsOf.set(path, parts)
  return parts
}
