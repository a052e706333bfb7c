// Two fast fake nodes for bench/upstreams.ts, in one process: one block, and contract calls. With a rate each queues calls like a node with
// the default configuration does, for each operation. They do as little work as possible.
import { once } from 'node:events'
import { createServer } from 'node:http'

const rate = Number(process.argv[2] ?? 0)
const id = '0'.repeat(64)
const header = { raw_data: { timestamp: Date.now(), txTrieRoot: id, parentHash: id } }
const block = JSON.stringify({ blockID: id, block_header: header })
const call = JSON.stringify({
  result: { result: true },
  energy_used: 1,
  constant_result: ['0'.repeat(64)],
  transaction: {
    ret: [{}],
    visible: false,
    txID: 'ab'.repeat(32),
    raw_data: {
      contract: [
        {
          parameter: {
            value: {
              data: '70a08231',
              owner_address: `41${'0'.repeat(40)}`,
              contract_address: `41${'33'.repeat(20)}`,
            },
            type_url: 'type.googleapis.com/protocol.TriggerSmartContract',
          },
          type: 'TriggerSmartContract',
        },
      ],
      ref_block_bytes: '0000',
      ref_block_hash: '0'.repeat(16),
      expiration: Date.now(),
      timestamp: Date.now(),
    },
    raw_data_hex: 'ab'.repeat(180),
  },
})

async function startNode() {
  let due = performance.now()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isCall = request.url === '/wallet/triggerconstantcontract'
      const send = () => response.end(isCall ? call : block)
      if (rate === 0 || !isCall) send()
      else {
        due = Math.max(due + 1_000 / rate, performance.now())
        setTimeout(send, due - performance.now())
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server.address().port
}

process.send?.([await startNode(), await startNode()])
