import type { Part } from './operation.ts'
import { type Parties, partiesIn, partiesInText } from './parties.ts'
import type { Block, Hex } from './types.ts'

/** The header of a block and the ids of its transactions. */
export type BlockOutline = Pick<Block, 'blockID' | 'block_header'> & {
  /** In the order of the block. Empty text for a transaction without an id. */
  txIDs: readonly Hex[]
  /** Size of the stored block in bytes. Only the gRPC interface returns it. */
  size?: number
}

/** An outline, and who each of its transactions names. */
export type BlockParties = BlockOutline & { parties: readonly Parties[] }

/** Outlines of the blocks in an answer of `getblockbylimitnext`. */
export const outlinesPart: Part<BlockOutline[]> = {
  name: 'outlines',
  read: (text: string) => scan(text, '{"block":[', scanBlock),
  pick: ({ block = [] }: { block?: (Block | BlockOutline)[] }) => block.map(outlineOf),
}

/** The outline of the block in an answer of `getblockbynum`. */
export const outlinePart: Part<BlockOutline> = {
  name: 'outline',
  read: (text: string) => scan(text, '', scanBlock)?.block[0],
  pick: outlineOf,
}

/** Outlines with parties of the blocks in an answer of `getblockbylimitnext`. */
export const partiesPart: Part<BlockParties[]> = {
  name: 'parties',
  read: (text: string) => scan(text, '{"block":[', scanParties),
  pick: ({ block = [] }: { block?: (Block | BlockParties)[] }) =>
    block.map((one) =>
      'parties' in one
        ? one
        : { ...outlineOf(one), parties: (one.transactions ?? []).map(partiesIn) },
    ),
}

function outlineOf(block: Block | BlockOutline): BlockOutline {
  if ('txIDs' in block) return block
  const { block_header, blockID, transactions = [] } = block
  return { blockID, block_header, txIDs: transactions.map(({ txID }) => txID ?? '') }
}

// Texts of the node's JSON. A quote inside a string is escaped, so each of these texts occurs only as a member of an object.
const BLOCK = '{"blockID":"'
const TRANSACTIONS = ',"transactions":['
const ID = '"txID":"'

/** Hex digits of an id. */
const ID_LENGTH = 64

/**
 * Finds headers and ids in the text of an answer. It skips signatures and call data, which are most of the text.
 *
 * @returns undefined when the text does not have the node's format
 */
function scan<outline>(
  text: string,
  before: string,
  read: (block: string) => outline | undefined,
): { block: outline[] } | undefined {
  if (!text.startsWith(before + BLOCK)) return undefined
  const block: outline[] = []
  for (let start = before.length; start !== -1;) {
    const next = text.indexOf(BLOCK, start + BLOCK.length)
    const end = next === -1 ? text.length : next
    const outline = read(text.slice(start, end))
    if (!outline) return undefined
    block.push(outline)
    start = next
  }
  return { block }
}

/** The outline of one block. @param text - the block, and the text up to the next block */
function scanBlock(text: string): BlockOutline | undefined {
  const list = text.indexOf(TRANSACTIONS)
  const txIDs: Hex[] = []
  if (list !== -1)
    for (let at = text.indexOf(ID, list); at !== -1; at = text.indexOf(ID, at)) {
      at += ID.length
      if (text[at + ID_LENGTH] !== '"') return undefined
      txIDs.push(text.slice(at, at + ID_LENGTH))
    }
  // An empty block ends with its header.
  const head = text.slice(0, list === -1 ? text.lastIndexOf('}}') + 1 : list)
  try {
    const { block_header, blockID } = JSON.parse(`${head}}`) as Block
    return { blockID, block_header, txIDs }
  } catch {
    return undefined
  }
}

/** The outline of one block with its parties. */
function scanParties(text: string): BlockParties | undefined {
  const outline = scanBlock(text)
  if (!outline) return undefined
  const parties: Parties[] = []
  let at = text.indexOf(TRANSACTIONS)
  for (let left = outline.txIDs.length; left > 0; left--) {
    const start = text.indexOf(ID, at) + ID.length
    const next = text.indexOf(ID, start)
    at = next === -1 ? text.length : next
    const found = partiesInText(text.slice(start, at))
    if (!found) return undefined
    parties.push(found)
  }
  return { ...outline, parties }
}
