import { logsFit } from '../../chain/reads/load.ts'
import { readOutcomes, readOutline } from '../../native/grpc/messages.ts'
import { itemsOf } from '../../native/protobuf/fields.ts'
import type { BlockOutline } from '../../native/wire/blockOutline.ts'
import { parseNative } from '../../native/wire/json.ts'
import type { Block, TransactionInfo } from '../../native/wire/types.ts'
import { blockFromHttp, outcomesFromHttp } from './fromHttp.ts'
import { shorten, type StoredBlock } from './row.ts'

/** An answer of a node about final blocks, as it arrived: bytes over gRPC, text over HTTP. */
export type Part = {
  kind: 'block' | 'blocks' | 'outcomes'
  /** The height that was asked for; of a list the first one. */
  number: number
  bytes?: Uint8Array | undefined
  text?: string | undefined
}

/** A block that can be stored, and its outline. */
export type Whole = { outline: BlockOutline; stored: StoredBlock }

/** Memory of blocks and outcomes whose other half has not arrived. */
const MOST_BYTES = 32 * 1024 * 1024

/** Joins blocks with their outcomes, which are answers of their own. */
export function createHalves(onProblem: (message: string) => void) {
  /** Those whose other half has not arrived, by height, the oldest first. */
  const halves = new Map<number, Partial<StoredBlock>>()
  let bytes = 0

  function take(number: number): Partial<StoredBlock> | undefined {
    const half = halves.get(number)
    halves.delete(number)
    bytes -= sizeOf(half)
    return half
  }

  /** Adds a half. @returns the whole block, when it is the second one and both fit together */
  function complete(number: number, half: Partial<StoredBlock>): Whole | undefined {
    const joined = { ...take(number), ...half }
    const { block } = joined
    const outline = block && readOutline(block)
    // Empty blocks have no outcomes, and genesis has transactions without them.
    const hasNone = outline && (number === 0 || outline.txIDs.length === 0)
    const outcomes = hasNone ? Buffer.alloc(0) : joined.outcomes
    if (outline && outcomes)
      return logsFit(outline, readOutcomes(outcomes), number)
        ? { outline, stored: shorten({ block, outcomes }, outline.txIDs) }
        : undefined
    halves.set(number, joined)
    bytes += sizeOf(joined)
    for (const oldest of halves.keys()) {
      if (bytes <= MOST_BYTES) break
      take(oldest)
    }
    return undefined
  }

  return {
    /** Adds answers. @returns the blocks that are whole now, by height */
    join(parts: readonly Part[]): Map<number, Whole> {
      const wholes = new Map<number, Whole>()
      for (const part of parts)
        try {
          for (const [index, half] of halvesOf(part).entries()) {
            const whole = complete(part.number + index, half)
            if (whole) wholes.set(part.number + index, whole)
          }
        } catch (error) {
          // The answer was an error, or has a field that cannot be stored.
          onProblem(`block ${part.number} is not stored: ${(error as Error).message}`)
        }
      return wholes
    },
    clear(): void {
      halves.clear()
      bytes = 0
    },
  }
}

/** The halves of an answer, from its height on. */
function halvesOf({ bytes, kind, text = '' }: Part): Partial<StoredBlock>[] {
  const buffer = bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (kind === 'outcomes')
    return [{ outcomes: buffer ?? outcomesFromHttp(parseNative(text) as TransactionInfo[]) }]
  if (buffer) return (kind === 'block' ? [buffer] : itemsOf(buffer)).map((block) => ({ block }))
  const json = parseNative(text) as Block & { block?: Block[] }
  const blocks = kind === 'block' ? [json] : (json.block ?? [])
  return blocks.map((block) => ({ block: blockFromHttp(block) }))
}

function sizeOf({ block, outcomes }: Partial<StoredBlock> = {}): number {
  return (block?.length ?? 0) + (outcomes?.length ?? 0)
}
