/** Bytes of memory for which no operation can pay. */
const MOST = 32n * 1024n * 1024n

/** A part of a frame's memory, with zeros beyond its end. Empty if the operation cannot pay for its size. */
export function sliceOf(memory: Uint8Array, offset: bigint, length: bigint): Uint8Array {
  const slice = new Uint8Array(length > MOST || offset > MOST ? 0 : Number(length))
  if (slice.length > 0)
    slice.set(memory.subarray(Number(offset), Number(offset) + slice.length).slice())
  return slice
}
