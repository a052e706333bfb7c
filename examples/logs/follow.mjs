// Follows the logs of a contract over a WebSocket. After a lost connection or a restart it reads what it missed, from the block in the
// file `position`, and skips what it has printed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import WebSocket from 'ws'

const url = process.env.WS_URL ?? 'ws://127.0.0.1:8545/ws'
const { CONTRACT } = process.env
if (!CONTRACT) throw new Error('CONTRACT is missing')
const filter = { address: CONTRACT }
const FILE = 'position'

for (;;) {
  await follow().catch((error) => console.error(error.message))
  await sleep(1_000)
}

/** Settles when the connection ends. */
async function follow() {
  const socket = new WebSocket(url)
  const waiting = new Map()
  let last = 0
  const call = (method, ...params) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }))
    })
  // Logs that arrive while the missed ones are read wait here.
  let queue = []
  let print = (log) => queue.push(log)
  const ended = new Promise((resolve, reject) => {
    socket.on('close', resolve)
    socket.on('error', reject)
  })
  socket.on('message', (text) => {
    const { error, id, params, result } = JSON.parse(text)
    if (params) print(params.result)
    else if (error) waiting.get(id)?.reject(new Error(error.message))
    else waiting.get(id)?.resolve(result)
  })
  const resume = async () => {
    await call('eth_subscribe', 'logs', filter)
    console.log('following')
    const seen = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : undefined
    const missed = seen ? await call('eth_getLogs', { ...filter, fromBlock: seen.block }) : []
    print = printOnce(seen)
    for (const log of [...missed, ...queue]) print(log)
  }
  socket.on('open', () => resume().catch(() => socket.close()))
  await ended
}

/** Prints logs that come after the last printed one. A log that a reorg removed is printed as such. */
function printOnce(seen) {
  let [block, index] = seen ? [BigInt(seen.block), BigInt(seen.index)] : [-1n, -1n]
  return ({ blockNumber, logIndex, removed, transactionHash }) => {
    const [height, position] = [BigInt(blockNumber), BigInt(logIndex)]
    if (!removed && (height < block || (height === block && position <= index))) return
    console.log(`${removed ? 'removed' : 'log'} ${transactionHash} ${logIndex}`)
    ;[block, index] = removed ? [height, position - 1n] : [height, position]
    writeFileSync(FILE, JSON.stringify({ block: `0x${block.toString(16)}`, index: `${index}` }))
  }
}
