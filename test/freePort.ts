import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A free port for a server that stops and starts again on it. It is below those that the system gives to connections (32768
 * and up on Linux), so no client takes it in between.
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
