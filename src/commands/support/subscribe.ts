import type { RpcHeader, RpcLog } from '../../codec/types.ts'
import { CommandError } from '../command.ts'
import type { Watch, Watched } from './follow.ts'
import { pause } from './interrupt.ts'
import { isPassing } from './retry.ts'
import { RpcFailure } from './rpc.ts'
import { readMark } from './search.ts'
import { connect, type Socket } from './socket.ts'
import { createWindow, type Delivered, takenBack } from './window.ts'

/**
 * Follows the chain over WebSocket subscriptions that resume: after a lost connection everything since the last known
 * block is asked for (`resumeFrom`), what was delivered already is left out, and logs whose block left the chain in the
 * meantime are taken back. Needs a server that has `resumeFrom` in `eth_subscribe`.
 */
export async function followBySocket(
  watch: Watch,
  first: Socket,
  reconnect: () => Promise<Socket>,
): Promise<void> {
  const { filter, signal, note } = watch
  const window = createWindow()
  const inbox = createInbox(watch)
  const start = watch.from ?? (await requireHead(first)) + 1
  /** Newest block whose header was seen: all logs well below it were delivered. */
  let seen = start - 1

  let socket: Socket | undefined = first
  for (let attempt = 0; !signal.aborted;) {
    try {
      socket ??= await reconnect()
      const current = socket
      const stop = () => current.close()
      signal.addEventListener('abort', stop, { once: true })
      await listen(current)
      attempt = 0
      const why = await current.closed
      signal.removeEventListener('abort', stop)
      if (!signal.aborted) note(`connection lost (${why}); resuming`)
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof RpcFailure && !isPassing(error)) throw error
      note(`${(error as Error).message}; again soon`)
      socket?.close()
    }
    socket = undefined
    await pause(Math.min(10_000, 250 * 2 ** attempt), signal)
    attempt += 1
  }
  await inbox.drained()

  async function listen(socket: Socket): Promise<void> {
    await inbox.drained()
    const ancestor = await takeBackOrphans(socket)
    const from = Math.max(start, Math.min(ancestor + 1, filter ? seen - DEEP : ancestor + 1))
    const kinds = new Map<string, 'heads' | 'logs'>()
    // Notifications may overtake the answer that names their subscription.
    const early: [string, unknown][] = []
    const take = (id: string, result: unknown) => {
      const kind = kinds.get(id)
      if (kind === undefined) early.push([id, result])
      else if (kind === 'heads') onHead(socket, result as RpcHeader)
      else onLog(socket, result as RpcLog)
    }
    socket.onNotification(take)
    const subscribe = async (kind: 'heads' | 'logs', ...params: unknown[]) => {
      kinds.set(String(await socket.call('eth_subscribe', params)), kind)
      for (const [id, result] of early.splice(0)) take(id, result)
    }
    const resumeFrom = `0x${from.toString(16)}`
    if (filter) {
      const checked = window.newest()
      await subscribe('logs', 'logs', filter, { resumeFrom })
      await subscribe('heads', 'newHeads')
      await refuseFork(socket, checked)
    } else await subscribe('heads', 'newHeads', { resumeFrom })
  }

  /**
   * From the subscription on, the server tells what leaves the chain. What left it just before, after the orphans were
   * taken back, is found by connecting once more.
   */
  async function refuseFork(socket: Socket, checked: Delivered | undefined): Promise<void> {
    if (!checked) return
    const now = await readMark(socket, String(checked.number), 'block')
    if (now?.hash !== checked.hash) socket.close()
  }

  function onHead(socket: Socket, header: RpcHeader): void {
    const number = Number(header.number)
    seen = filter ? Math.max(seen, number) : number
    if (filter || window.has(header.hash)) return
    window.push({ number, hash: header.hash, logs: [] })
    inbox.put(socket, { header })
  }

  function onLog(socket: Socket, log: RpcLog): void {
    if (log.removed ? window.remove(log) : window.add(log)) inbox.put(socket, { log })
  }

  /** Height of the newest delivered block that the chain still has. */
  async function takeBackOrphans(socket: Socket): Promise<number> {
    for (;;) {
      const block = window.newest()
      if (!block) return Math.max(start - 1, filter ? seen : start - 1)
      const now = await readMark(socket, String(block.number), 'block')
      if (now?.hash === block.hash) return block.number
      window.pop()
      for (const log of takenBack(block)) inbox.put(socket, { log })
    }
  }
}

/** Blocks below the newest header from which logs are asked for again; what was delivered is left out. */
const DEEP = 64

async function requireHead(socket: Socket): Promise<number> {
  const head = await readMark(socket, 'latest', 'head')
  if (!head) throw new CommandError('eth_getBlockByNumber: the server has no latest block')
  return head.number
}

/** Opens the socket of a gateway that can resume; undefined when the server has none or cannot. */
export async function tryResumableSocket(options: connect.Options): Promise<Socket | undefined> {
  let socket: Socket
  try {
    socket = await connect(options)
  } catch (error) {
    if (error instanceof CommandError && error.details['status'] !== undefined) return undefined
    throw error
  }
  try {
    const version = await socket.call('web3_clientVersion')
    if (/^ethgate\b/i.test(String(version))) {
      await socket.call('eth_unsubscribe', [await socket.call('eth_subscribe', ['newHeads'])])
      return socket
    }
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error
  }
  socket.close()
  return undefined
}

/** Delivers one after the other, and holds the network back while the reader is slow. */
function createInbox(watch: Watch) {
  let length = 0
  let last: Promise<void> = Promise.resolve()
  return {
    put(socket: Socket, item: Watched): void {
      length += 1
      if (length === FULL) socket.pause()
      last = last
        .then(() => (watch.signal.aborted ? undefined : watch.deliver(item)))
        .finally(() => {
          length -= 1
          if (length === FULL / 2) socket.resume()
        })
    },
    drained: () => last,
  }
}

const FULL = 1000
