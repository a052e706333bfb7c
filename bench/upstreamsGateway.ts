import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'
import { Pool } from 'undici'

import { startGateway, track } from '../drills/processes.ts'
import { CONTRACT } from '../drills/upstreams/chain.ts'
import { median } from './median.ts'
import { cpuTime } from './processes.ts'

/** Calls in flight at a gateway. A node accepts 50 connections, and all gateways use the first one. */
const CLIENTS = 8

/** Calls of one round: enough that a tick of the CPU time is a small part of it. */
const CALLS = 4_000

/** Calls a second of the rounds that show what a client waits: far below what a gateway can do. */
const PACE = 500

/** Times in milliseconds; `cpu` in microseconds for a call. */
type Round = { cpu: number; p50: number; p99: number; perSecond: number }

/**
 * Compares whole gateways, built: of one node, of two nodes, and of one node with another build. All calls are eth_call that only
 * a node can answer. The nodes are fakes in one process, or real ones.
 *
 * @param other - `dist/main.js` of the other build.
 */
export async function compareGateways({ nodes, other, rounds }: compareGateways.Options) {
  const { contract, end, urls } = nodes ?? (await startNodes())
  // Without a limit on the rate: calls that wait for it come one by one, and each turn of the event loop does less.
  const unlimited = ['--upstream-rate', 'unlimited']
  const start = async (name: string, flags: string[], main?: string) => ({
    ...(await startGateway({
      flags: ['--log-level', 'error', ...flags],
      upstream: urls[0],
      ...(main !== undefined && { main }),
    })),
    name,
  })
  const one = await start('one node', unlimited)
  const two = await start('two nodes', [...unlimited, '--upstream', urls[1]])
  // An old build may not know the flag, and does not limit the rate then.
  const old = other === undefined ? [] : [await start('one node, other build', [], other)]
  const gateways = [one, two, ...old]
  for (const [title, calls, pace] of [
    [`cold eth_call, ${CLIENTS} clients`, CALLS, undefined],
    [`cold eth_call, ${PACE} a second`, PACE * 2, PACE],
  ] as const) {
    const found = gateways.map((): Round[] => [])
    for (let round = -2; round < rounds; round++)
      for (const [index, { pid, url }] of gateways.entries()) {
        const before = cpuTime(pid) ?? 0
        const times = await coldCalls(url, contract, calls, pace)
        const cpu = ((cpuTime(pid) ?? 0) - before) / calls
        // The first rounds warm it up.
        if (round >= 0) found[index]?.push({ ...times, cpu })
      }
    const table = new Table({ head: [title, 'calls/s', 'p50 ms', 'p99 ms', 'µs of CPU a call'] })
    for (const [index, { name }] of gateways.entries()) table.push([name, ...figures(found[index])])
    for (const [index, { name }] of gateways.entries())
      if (index !== 1) table.push([`two nodes against ${name}`, ...ratios(found[1], found[index])])
    console.log(table.toString())
  }
  for (const gateway of gateways) await gateway.end()
  end()
}

export declare namespace compareGateways {
  type Options = {
    /** @default fakes */
    nodes: Nodes | undefined
    other: string | undefined
    rounds: number
  }
}

/** Two nodes of one chain, and a contract there. */
type Nodes = { contract: string; end: () => void; urls: readonly [string, string] }

/** Starts fakes in one process. A block arrives every second. */
export async function startNodes(): Promise<Nodes> {
  const file = fileURLToPath(new URL('../drills/upstreams/nodes.ts', import.meta.url))
  const child = track(fork(file, { execArgv: ['--import', 'tsx'] }))
  const [{ urls }] = (await once(child, 'message')) as [{ urls: [string, string] }]
  return { contract: CONTRACT, end: () => void child.kill(), urls }
}

let salt = 0

/** @param pace - calls a second, also while earlier ones have no answer yet; undefined for as many as possible. */
async function coldCalls(
  url: string,
  contract: string,
  calls: number,
  pace: number | undefined,
): Promise<Omit<Round, 'cpu'>> {
  const pool = new Pool(url, { connections: CLIENTS })
  const times: number[] = []
  async function ask(): Promise<void> {
    const started = performance.now()
    // A balance of a different account each time.
    const data = `0x70a08231${(salt++).toString(16).padStart(64, '0')}`
    const params = [{ to: `0x${contract}`, data }, 'latest']
    const { body } = await pool.request({
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
    })
    const text = await body.text()
    if (!text.includes('"result"')) throw new Error(`eth_call was answered ${text}`)
    times.push(performance.now() - started)
  }
  const began = performance.now()
  if (pace === undefined) await Promise.all(Array.from({ length: CLIENTS }, askInTurn))
  else await Promise.all(Array.from({ length: calls }, askAt(began, pace)))
  const seconds = (performance.now() - began) / 1_000
  await pool.close()
  const sorted = times.toSorted((left, right) => left - right)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  return { p50: at(0.5), p99: at(0.99), perSecond: calls / seconds }

  async function askInTurn(): Promise<void> {
    for (let call = 0; call < calls / CLIENTS; call++) await ask()
  }

  function askAt(began: number, pace: number) {
    return async (_: unknown, call: number) => {
      const due = began + (call / pace) * 1_000
      await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
      await ask()
    }
  }
}

function figures(rounds: readonly Round[] = []): string[] {
  const of = (key: keyof Round) => median(rounds.map((round) => round[key]))
  return [
    of('perSecond').toFixed(0),
    of('p50').toFixed(2),
    of('p99').toFixed(2),
    of('cpu').toFixed(0),
  ]
}

/** The median of the ratios of rounds that ran one after the other. */
function ratios(rounds: readonly Round[] = [], others: readonly Round[] = []): string[] {
  return (['perSecond', 'p50', 'p99', 'cpu'] as const).map((key) => {
    const parts = rounds.map((round, index) => round[key] / (others[index]?.[key] ?? 1))
    return `${(median(parts) * 100).toFixed(1)} %`
  })
}
