/** No operation can pay for more memory than this, bytes. */
const MOST = 32n * 1024n * 1024n

/** A part of a frame's memory; zeros beyond its end. Empty when the operation cannot pay for so much. */
export function sliceOf(memory: Uint8Array, offset: bigint, length: bigint): Uint8Array {
  const slice = new Uint8Array(length > MOST || offset > MOST ? 0 : Number(length))
  if (slice.length > 0)
    slice.set(memory.subarray(Number(offset), Number(offset) + slice.length).slice())
  return slice
}
