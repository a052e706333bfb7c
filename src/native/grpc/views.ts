import { ownBytes } from '../../lib/ownBytes.ts'
import { fieldsOf, itemsOf, malformed, nextField } from '../protobuf/fields.ts'
import type { BlockView, OutcomeView } from '../wire/views.ts'
import { readBlock, readInfo, readTransaction } from './answers.ts'
import { readOutcome, readOutline } from './messages.ts'

// Answers of the gRPC interface that keep their bytes and decode them when they are asked for. The bytes are copied: those that arrive are a
// part of a larger buffer, of the connection or of a store.

/** A block. Undefined for an empty message: no such block. */
export function readBlockView(shared: Buffer): BlockView | undefined {
  const bytes = ownBytes(shared)
  const outline = readOutline(bytes)
  if (!outline) return undefined
  return {
    ...outline,
    transaction(index) {
      const field = fieldsOf(bytes, 0, bytes.length)
      let at = -1
      while (nextField(field))
        if (field.number === BLOCK.transactions && ++at === index)
          return readTransaction(bytes.subarray(field.start, field.end))
      return undefined
    },
    whole: () => readBlock(bytes) as ReturnType<BlockView['whole']>,
    held: BLOCK_BYTES + bytes.length + outline.txIDs.length * ID_BYTES,
  }
}

/** The blocks of a list. */
export function readBlockViews(bytes: Buffer): BlockView[] {
  return itemsOf(bytes).map((item) => readBlockView(item) as BlockView)
}

/** The outcomes of a block. */
export function readOutcomeViews(bytes: Buffer): OutcomeView[] {
  return itemsOf(ownBytes(bytes)).map(outcomeView)
}

function outcomeView(bytes: Buffer): OutcomeView {
  let id = ''
  let blockTimeStamp = 0
  let energy = 0
  let logCount = 0
  const field = fieldsOf(bytes, 0, bytes.length)
  while (nextField(field))
    if (field.number === INFO.log) logCount += 1
    else if (field.number === INFO.id && field.start !== -1)
      id = bytes.toString('hex', field.start, field.end)
    else if (field.number === INFO.blockTimeStamp) blockTimeStamp = field.value
    else if (field.number === INFO.receipt && field.start !== -1)
      energy = energyAt(bytes, field.start, field.end)
  return {
    id,
    blockTimeStamp,
    energy,
    logCount,
    logs: () => readOutcome(bytes) ?? missing(),
    whole: () => readInfo(bytes) ?? missing(),
    held: INFO_BYTES + bytes.length,
  }
}

/** The energy in the receipt of an outcome. */
function energyAt(bytes: Buffer, from: number, to: number): number {
  let energy = 0
  const field = fieldsOf(bytes, from, to)
  while (nextField(field)) if (field.number === RECEIPT.energyUsageTotal) energy = field.value
  return energy
}

function missing(): never {
  throw malformed()
}

/** Field numbers. */
const BLOCK = { transactions: 1 }
const INFO = { id: 1, blockTimeStamp: 4, receipt: 7, log: 8 }
const RECEIPT = { energyUsageTotal: 4 }

/** Memory of a view without its bytes, of the id of a transaction, and of the view of an outcome, in bytes. */
const BLOCK_BYTES = 1_500
const ID_BYTES = 100
const INFO_BYTES = 500
