import { closingQuote } from '../../lib/jsonText.ts'
import { timeSlice as processSlice, type TimeSlice } from '../../lib/timeSlice.ts'
import { NodeAnswerError } from '../errors.ts'
import { MAX_DEPTH, MAX_IN_FLIGHT, MAX_TEXT, MAX_VALUES } from './answerLimits.ts'
import { parseNative } from './json.ts'

/** Characters of an answer that are parsed at once: about a millisecond. */
const SLICE = 100_000

/** A single member of a list with more characters, such as the info of a transaction with many logs, is parsed in slices too. */
const LARGE = 4 * SLICE

/**
 * Parses an answer of the node. It parses a large answer in slices, with other work in between, so that it does not block the
 * event loop.
 *
 * @returns the value of a short answer, a promise of the value of a large one. Undefined when it is not JSON. The promise rejects with
 * NodeAnswerError when the answer exceeds the limits of `answerLimits.ts`, and with what `check` throws.
 */
export function parseAnswer(
  text: string,
  { check = () => {}, parse = parseNative, timeSlice = processSlice }: parseAnswer.Options = {},
): unknown {
  if (text.length > SLICE) return parseLarge(text, { check, parse, timeSlice })
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

export declare namespace parseAnswer {
  type Options = {
    /** Throws when the call has ended, so that the rest of the answer is not needed. Called before each slice. @default never */
    check?: (() => void) | undefined
    /** Parses a text, or a slice of it. Throws SyntaxError when it is not JSON. @default parseNative */
    parse?: (text: string) => unknown
    timeSlice?: TimeSlice
  }
}

/** Characters of the large answers that are being parsed. */
let parsing = 0

async function parseLarge(text: string, options: ParseOptions): Promise<unknown> {
  if (parsing + text.length > MAX_IN_FLIGHT) throw tooLarge('others are parsed already')
  parsing += text.length
  try {
    return await parseSliced(text, options)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    // Another parser than that of the engine calls itself for each level.
    if (error instanceof RangeError) throw tooLarge('it is nested too deeply')
    throw error
  } finally {
    parsing -= text.length
  }
}

type ParseOptions = Required<Omit<parseAnswer.Options, 'check'>> & { check: () => void }

/** Waits until the event loop has time for more. @throws what `check` throws */
async function nextSlice({ check, timeSlice }: ParseOptions): Promise<void> {
  if (timeSlice.isOver()) await timeSlice.next()
  check()
}

function tooLarge(why: string): NodeAnswerError {
  return new NodeAnswerError(`the upstream node’s answer is too large: ${why}`)
}

/**
 * Parses a large answer. It is large because it is a list, or has lists as members: of blocks, transactions or logs. Their
 * items are parsed a few at a time, and the short rest at the end.
 *
 * @throws SyntaxError, NodeAnswerError
 */
async function parseSliced(text: string, options: ParseOptions): Promise<unknown> {
  const { parse } = options
  await nextSlice(options)
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
  let values = 0
  let pause = SLICE
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = closingQuote(text, at)
        if (end === -1) throw new SyntaxError('the text ends within a string')
        if (end - at > MAX_TEXT) throw tooLarge('it has a text that is too long')
        if (depth === 1 && outer === 1) key = text.slice(at, end + 1)
        at = end
        break
      }
      case OPEN_LIST:
        values++
        if (depth >= MAX_DEPTH) throw tooLarge('it is nested too deeply')
        if (depth++ !== outer) break
        list = []
        rest += text.slice(done, at + 1)
        done = member = at + 1
        break
      case CLOSE_LIST:
        if (--depth !== outer || !list) break
        await readMembers(list, text, done, member, at, options)
        lists.set(key, list)
        list = undefined
        done = at
        break
      case OPEN_OBJECT:
        values++
        if (depth++ >= MAX_DEPTH) throw tooLarge('it is nested too deeply')
        break
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
        if (++values > MAX_VALUES) throw tooLarge('it has too many values')
        if (!list || depth !== outer + 1) break
        if (at - done >= SLICE) {
          await readMembers(list, text, done, member, at, options)
          done = at + 1
        }
        member = at + 1
    }
    if (at < pause) continue
    pause = at + SLICE
    await nextSlice(options)
  }
  if (list) throw new SyntaxError('the text ends within a list')
  const value = parse(rest + text.slice(done))
  if (outer === 0) return lists.get('')
  for (const [name, members] of lists)
    Object.defineProperty(value, JSON.parse(name) as string, { value: members, ...PLAIN })
  return value
}

/**
 * Parses the items of a list from `from` to `to`. The last item begins at `last`.
 *
 * @throws SyntaxError, NodeAnswerError
 */
async function readMembers(
  list: unknown[],
  text: string,
  from: number,
  last: number,
  to: number,
  options: ParseOptions,
): Promise<void> {
  const { parse } = options
  await nextSlice(options)
  const isLarge = to - last > LARGE
  const short = isLarge ? text.slice(from, Math.max(from, last - 1)) : text.slice(from, to)
  for (const one of parse(`[${short}]`) as unknown[]) list.push(one)
  if (isLarge) list.push(await parseSliced(text.slice(last, to), options))
}

const PLAIN = { configurable: true, enumerable: true, writable: true }

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
