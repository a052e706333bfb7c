// Many WebSocket subscribers in their own process: reports when the first and the last one received a block.
import { WebSocket } from 'ws'

let sockets = []
let seen = 0
let first = 0

process.on('message', (message) => void (message.close ? close() : open(message)))

async function open({ open: count, url }) {
  // In batches, because the kernel's queue of new connections is short.
  for (let start = 0; start < count; start += 200)
    await Promise.all(
      Array.from({ length: Math.min(200, count - start) }, () => subscribe(url, count)),
    )
  process.send('open')
}

function subscribe(url, count) {
  const socket = new WebSocket(url)
  sockets.push(socket)
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () =>
      socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'),
    )
    socket.on('message', (data) => {
      if (data.includes('"id":1')) resolve()
      else arrived(count)
    })
  })
}

function arrived(count) {
  if (seen === 0) first = Date.now()
  seen++
  if (seen < count) return
  seen = 0
  process.send({ first, last: Date.now() })
}

function close() {
  for (const socket of sockets) socket.terminate()
  sockets = []
  process.send('closed')
}
