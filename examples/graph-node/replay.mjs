// Makes the JSON-RPC calls of graph-node against a gateway, in its order and with its parameters, and checks what graph-node relies on.
// It replays the newest blocks: the identity of the chain, one block with its receipts, a range of logs, calls at a block, and traces.
import { deepEqual, equal, ok } from 'node:assert/strict'

const url = process.env.RPC_URL ?? 'http://127.0.0.1:8545'
const [ZERO, RANGE, TOO_MANY] = [`0x${'0'.repeat(40)}`, 2_000, -32_005]
const hex = (number) => `0x${number.toString(16)}`
let id = 0

async function call(method, ...params) {
  const started = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
  })
  const { error, result } = await response.json()
  if (error) throw Object.assign(new Error(`${method}: ${error.message}`), { code: error.code })
  console.log(`${method} ${Math.round(performance.now() - started)} ms`)
  return result
}

// Start: which chain is this?
ok(/^\d+$/.test(await call('net_version')))
const genesis = await call('eth_getBlockByNumber', '0x0', false)
equal(genesis.number, '0x0')

// The ingestor: the newest block, then the same block by its hash with its transactions.
const latest = await call('eth_getBlockByNumber', 'latest', false)
const block = await call('eth_getBlockByHash', latest.hash, true)
equal(block.parentHash, latest.parentHash)
deepEqual(
  block.transactions.map(({ hash }) => hash),
  latest.transactions,
)

// It asks once whether the receipts of a block come in one call, by hash as EIP-1898 has it, else asks for each.
const receipts = await call('eth_getBlockReceipts', { blockHash: latest.hash })
deepEqual(
  receipts.map(({ transactionHash }) => transactionHash),
  latest.transactions,
)
for (const hash of latest.transactions.slice(0, 3)) {
  const receipt = await call('eth_getTransactionReceipt', hash)
  equal(receipt.blockHash, latest.hash)
}

// Catching up: the logs of contracts and topics in a range, a tenth of it if they are too many, then the headers of the blocks that
// have some.
const to = Number(latest.number)
let range
async function logsOf(blocks) {
  range = { fromBlock: hex(Math.max(0, to - blocks + 1)), toBlock: latest.number }
  try {
    return await call('eth_getLogs', { ...range, topics: [] })
  } catch (error) {
    if (error.code !== TOO_MANY || blocks === 1) throw error
    return logsOf(Math.ceil(blocks / 10))
  }
}
const logs = await logsOf(RANGE)
const [sample] = logs
if (sample) {
  const filter = { ...range, address: [sample.address, ZERO], topics: [[sample.topics[0]]] }
  const found = await call('eth_getLogs', filter)
  ok(
    found.every(
      ({ address, topics }) => address === sample.address && topics[0] === sample.topics[0],
    ),
  )
  const { hash } = await call('eth_getBlockByNumber', sample.blockNumber, false)
  equal(hash, sample.blockHash)
}

// Handlers of subgraphs call contracts, and read balances and code, at the block that they process. A call may have both names of
// its data, and a limit of gas.
const at = { blockHash: latest.hash }
const target = sample?.address ?? ZERO
const input = '0x18160ddd'
await call('eth_call', { data: input, gas: hex(50_000_000), input, to: target }, at)
await call('eth_getBalance', target, at)
const code = await call('eth_getCode', target, at)
equal(code === '0x', sample === undefined)

// Handlers of calls need the traces of a range, 50 blocks at a time; handlers of all blocks those of one.
const part = { fromBlock: hex(Math.max(0, to - 49)), toBlock: latest.number }
const traces = await call('trace_filter', { ...part, toAddress: [target] })
ok(traces.every(({ action, type }) => type !== 'call' || action.to === target))
await call('trace_filter', { fromBlock: latest.number, toBlock: latest.number })
console.log(`${id} calls: graph-node can index this chain`)
