import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/**
 * A free port for a server that stops and starts again. It is below the ports that the system gives to connections (32768
 * and above on Linux), so no client uses it meanwhile, and no other test of this machine gets it as long as this process runs.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000)
    if ((await claim(port)) && (await isFree(port))) return port
  }
}

/** Claims a port by the UDP socket of its number. The servers of tests use TCP, so it is in no one's way, and it ends with the process. */
function claim(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => {
      socket.close()
      resolve(false)
    })
    socket.bind({ address: '127.0.0.1', exclusive: true, port }, () => {
      socket.unref()
      resolve(true)
    })
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
