// The reference: a bare node:http server. POST /NAME returns the bytes of an earlier PUT /NAME. POST /native/PATH forwards
// the body to the node through a pool like the gateway's, and returns the answer. POST /rpc forwards it to the node's JSON-RPC.
import { createServer } from 'node:http'

import { Pool } from 'undici'

const answers = new Map()
const upstream = new URL(process.argv[2])
const rpc = new URL(process.argv[3])
const pool = new Pool(upstream.origin, { connections: 40, pipelining: 1 })
const rpcPool = new Pool(rpc.origin, { connections: 40, pipelining: 1 })

// The headers of the gateway, so that both send the same bytes.
function answer(outgoing, bytes) {
  outgoing.writeHead(200, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'server-timing': 'total;dur=0.1',
    'access-control-allow-origin': '*',
  })
  outgoing.end(bytes)
}

async function pass(incoming, outgoing, body) {
  const headers = { 'content-type': 'application/json' }
  const response = await (incoming.url === '/rpc'
    ? rpcPool.request({ method: 'POST', path: rpc.pathname, headers, body })
    : pool.request({ method: 'POST', path: incoming.url.slice('/native'.length), body }))
  answer(outgoing, Buffer.from(await response.body.arrayBuffer()))
}

const server = createServer((incoming, outgoing) => {
  const chunks = []
  incoming.on('data', (chunk) => chunks.push(chunk))
  incoming.on('end', () => {
    const bytes = answers.get(incoming.url)
    if (incoming.method === 'POST' && bytes) answer(outgoing, bytes)
    else if (incoming.method === 'POST') void pass(incoming, outgoing, Buffer.concat(chunks))
    else {
      answers.set(incoming.url, Buffer.concat(chunks))
      answer(outgoing, Buffer.alloc(0))
    }
  })
})
server.listen(0, '127.0.0.1', () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}` }),
)
