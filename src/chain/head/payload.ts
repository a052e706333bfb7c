import { promisify } from 'node:util'
import { deflateRaw, type InputType, inflateRaw, type ZlibOptions } from 'node:zlib'

import type { RecentBlock } from './headTypes.ts'

const deflate = promisify<InputType, ZlibOptions, Buffer>(deflateRaw)
const inflate = promisify<InputType, ZlibOptions, Buffer>(inflateRaw)

/** Bytes of a block as JSON: the logs of a full block, 100,000 of them, take about 70 MB. */
const MAX_BLOCK = 128 * 1024 * 1024

/** The form of a block in Redis: compressed JSON. A log takes about 60 bytes, a tenth of its text. */
export async function packBlock(block: RecentBlock): Promise<Buffer> {
  return deflate(Buffer.from(JSON.stringify(block)), { level: 1 })
}

/** The block that `packBlock` packed; undefined when the bytes are not one, or it is larger than a block can be. */
export async function unpackBlock(bytes: Buffer): Promise<RecentBlock | undefined> {
  try {
    const text = await inflate(bytes, { maxOutputLength: MAX_BLOCK })
    return JSON.parse(text.toString()) as RecentBlock
  } catch {
    return undefined
  }
}
