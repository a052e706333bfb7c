import { UpstreamError } from '../../lib/errors.ts'
import { nodeErrorOf } from '../errors.ts'
import type { NativeTransport } from '../transport/transport.ts'
import { tryParseNative } from '../wire/json.ts'
import type { Block, Hex } from '../wire/types.ts'

/**
 * Reads the hash of a node's block 0, without 0x. It identifies the chain.
 *
 * @param timeout - milliseconds. @default the limit of the transport
 * @throws UpstreamError, NodeBusyError
 */
export async function readGenesis(
  transport: Pick<NativeTransport, 'send'>,
  timeout?: number,
): Promise<Hex> {
  const reply = await transport.send('/wallet/getblock', GENESIS, { idempotent: true, timeout })
  const block = tryParseNative(reply.text) as Partial<Block> | undefined
  const error = nodeErrorOf('getblock', reply, block)
  if (error) throw error
  if (typeof block?.blockID === 'string') return block.blockID
  throw new UpstreamError('the upstream node does not report its genesis block')
}

const GENESIS = '{"id_or_num":"0"}'
