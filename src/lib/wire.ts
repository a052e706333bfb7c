import { ownBytes } from './ownBytes.ts'

/** The member that marks a result with prepared bytes. No Ethereum result has this name. */
const WIRE = '~wire'

/**
 * A result whose JSON bytes were built once and are sent without a copy. `value` is the type of the JSON value; it exists
 * only for the type checker.
 */
export type Wire<value> = {
  readonly '~wire': true
  readonly bytes: Buffer
  /** The same bytes with the brace that ends a response, so that an answer has one piece less. */
  readonly closed?: Buffer | undefined
  /** The bytes of a large value in parts, which share memory with caches. */
  readonly parts?: readonly Buffer[] | undefined
  readonly value?: value
}

/** Serialises a value once, so that every later answer only copies its bytes. */
export function toWire<value>(value: value): Wire<value> {
  return wireOf(Buffer.from(JSON.stringify(value)))
}

/** Turns the JSON text of a `value`, which is ASCII, into bytes of its own for a cache (see `ownBytes`). */
export function wireOfText<value>(text: string): Wire<value> {
  const closed = Buffer.allocUnsafeSlow(text.length + 1)
  closed.write(`${text}}`, 'latin1')
  return { [WIRE]: true, bytes: closed.subarray(0, -1), closed }
}

/** Wraps bytes that are the JSON text of a `value`. */
export function wireOf<value>(bytes: Buffer): Wire<value> {
  return { [WIRE]: true, bytes }
}

/** Joins consecutive parts to the JSON text of a `value`. Copies only when the text is read. */
export function wireOfParts<value>(parts: readonly Buffer[]): Wire<value> {
  return {
    [WIRE]: true,
    get bytes() {
      return Buffer.concat(parts)
    },
    parts,
  }
}

/** The same result in memory of its own, for a cache (see `ownBytes`). Large parts that have it already are not copied. */
export function ownWire<value>(wire: Wire<value>): Wire<value> {
  const own: Buffer[] = []
  let shared: Buffer[] = []
  const copy = () => {
    if (shared.length > 0) own.push(ownBytes(...shared))
    shared = []
  }
  for (const part of wire.parts ?? [wire.bytes])
    if (part.length >= LARGE_PART && part.length === part.buffer.byteLength) {
      copy()
      own.push(part)
    } else shared.push(part)
  copy()
  return own.length === 1 ? wireOf(own[0] as Buffer) : wireOfParts(own)
}

/** Bytes from which copying a part costs more than sending one part more. */
const LARGE_PART = 64 * 1024

/** The number of bytes of a result. */
export function wireLength(wire: Wire<unknown>): number {
  return wire.parts?.reduce((sum, part) => sum + part.length, 0) ?? wire.bytes.length
}

/** Whether a result has prepared bytes. */
export function isWire(input: unknown): input is Wire<unknown> {
  return typeof input === 'object' && input !== null && WIRE in input
}

/** Parses the value of a wire result. */
export function fromWire<value>(wire: Wire<value>): value {
  return JSON.parse(wire.bytes.toString()) as value
}

/** An object in which some members have prepared bytes. */
export function wireObject<members extends Record<string, unknown>>(
  members: members,
): Wire<{ [key in keyof members]: members[key] extends Wire<infer value> ? value : members[key] }> {
  // As in JSON.stringify, an undefined member is left out.
  const present = Object.entries(members).filter(([, member]) => member !== undefined)
  const parts = present.flatMap(([name, member], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    isWire(member) ? member.bytes : Buffer.from(JSON.stringify(member)),
  ])
  return wireOf(Buffer.concat([...parts, Buffer.from('}')]))
}
