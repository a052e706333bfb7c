import { grouped } from '../../codec/coin.ts'

/** A range of blocks in words: `block 7`, or `blocks 1 to 2,000`. */
export function blocksText({ from, to }: { from: number; to: number }): string {
  return from === to ? `block ${grouped(to)}` : `blocks ${grouped(from)} to ${grouped(to)}`
}
