// The reference: a bare node:http server. POST /NAME returns the bytes of an earlier PUT /NAME. POST /native/PATH forwards
// the body to the node through a pool like the gateway's, and returns the answer.
import { createServer } from 'node:http'

import { Pool } from 'undici'

const answers = new Map()
const upstream = new URL(process.argv[2])
const pool = new Pool(upstream.origin, { connections: 40, pipelining: 1 })

function answer(outgoing, bytes) {
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  outgoing.end(bytes)
}

async function pass(incoming, outgoing, body) {
  const path = incoming.url.slice('/native'.length)
  const response = await pool.request({ method: 'POST', path, body })
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
