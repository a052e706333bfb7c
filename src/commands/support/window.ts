import type { RpcLog } from '../../codec/types.ts'

/** What was delivered of one block. */
export type Delivered = { number: number; hash: string; logs: RpcLog[] }

/** The blocks that were delivered last, oldest first: what a reorganisation may take back, and what not to repeat. */
export type Window = {
  newest(): Delivered | undefined
  has(hash: string): boolean
  /** Remembers a block. */
  push(block: Delivered): void
  /** Remembers a log under its block. False when it was there already. */
  add(log: RpcLog): boolean
  /** Forgets a log that was taken back. False when it was never delivered. */
  remove(log: RpcLog): boolean
  /** Forgets the newest block and returns it. */
  pop(): Delivered | undefined
}

/** More than any fork on a chain whose confirmed block trails by about twenty. */
const KEPT = 256

export function createWindow(): Window {
  const blocks: Delivered[] = []
  const find = (hash: string) => blocks.findLast((block) => block.hash === hash)
  const push = (block: Delivered) => {
    // A block may arrive late (the first log of a branch that lost and won again), so height decides the place.
    const at = blocks.findLastIndex(({ number }) => number <= block.number)
    blocks.splice(at + 1, 0, block)
    if (blocks.length > KEPT) blocks.shift()
  }
  return {
    newest: () => blocks.at(-1),
    has: (hash) => find(hash) !== undefined,
    push,
    add(log) {
      const block = find(log.blockHash)
      if (block?.logs.some(({ logIndex }) => logIndex === log.logIndex)) return false
      if (block) block.logs.push(log)
      else push({ number: Number(log.blockNumber), hash: log.blockHash, logs: [log] })
      return true
    },
    remove(log) {
      const block = find(log.blockHash)
      const at = block?.logs.findIndex(({ logIndex }) => logIndex === log.logIndex) ?? -1
      if (!block || at < 0) return false
      block.logs.splice(at, 1)
      return true
    },
    pop: () => blocks.pop(),
  }
}

/** The logs of a block that left the chain, as Ethereum reports them: newest first, `removed: true`. */
export function takenBack(block: Delivered): RpcLog[] {
  return block.logs.toReversed().map((log) => ({ ...log, removed: true }))
}
