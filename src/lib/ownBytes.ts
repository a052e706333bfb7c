/**
 * A copy in memory of its own. A slice keeps the whole buffer alive that it was cut from, and a small buffer the pool of 8 KB that it
 * shares with others, so what a cache counts would be less than what it keeps.
 */
export function ownBytes(...parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) at += part.copy(bytes, at)
  return bytes
}
