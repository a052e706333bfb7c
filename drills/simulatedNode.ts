import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { freePort } from '../test/support/freePort.ts'
import { track } from './processes.ts'

/** A node whose newest state simulations can read. */
export type SimulatedNode = { upstream: string; flags: readonly string[]; end(): Promise<void> }

/** Starts a development chain as the node, and its JSON-RPC without eth_simulateV1, which no release of the node has. */
export async function startSimulatedNode(): Promise<SimulatedNode> {
  const port = await freePort()
  const upstream = `http://127.0.0.1:${port}`
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
  const args = [main, 'dev', '--port', String(port), '--block-time', '3']
  const chain = track(spawn(process.execPath, args, { stdio: 'ignore' }))
  while (!(await fetch(`${upstream}/ready`).catch(() => undefined))?.ok) await sleep(100)
  const answer = async (body: string) =>
    body.includes('"eth_simulateV1"')
      ? LACKING
      : (await fetch(upstream, { method: 'POST', body })).text()
  const rpc = createServer((request, response) => {
    void text(request)
      .then(answer)
      .then((whole) => response.end(whole))
  }).listen(0, '127.0.0.1')
  await once(rpc, 'listening')
  const { port: rpcPort } = rpc.address() as AddressInfo
  return {
    upstream,
    flags: ['--simulate', 'on', '--upstream-rpc', `http://127.0.0.1:${rpcPort}`],
    async end() {
      chain.kill()
      await once(chain, 'exit')
      rpc.close()
      rpc.closeAllConnections()
    },
  }
}

const LACKING = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'
