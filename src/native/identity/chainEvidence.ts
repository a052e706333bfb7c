import type { ServedChain } from './servedChain.ts'

/** What an answer says about the chain of its node. */
export type ChainEvidence =
  /** The answer belongs to the chain that is served. */
  | 'same'
  /** The answer contradicts known blocks: another chain, or another branch of the newest blocks. */
  | 'other'
  /** The answer does not identify a chain. */
  | 'none'

/** The known blocks of the chain that is served. */
type KnownChain = Pick<ServedChain, 'genesis' | 'hasReference' | 'hashAt' | 'head'>

/**
 * Reads which chain an answer is of.
 *
 * - A contract call and a built transaction name the block that they refer to.
 * - A block has its hash and that of its parent.
 * - An object that was read by a hash and has that hash is of the chain of that hash.
 *
 * @param body - the body of the request.
 * @param answer - the answer as parsed.
 */
export function chainEvidence(
  body: string | undefined,
  answer: unknown,
  chain: KnownChain,
): ChainEvidence {
  if (typeof answer !== 'object' || answer === null) return 'none'
  const { blockID, block_header, id, raw_data, transaction, txID } = answer as Answer
  const reference = transaction?.raw_data ?? raw_data
  const hash = blockID ?? txID ?? id
  if (isHash(hash) && body?.includes(hash)) return 'same'
  if (isHash(blockID)) return ofBlock(blockID, block_header?.raw_data, chain)
  return reference ? ofReference(reference, chain) : 'none'
}

function ofBlock(
  blockID: string,
  { number: height = 0, parentHash }: { number?: number | string; parentHash?: string } = {},
  { genesis, hashAt }: KnownChain,
): ChainEvidence {
  // A client may ask for integers as texts, see `asksForTexts`.
  const number = Number(height)
  const known = number === 0 ? genesis : hashAt(number)
  if (known !== undefined) return known === blockID ? 'same' : 'other'
  const parent = number === 1 ? genesis : hashAt(number - 1)
  if (parent === undefined) return 'none'
  return parent === parentHash ? 'same' : 'other'
}

/** A reference has the last two bytes of a height and eight bytes of the hash there. */
function ofReference(
  { ref_block_bytes: bytes, ref_block_hash: part }: Reference,
  { hasReference, hashAt, head }: KnownChain,
): ChainEvidence {
  if (typeof bytes !== 'string' || typeof part !== 'string') return 'none'
  // The newest such height up to the head. A node that is further than the head gets one far below it, which is not known.
  const number = head - ((head - Number.parseInt(bytes, 16)) & 0xff_ff)
  const known = hashAt(number)
  if (known === undefined) return hasReference(bytes + part) ? 'same' : 'none'
  return known.startsWith(part, HEIGHT_DIGITS) ? 'same' : 'other'
}

/** The block that an answer refers to, as text; undefined when it names none. */
export function referenceOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { raw_data, transaction, txID } = answer as Answer
  // A transaction that was read refers to what its sender chose.
  if (txID !== undefined) return undefined
  const { ref_block_bytes: bytes, ref_block_hash: part } = transaction?.raw_data ?? raw_data ?? {}
  return typeof bytes === 'string' && typeof part === 'string' ? bytes + part : undefined
}

/** A hash begins with the height. */
const HEIGHT_DIGITS = 16

function isHash(value: unknown): value is string {
  return typeof value === 'string' && value.length === 64
}

type Reference = { ref_block_bytes?: unknown; ref_block_hash?: unknown }

type Answer = {
  blockID?: unknown
  block_header?: { raw_data?: { number?: number | string; parentHash?: string } }
  /** Of a transaction's info. */
  id?: unknown
  raw_data?: Reference
  transaction?: { raw_data?: Reference }
  txID?: unknown
}
