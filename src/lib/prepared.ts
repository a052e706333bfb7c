import { ownBytes } from './ownBytes.ts'

/** The member that marks a result with prepared bytes. No Ethereum result has this name. */
const PREPARED = '~prepared'

/**
 * A result whose JSON bytes were built once and are sent without a copy. `value` is the type of the JSON value; it exists
 * only for the type checker.
 */
export type Prepared<value> = {
  readonly '~prepared': true
  readonly bytes: Buffer
  /** The same bytes with the brace that ends a response, so that an answer has one piece less. */
  readonly closed?: Buffer | undefined
  /** The bytes of a large value in parts, which share memory with caches. */
  readonly parts?: readonly Buffer[] | undefined
  readonly value?: value
}

/** Serialises a value once, so that every later answer only copies its bytes. */
export function toPrepared<value>(value: value): Prepared<value> {
  return preparedOf(Buffer.from(JSON.stringify(value)))
}

/** Turns the JSON text of a `value`, which is ASCII, into bytes of its own for a cache (see `ownBytes`). */
export function preparedOfText<value>(text: string): Prepared<value> {
  const closed = Buffer.allocUnsafeSlow(text.length + 1)
  closed.write(`${text}}`, 'latin1')
  return { [PREPARED]: true, bytes: closed.subarray(0, -1), closed }
}

/** Wraps bytes that are the JSON text of a `value`. */
export function preparedOf<value>(bytes: Buffer): Prepared<value> {
  return { [PREPARED]: true, bytes }
}

/** Joins consecutive parts to the JSON text of a `value`. Copies only when the text is read. */
export function preparedOfParts<value>(parts: readonly Buffer[]): Prepared<value> {
  return {
    [PREPARED]: true,
    get bytes() {
      return Buffer.concat(parts)
    },
    parts,
  }
}

/** The same result in memory of its own, for a cache (see `ownBytes`). Large parts that have it already are not copied. */
export function ownPrepared<value>(prepared: Prepared<value>): Prepared<value> {
  const own: Buffer[] = []
  let shared: Buffer[] = []
  const copy = () => {
    if (shared.length > 0) own.push(ownBytes(...shared))
    shared = []
  }
  for (const part of prepared.parts ?? [prepared.bytes])
    if (part.length >= LARGE_PART && part.length === part.buffer.byteLength) {
      copy()
      own.push(part)
    } else shared.push(part)
  copy()
  return own.length === 1 ? preparedOf(own[0] as Buffer) : preparedOfParts(own)
}

/** Bytes from which copying a part costs more than sending one part more. */
const LARGE_PART = 64 * 1024

/** The number of bytes of a result. */
export function preparedLength(prepared: Prepared<unknown>): number {
  return prepared.parts?.reduce((sum, part) => sum + part.length, 0) ?? prepared.bytes.length
}

/** Whether a result has prepared bytes. */
export function isPrepared(input: unknown): input is Prepared<unknown> {
  return typeof input === 'object' && input !== null && PREPARED in input
}

/** Parses the value of a prepared result. */
export function fromPrepared<value>(prepared: Prepared<value>): value {
  return JSON.parse(prepared.bytes.toString()) as value
}

/** An object in which some members have prepared bytes. */
export function preparedObject<members extends Record<string, unknown>>(
  members: members,
): Prepared<{
  [key in keyof members]: members[key] extends Prepared<infer value> ? value : members[key]
}> {
  // As in JSON.stringify, an undefined member is left out.
  const present = Object.entries(members).filter(([, member]) => member !== undefined)
  const parts = present.flatMap(([name, member], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    isPrepared(member) ? member.bytes : Buffer.from(JSON.stringify(member)),
  ])
  return preparedOf(Buffer.concat([...parts, Buffer.from('}')]))
}
