// Writes test/fixtures/trace/anvil.json.br from a fresh anvil: anvil --hardfork shanghai --steps-tracing, then
// npx tsx scripts/recordTraces.ts --anvil http://127.0.0.1:8545
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'

import { digest, sendCases, tracesOf } from '../test/support/traceCases.ts'

const { anvil } = parseArgs({ options: { anvil: { type: 'string' } } }).values
if (!anvil) throw new Error('--anvil URL is missing')

async function rpc(method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(anvil as string, { method: 'POST', headers, body })
  const { error, result } = (await response.json()) as { error?: object; result?: unknown }
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

const recorded: Record<string, unknown> = {}
for (const [name, hash] of await sendCases(rpc)) {
  const { steps, ...traces } = await tracesOf(rpc, hash)
  recorded[name] = { ...traces, steps: digest(steps) }
}
const file = new URL('../test/fixtures/trace/anvil.json.br', import.meta.url)
writeFileSync(file, brotliCompressSync(JSON.stringify(recorded)))
