import { closingQuote } from '../../lib/jsonText.ts'

/** Properties of a JSON text that `JSON.parse` does not provide. */
export type Inspection = {
  /** Deepest nesting of arrays and objects; one more than the limit when it is deeper. */
  depth: number
  /**
   * Per request of the text: its `id` as written, when that is a number. `1.0` and integers above 2^53 stay what they
   * are.
   */
  ids: (string | undefined)[]
}

/**
 * Walks a text once, until it is deeper than the limit. The members of a single request are at depth 1, those of a batch entry at
 * depth 2; of a repeated `id` the last one counts, as with `JSON.parse`. The text need not be valid JSON: a long one is inspected
 * before it is parsed, because `JSON.parse` takes a second for a million levels.
 */
export function inspect(text: string, limit: number): Inspection {
  const ids: (string | undefined)[] = []
  const batch = text[skipSpace(text, 0)] === '['
  const members = batch ? 2 : 1
  let depth = 0
  let deepest = 0
  let entry = 0
  for (let at = 0; at < text.length && deepest <= limit; at++) {
    switch (text.charAt(at)) {
      case '{':
      case '[':
        if (++depth > deepest) deepest = depth
        break
      case '}':
      case ']':
        depth--
        break
      case ',':
        if (batch && depth === 1) entry++
        break
      case '"': {
        const end = closingQuote(text, at)
        if (end === -1) return { depth: deepest, ids }
        if (depth === members && isId(text, at, end)) {
          const colon = skipSpace(text, end + 1)
          if (text[colon] === ':') ids[entry] = numberAt(text, skipSpace(text, colon + 1))
        }
        at = end
        break
      }
      default:
    }
  }
  return { depth: deepest, ids }
}

const SPACE = 0x20

/** Whether a string of a text is the key `id`. JSON may spell both letters as \uXXXX. */
function isId(text: string, open: number, close: number): boolean {
  const key = text.slice(open, close + 1)
  return key === '"id"' || (key.includes('\\') && ESCAPED_ID.test(key))
}

const ESCAPED_ID = /^"(?:i|\\u0069)(?:d|\\u0064)"$/

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at++
  return at
}

function numberAt(text: string, from: number): string | undefined {
  NUMBER.lastIndex = from
  return NUMBER.test(text) ? text.slice(from, NUMBER.lastIndex) : undefined
}

const NUMBER = /-?\d[\d.eE+-]*/y
