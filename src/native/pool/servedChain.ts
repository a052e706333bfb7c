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
  /** Takes over what clients were shown. */
  show(blocks: ServedBlocks): void
}

/** A chain of which nothing is known yet, or only the hash of its block 0. */
export function createServedChain(genesis?: string): ServedChain {
  let hashAt: ServedBlocks['hashAt']
  const chain: ServedChain = {
    genesis,
    hashAt: (number) => hashAt?.(number),
    head: 0,
    show(blocks) {
      chain.head = blocks.head
      chain.solid = blocks.solid
      hashAt = blocks.hashAt
    },
    solid: 0,
  }
  return chain
}
