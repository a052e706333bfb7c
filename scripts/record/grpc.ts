import { grpcCallFor } from '../../src/native/grpc/calls.ts'
import { createGrpcChannel } from '../../src/native/grpc/channel.ts'
import type { NativePath } from '../../src/native/transport/transport.ts'
import {
  type GrpcRecording,
  nativeRecording,
  writeGrpcRecording,
} from '../../test/support/recording.ts'

/** Operations of the HTTP interface that the gRPC interface answers too, and the part that is wanted. */
const ASKED: readonly [path: NativePath, part: string][] = [
  ['/wallet/getblockbynum', 'outline'],
  ['/wallet/gettransactioninfobyblocknum', 'logs'],
  ['/wallet/gettransactioninfobyid', 'logs'],
]

/** Asks the gRPC interface what was asked of the HTTP interface. @returns bytes that were written */
export async function recordGrpc(address: string): Promise<number> {
  const channel = createGrpcChannel({ address })
  const recording: GrpcRecording = {}
  const { head, requests } = nativeRecording()
  for (const [path, part] of ASKED)
    for (const body of Object.keys(requests[path] ?? {})) {
      if (!body.startsWith('{')) continue
      const { num = 0, value } = JSON.parse(body) as { num?: unknown; value?: unknown }
      const isPlain = typeof num === 'number' && num >= 0 && num <= head
      const isId =
        value === undefined || (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value))
      const call = isPlain && isId ? grpcCallFor(path, part, body) : undefined
      if (!call) continue
      const answer = await channel.unary(call.method, call.message, { timeout: 10_000 })
      const of = (recording[call.method] ??= {})
      of[Buffer.from(call.message).toString('hex')] = answer.toString('base64')
    }
  channel.close()
  return writeGrpcRecording(recording)
}
