import { isDeepStrictEqual } from 'node:util'

import type { NativePath, NativeTransport } from '../transport/transport.ts'
import { parseNative } from '../wire/json.ts'
import type { Block } from '../wire/types.ts'
import type { GrpcSource } from './source.ts'

/** Blocks between the two that are compared besides block 0. */
const APART = 20

/**
 * Whether a gRPC interface whose address was guessed is that of the node: block 0, the newest block and one before it, with the outcomes of
 * their transactions, are the same as over HTTP.
 *
 * @throws UpstreamError when the node does not answer over HTTP
 */
export async function agrees(
  http: Pick<NativeTransport, 'send'>,
  grpc: Pick<GrpcSource, 'answer'>,
  timeout: number,
): Promise<boolean> {
  async function overHttp(path: NativePath, body?: string): Promise<unknown> {
    return parseNative((await http.send(path, body, { idempotent: true, timeout })).text)
  }

  async function isSame(path: NativePath, num: number): Promise<boolean> {
    const body = JSON.stringify({ num })
    const reply = await grpc.answer(path, 'whole', body, timeout)
    return reply !== undefined && isDeepStrictEqual(reply.parsed, await overHttp(path, body))
  }

  const head = (await overHttp('/wallet/getnowblock')) as Partial<Block> | null
  const newest = head?.block_header?.raw_data.number ?? 0
  for (const num of new Set([0, Math.max(0, newest - APART), newest])) {
    if (!(await isSame('/wallet/getblockbynum', num))) return false
    // Genesis has no outcomes.
    if (num > 0 && !(await isSame('/wallet/gettransactioninfobyblocknum', num))) return false
  }
  return true
}
