import { printable } from '../../../lib/printable.ts'

/** Milliseconds for which repeated lines are counted before the count is printed. */
const COUNT_TIME = 1_000

/**
 * Writes entries: a heading, and lines below it. Consecutive equal headings without lines are counted. Control characters are
 * escaped, because methods and texts come from clients and contracts.
 */
export function createPrinter({ color, write }: createPrinter.Options) {
  const paint = (text: string, isFailure: boolean) =>
    color ? `\u001b[${isFailure ? 31 : 32}m${printable(text)}\u001b[0m` : printable(text)
  let last: { heading: string; isFailure: boolean; repeats: number } | undefined
  /** Text of this event loop tick. It is written at the end of the tick. */
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  /** Whether an empty line precedes the next entry. */
  let isOpen = true

  function put(text: string): void {
    if (waiting === '') setImmediate(flush)
    waiting += text
  }

  function flush(): void {
    const text = waiting
    waiting = ''
    if (text !== '') write(text)
  }

  /** Adds the count to a repeated heading. */
  function count(): void {
    clearTimeout(timer)
    timer = undefined
    if (!last || last.repeats === 1) return
    put(`${paint(`${last.heading} (${last.repeats})`, last.isFailure)}\n`)
    last = undefined
  }

  const lines = (texts: readonly string[]) =>
    texts.map((text) => (text === '' ? '\n' : `  ${printable(text)}\n`)).join('')

  return {
    entry(heading: string, isFailure: boolean, below: readonly string[]): void {
      const isPlain = below.length === 0
      if (isPlain && last?.heading === heading && last.isFailure === isFailure) {
        last.repeats++
        timer ??= setTimeout(count, COUNT_TIME).unref()
        return
      }
      count()
      last = isPlain ? { heading, isFailure, repeats: 1 } : undefined
      put(`${isOpen ? '\n' : ''}${paint(heading, isFailure)}\n${lines(below)}`)
      isOpen = !isPlain
    },
    /** Lines without a heading. */
    block(below: readonly string[]): void {
      count()
      last = undefined
      put(`\n${lines(below)}`)
      isOpen = true
    },
    close(): void {
      count()
      flush()
    },
  }
}

export declare namespace createPrinter {
  type Options = { color: boolean; write: (text: string) => void }
}
