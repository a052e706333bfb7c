/**
 * The most similar name to a misspelt one: the name with the fewest edits, ignoring case. Undefined if it needs more than
 * `most` edits, or if the text is too long for a name.
 */
export function closest(text: string, names: Iterable<string>, most = 3): string | undefined {
  if (text.length > LONGEST) return undefined
  const wanted = text.toLowerCase()
  let best: string | undefined
  let fewest = most + 1
  for (const name of names) {
    if (Math.abs(name.length - text.length) >= fewest) continue
    const edits = editsBetween(wanted, name.toLowerCase())
    if (edits < fewest) [best, fewest] = [name, edits]
  }
  return best
}

/** Longest name in characters. It is longer than every method, and bounds the work for a name that a client sends. */
const LONGEST = 64

/** Number of edits between two texts (Levenshtein distance). */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      )
    row = next
  }
  return row[b.length] ?? 0
}
