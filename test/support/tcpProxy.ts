import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a port of this machine. The caller closes it. */
export async function startTcpProxy(port: number) {
  let target = port
  const sockets = new Set<Socket>()

  const server = createServer((inside) => {
    const outside = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return {
    port: own,
    /** Closes all connections. New ones lead to another port, as after a change of a load balancer. */
    switchTo(other: number) {
      target = other
      for (const socket of sockets) socket.destroy()
    },
    /** Freezes open connections, as after a router has lost its state. New connections work. */
    freeze() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
