import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A free port for a server that stops and starts again. It is below the ports that the system gives to connections (32768
 * and above on Linux), so no client uses it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
