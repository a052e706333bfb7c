import { closingQuote } from '../lib/jsonText.ts'
import { timeSlice as processSlice, type TimeSlice } from '../lib/timeSlice.ts'
import { parseNative } from './json.ts'

/** Characters of an answer that are parsed at once: about a millisecond. */
const SLICE = 100_000

/** A single member of a list with more characters, such as the info of a transaction with many logs, is parsed in slices too. */
const LARGE = 4 * SLICE

/**
 * Parses an answer of the node as `parseNative` does. It parses a large answer in slices, with other work in between, so that
 * it does not block the event loop.
 *
 * @returns the value of a short answer, a promise of the value of a large one. Undefined when it is not JSON.
 */
export function parseAnswer(text: string, timeSlice: TimeSlice = processSlice): unknown {
  if (text.length > SLICE) return parseSliced(text, timeSlice).catch(() => undefined)
  try {
    return parseNative(text)
  } catch {
    return undefined
  }
}

/**
 * Parses a large answer. It is large because it is a list, or has lists as members: of blocks, transactions or logs. Their
 * items are parsed a few at a time, and the short rest at the end.
 *
 * @throws SyntaxError
 */
async function parseSliced(text: string, timeSlice: TimeSlice): Promise<unknown> {
  if (timeSlice.isOver()) await timeSlice.next()
  /** The nesting depth at which such lists begin. */
  const outer = text.trimStart().startsWith('[') ? 0 : 1
  const lists = new Map<string, unknown[]>()
  let list: unknown[] | undefined
  let key = ''
  let rest = ''
  /** The text before this position is in `rest` or in a list. */
  let done = 0
  /** Position at which the newest item of the list begins. */
  let member = 0
  let depth = 0
  let pause = SLICE
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = closingQuote(text, at)
        if (end === -1) throw new SyntaxError('the text ends within a string')
        if (depth === 1) key = text.slice(at, end + 1)
        at = end
        break
      }
      case OPEN_LIST:
        if (depth++ !== outer) break
        list = []
        rest += text.slice(done, at + 1)
        done = member = at + 1
        break
      case CLOSE_LIST:
        if (--depth !== outer || !list) break
        await readMembers(list, text, done, member, at, timeSlice)
        lists.set(key, list)
        list = undefined
        done = at
        break
      case OPEN_OBJECT:
        depth++
        break
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
        if (!list || depth !== outer + 1) break
        if (at - done >= SLICE) {
          await readMembers(list, text, done, member, at, timeSlice)
          done = at + 1
        }
        member = at + 1
    }
    if (at < pause) continue
    pause = at + SLICE
    if (timeSlice.isOver()) await timeSlice.next()
  }
  if (list) throw new SyntaxError('the text ends within a list')
  const value = parseNative(rest + text.slice(done))
  if (outer === 0) return lists.get('')
  for (const [name, members] of lists)
    Object.defineProperty(value, JSON.parse(name) as string, { value: members, ...PLAIN })
  return value
}

/**
 * Parses the items of a list from `from` to `to`. The last item begins at `last`.
 *
 * @throws SyntaxError
 */
async function readMembers(
  list: unknown[],
  text: string,
  from: number,
  last: number,
  to: number,
  timeSlice: TimeSlice,
): Promise<void> {
  if (timeSlice.isOver()) await timeSlice.next()
  const isLarge = to - last > LARGE
  const short = isLarge ? text.slice(from, Math.max(from, last - 1)) : text.slice(from, to)
  for (const one of parseNative(`[${short}]`) as unknown[]) list.push(one)
  if (isLarge) list.push(await parseSliced(text.slice(last, to), timeSlice))
}

const PLAIN = { configurable: true, enumerable: true, writable: true }

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
