import { GRPC_READS, grpcCallFor } from '../../src/native/grpc/calls.ts'
import { createGrpcChannel } from '../../src/native/grpc/channel.ts'
import {
  type GrpcRecording,
  nativeRecording,
  writeGrpcRecording,
} from '../../test/support/recording.ts'

/** Asks the gRPC interface what was asked of the HTTP interface. @returns bytes that were written */
export async function recordGrpc(address: string): Promise<number> {
  const channel = createGrpcChannel({ address })
  const recording: GrpcRecording = {}
  const { head, requests } = nativeRecording()
  for (const [path, part] of GRPC_READS)
    for (const body of Object.keys(requests[path] ?? {})) {
      // The double of the node makes lists of the recorded blocks.
      if (path === '/wallet/getblockbylimitnext' || !body.startsWith('{')) continue
      const { num = 0 } = JSON.parse(body) as { num?: number }
      const call = num >= 0 && num <= head ? grpcCallFor(path, part, body) : undefined
      if (!call) continue
      const answer = await channel.unary(call.method, call.message, { timeout: 10_000 })
      const of = (recording[call.method] ??= {})
      of[Buffer.from(call.message).toString('hex')] = answer.toString('base64')
    }
  channel.close()
  return writeGrpcRecording(recording)
}
