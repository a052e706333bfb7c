import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import type { RecordedRequest } from '../test/support/recording.ts'
import { recordBuilders } from './record/builders.ts'
import { recordChain } from './record/chain.ts'
import { recordGrpc } from './record/grpc.ts'
import { recordAddressForms, recordBroadcasts, recordErrors } from './record/odd.ts'
import { createRecorder, type Recorder } from './record/recorder.ts'
import { recordRpc } from './record/rpc.ts'
import { recordAccounts, recordCalls, recordNetwork } from './record/state.ts'

/**
 * Records the answers of a real node on the test chain that the tests need, and writes them to
 * `test/fixtures/recorded`. The node must not be producing blocks. Records the lists in `test/fixtures/requests` as well.
 *
 * `npm run record -- --upstream http://127.0.0.1:8090 [--upstream-solidity URL] [--upstream-rpc URL] [--upstream-grpc URL] [--fresh]`
 *
 * Earlier recordings are kept; `--fresh` records them again.
 */
const { values } = parseArgs({
  options: {
    upstream: { type: 'string', default: 'http://127.0.0.1:8090' },
    'upstream-solidity': { type: 'string' },
    'upstream-rpc': { type: 'string' },
    'upstream-grpc': { type: 'string' },
    fresh: { type: 'boolean', default: false },
  },
})
const neighbour = (offset: number) => {
  const url = new URL(values.upstream)
  url.port = String(Number(url.port) + offset)
  return url.origin
}

const recorder = createRecorder({
  fresh: values.fresh,
  rpcUrl: values['upstream-rpc'] ?? `${neighbour(455)}/jsonrpc`,
  solidity: values['upstream-solidity'] ?? neighbour(1),
  upstream: values.upstream,
})

const walked = await recordChain(recorder)
say('chain')
await recordAccounts(recorder, walked)
say('accounts')
await recordNetwork(recorder)
const calls = await recordCalls(recorder)
say('calls')
await recordErrors(recorder, walked)
await recordAddressForms(recorder)
await recordBuilders(recorder)
await recordBroadcasts(recorder, walked)
say('errors, builders')
await recordLists(recorder)
await recordRpc(recorder, walked, calls)
say('JSON-RPC')
const bytes = recorder.save(walked.head)
const grpcBytes = await recordGrpc(values['upstream-grpc'] ?? neighbour(41_961))
console.log(
  `written: native ${bytes.native} bytes, rpc ${bytes.rpc} bytes, grpc ${grpcBytes} bytes`,
)

async function recordLists(recorder: Recorder): Promise<void> {
  const folder = new URL('../test/fixtures/requests/', import.meta.url)
  for (const file of readdirSync(folder)) {
    const text = readFileSync(new URL(file, folder), 'utf8')
    if (file.endsWith('.jsonl')) {
      const lines = [...new Set(text.split('\n').filter(Boolean))]
      writeFileSync(new URL(file, folder), lines.map((line) => `${line}\n`).join(''))
      for (const line of lines) await recordOne(recorder, JSON.parse(line) as RecordedRequest)
    }
    if (file.endsWith('.json'))
      for (const request of JSON.parse(text) as RecordedRequest[])
        await recordOne(recorder, request)
  }
}

async function recordOne(recorder: Recorder, request: RecordedRequest): Promise<void> {
  if ('rpc' in request) await recorder.rpc(request.rpc, request.params)
  else if (request.text !== undefined && request.method !== 'GET')
    await recorder.askText(request.path, request.text)
  else await recorder.ask(request.path, request.body, { method: request.method ?? 'POST' })
}

function say(step: string): void {
  const { native, rpc } = recorder.counts()
  console.log(`${step}: ${native} native, ${rpc} JSON-RPC requests`)
}
