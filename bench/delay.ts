import { once } from 'node:events'
import net from 'node:net'

/**
 * Passes connections on to an address so that each round trip takes longer, half of it each way.
 *
 * @returns the address to use in its place; the same without a delay
 */
export async function startDelay(address: string, milliseconds: number): Promise<string> {
  if (milliseconds === 0) return address
  const url = new URL(address)
  const target = { host: url.hostname, noDelay: true, port: Number(url.port) }
  const later = (from: net.Socket, to: net.Socket) => {
    from.on('data', (chunk) => setTimeout(() => to.write(chunk), milliseconds / 2))
    from.on('close', () => setTimeout(() => to.destroy(), milliseconds / 2))
    from.on('error', () => to.destroy())
  }
  const server = net.createServer({ noDelay: true }, (near) => {
    const far = net.connect(target)
    later(near, far)
    later(far, near)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  server.unref()
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as net.AddressInfo).port)
  return url.href
}
