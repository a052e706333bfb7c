import { bigIntToBytes, setLengthLeft, unprefixedHexToBytes } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** A call, creation or destruction that a contract made. Hex without `0x`. */
export type InternalTransaction = {
  hash: string
  caller: string
  to: string
  value: bigint
  /** The TRC-10 tokens that it moved: at most one, or all that a destroyed contract had. */
  tokens?: readonly { id: string; amount: bigint }[]
  note: 'call' | 'create' | 'suicide'
  /** Only of calls of the console, whose text it has. */
  data?: string
  rejected: boolean
}

/** An amount in the format that the chain hashes: an int64, or a whole word if it does not fit (18 decimals). */
function amountBytes(amount: bigint): Uint8Array {
  return setLengthLeft(bigIntToBytes(amount), amount < 2n ** 64n ? 8 : 32)
}

/**
 * Records and counts the internal transactions of one transaction. The count is part of the addresses of contracts that
 * are created inside.
 */
export function createInternalLog(transactionId: string) {
  const records: InternalTransaction[] = []
  const frames: { hash: string; from: number }[] = [{ hash: transactionId, from: 0 }]
  let nonce = 0n

  const add = (entry: Omit<InternalTransaction, 'hash' | 'rejected'>, data: Uint8Array): string => {
    nonce++
    const parent = (frames.at(-1) as { hash: string }).hash
    const hash = Buffer.from(
      keccak_256(
        Buffer.concat([
          unprefixedHexToBytes(parent),
          // The hash of a creation does not include its address.
          entry.note === 'create' ? new Uint8Array(0) : unprefixedHexToBytes(entry.to),
          data,
          amountBytes(entry.value),
          setLengthLeft(bigIntToBytes(nonce), 8),
        ]),
      ),
    ).toString('hex')
    records.push({ ...entry, hash, rejected: false })
    return hash
  }

  return {
    records,
    nonce: () => nonce,
    add,
    /** Enters a frame, without an entry for calls that the chain does not record. */
    enter(
      entry?: Omit<InternalTransaction, 'hash' | 'rejected'>,
      data: Uint8Array = new Uint8Array(0),
    ) {
      const from = records.length
      frames.push({
        hash: entry ? add(entry, data) : (frames.at(-1) as { hash: string }).hash,
        from,
      })
    },
    leave(failed: boolean) {
      const frame = frames.pop() as { from: number }
      if (failed) for (const record of records.slice(frame.from)) record.rejected = true
    },
    rejectAll() {
      for (const record of records) record.rejected = true
    },
  }
}
