/** The member that marks a result with bytes of its own; a name that no Ethereum result has. */
const WIRE = '~wire'

/**
 * A result whose JSON bytes were made once and are sent as they are. `value` is the shape that the bytes spell; it exists
 * for the type checker only.
 */
export type Wire<value> = {
  readonly '~wire': true
  readonly bytes: Buffer
  /** The same bytes and the brace that ends a response after them, so that an answer is one piece less. */
  readonly closed?: Buffer | undefined
  /** The bytes in parts that lie elsewhere too, for a large value. */
  readonly parts?: readonly Buffer[] | undefined
  readonly value?: value
}

/** Serialises a value now, so that every later answer only copies its bytes. */
export function toWire<value>(value: value): Wire<value> {
  return wireOfText(JSON.stringify(value))
}

/** Turns the JSON text of a `value` into its bytes. `latin1` is faster for text that is known to be ASCII. */
export function wireOfText<value>(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Wire<value> {
  const closed = Buffer.from(`${text}}`, encoding)
  return { [WIRE]: true, bytes: closed.subarray(0, -1), closed }
}

/** Wraps bytes that already are the JSON text of a `value`. */
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

/** How many bytes a result has. */
export function wireLength(wire: Wire<unknown>): number {
  return wire.parts?.reduce((sum, part) => sum + part.length, 0) ?? wire.bytes.length
}

/** Whether a result carries its own bytes. */
export function isWire(input: unknown): input is Wire<unknown> {
  return typeof input === 'object' && input !== null && WIRE in input
}

/** Parses the value of a wire result. */
export function fromWire<value>(wire: Wire<value>): value {
  return JSON.parse(wire.bytes.toString()) as value
}

/** An object of which some members carry their own bytes. */
export function wireObject<members extends Record<string, unknown>>(
  members: members,
): Wire<{ [key in keyof members]: members[key] extends Wire<infer value> ? value : members[key] }> {
  const parts = Object.entries(members).flatMap(([name, member], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    isWire(member) ? member.bytes : Buffer.from(JSON.stringify(member)),
  ])
  return wireOf(Buffer.concat([...parts, Buffer.from('}')]))
}
