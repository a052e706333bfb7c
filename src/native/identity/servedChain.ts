/** What clients were shown. */
export type ServedBlocks = {
  /** Heights of the newest and of the newest solidified block. */
  head: number
  solid: number
  /** The hash at a recent height, without 0x. */
  hashAt?: (number: number) => string | undefined
}

/** The chain that a gateway serves, as far as it is known: answers are compared with it. */
export type ServedChain = Required<ServedBlocks> & {
  /** Hash of block 0; undefined until it is known. */
  genesis: string | undefined
  /** Adds the blocks that clients were shown. */
  show(blocks: ServedBlocks): void
  /** How many times `show` was called. A result that depends on the shown blocks is valid while this stays the same. */
  shows: number
  /** Whether a confirmed answer referred to this block. Another answer that refers to it is of the same chain. */
  hasReference(reference: string): boolean
  addReference(reference: string): void
  /** A node has turned out to be of another chain: no reference counts any more. */
  clearReferences(): void
}

/** References that are kept. The nodes refer to one block or a few at a time. */
const REFERENCES = 64

/** A chain of which nothing is known yet, or only the hash of its block 0. */
export function createServedChain(genesis?: string): ServedChain {
  let hashAt: ServedBlocks['hashAt']
  const references = new Set<string>()
  const chain: ServedChain = {
    genesis,
    hasReference: (reference) => references.has(reference),
    addReference(reference) {
      references.add(reference)
      const [oldest] = references
      if (references.size > REFERENCES && oldest !== undefined) references.delete(oldest)
    },
    clearReferences: () => references.clear(),
    hashAt: (number) => hashAt?.(number),
    head: 0,
    show(blocks) {
      chain.head = blocks.head
      chain.solid = blocks.solid
      hashAt = blocks.hashAt
      chain.shows++
    },
    shows: 0,
    solid: 0,
  }
  return chain
}
