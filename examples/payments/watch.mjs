// Prints each transfer of a token once. The position is in the filter, which replicas that share a Redis keep: start the watcher again
// with the filter's id, on any replica, and it continues. A page is delivered again if it did not arrive.
import { setTimeout as sleep } from 'node:timers/promises'

const url = process.env.RPC_URL ?? 'http://127.0.0.1:8545'
const token = process.env.TOKEN
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

async function call(method, ...params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  const { error, result } = await response.json()
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

const filter =
  process.env.FILTER ?? (await call('eth_newFilter', { address: token, topics: [TRANSFER] }))
console.log(`filter ${filter}`)
for (;;) {
  for (const { data, topics, transactionHash } of await call('eth_getFilterChanges', filter))
    console.log(`payment ${BigInt(data)} to 0x${topics[2].slice(26)} in ${transactionHash}`)
  await sleep(1_000)
}
