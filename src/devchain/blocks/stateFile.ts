import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'

import type { ChainChange, Mark } from './blockStore.ts'

/** A line of the file: blocks or a patch with its changes, a return to an earlier point, or a dump that replaced the chain. */
type StateEntry =
  /** `hardforks`: the blocks of the file say by which hardfork contracts ran. Files of 0.4.0 and before do not have it. */
  | { kind: 'chain'; genesis: string; time?: number | undefined; hardforks?: true }
  | ChainChange
  | { kind: 'return'; mark: Mark }
  | { kind: 'load'; dump: Uint8Array }

/** A file that stores a chain. Lines are only appended, so an interrupted write loses at most the last one. */
export type StateFile = ReturnType<typeof createStateFile>

/** Opens a file that stores a chain. */
export function createStateFile(file: string) {
  function entryOf(line: string, index: number): StateEntry {
    const entry = parsed(line)
    if (index === 0 && entry?.kind !== 'chain') throw ofAnotherProgram(file)
    if (entry && KINDS.has(entry.kind)) return entry
    throw new Error(
      `line ${index + 1} of ${file} is damaged; move the file elsewhere to start a new chain`,
    )
  }

  return {
    append: (entry: StateEntry) => appendFileSync(file, `${JSON.stringify(entry, writeValue)}\n`),
    /**
     * Removes a last line that is incomplete.
     *
     * @throws Error when the file cannot be read, is of another program, or a line other than the last is damaged. It is not changed then.
     */
    read() {
      if (!existsSync(file)) return []
      const text = readFileSync(file, 'utf8')
      const lines = text.split('\n')
      // A complete file ends in a line break. Text after it is a line that was incomplete when the process ended.
      const rest = lines.pop() ?? ''
      if (lines.length === 0 && !rest.startsWith(START) && !START.startsWith(rest))
        throw ofAnotherProgram(file)
      const entries = lines.map(entryOf)
      if (rest !== '') truncateSync(file, Buffer.byteLength(text) - Buffer.byteLength(rest))
      return entries
    },
  }
}

const KINDS: ReadonlySet<unknown> = new Set<StateEntry['kind']>([
  'chain',
  'block',
  'run',
  'patch',
  'return',
  'load',
])

/** How a file begins. */
const START = '{"kind":"chain"'

/** The entry of a line; undefined when it is no JSON. */
function parsed(line: string): StateEntry | null | undefined {
  try {
    return JSON.parse(line, readValue) as StateEntry | null
  } catch {
    return undefined
  }
}

/** Other programs keep their chains in files too, such as anvil with its option of the same name. */
function ofAnotherProgram(file: string): Error {
  return new Error(`${file} is not a chain of ethgate dev; choose another file for --state`)
}

/** The fork block of the chain in a file; undefined when there is no file. @throws as `read` does */
export function keptForkBlock(file: string): number | undefined {
  const [first] = createStateFile(file).read()
  return first?.kind === 'chain' ? Number.parseInt(first.genesis.slice(0, 16), 16) : undefined
}

/** Serialises values that JSON does not have: big integers, bytes, undefined. */
export function writeValue(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $int: value.toString() }
  if (value instanceof Uint8Array) return { $hex: Buffer.from(value).toString('hex') }
  // Buffer.toJSON has already converted a buffer into an object.
  if (isBufferJson(value)) return { $hex: Buffer.from(value.data).toString('hex') }
  return value === undefined ? { $none: true } : value
}

/** Parses the values of `writeValue`. */
export function readValue(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const [name, ...more] = Object.keys(value)
  if (more.length > 0 || !name?.startsWith('$')) return value
  const content = (value as Record<string, unknown>)[name]
  if (name === '$int') return BigInt(content as string)
  if (name === '$hex') return new Uint8Array(Buffer.from(content as string, 'hex'))
  return undefined
}

const isBufferJson = (value: unknown): value is { type: 'Buffer'; data: number[] } =>
  typeof value === 'object' &&
  value !== null &&
  (value as { type?: unknown }).type === 'Buffer' &&
  'data' in value
