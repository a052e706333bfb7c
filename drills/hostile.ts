import { setTimeout as sleep } from 'node:timers/promises'

import Table from 'cli-table3'

import { startRedis } from '../test/support/redis.ts'
import type { Case, DrillNode } from './case.ts'
import { cases } from './cases/index.ts'
import { print } from './print.ts'
import {
  type Latencies,
  startGateway,
  startLightClient,
  startNode,
  watchMemory,
} from './processes.ts'
import { startSimulatedNode } from './simulatedNode.ts'

/** Runs each case against a new gateway and prints the table. @returns whether all cases passed. */
export async function hostile(names: string[]): Promise<boolean> {
  const chosen = names.length === 0 ? cases : names.map(caseOf)
  const table = new Table({
    head: ['case', 'tried', 'wrong', 'p50 ms', 'p99 ms', 'max ms', 'MiB before / peak / after', ''],
  })
  const node = await startNode()
  let isGood = true
  for (const one of chosen) {
    process.stderr.write(`${one.name} …\n`)
    const { after, before, latencies, note = '', peak, tried, wrong } = await runCase(one, node)
    const failed =
      latencies.failed > 0 && !one.ends ? `light client failed ${latencies.failed}` : ''
    const isLarge = peak - before > (one.growth ?? Infinity)
    if (wrong > 0 || failed || isLarge) isGood = false
    const times = [latencies.p50, latencies.p99, latencies.max].map((ms) => ms.toFixed(0))
    const memory = [before, peak, after].map((mebibytes) => mebibytes.toFixed(0)).join(' / ')
    const large = isLarge ? `more than ${one.growth} MiB` : ''
    const notes = [note, failed, large].filter(Boolean).join('; ')
    const row = [tried, wrong, ...times, memory, notes]
    // Printed at once, so that the result is not lost if a later case is interrupted.
    process.stderr.write(`${one.name}: ${row.join(' | ')}\n`)
    table.push([`${one.name}: ${one.what}`, ...row])
  }
  print(table)
  return isGood
}

type Figures = {
  tried: number
  wrong: number
  note?: string | undefined
  latencies: Latencies
  before: number
  peak: number
  after: number
}

async function runCase(one: Case, node: DrillNode): Promise<Figures> {
  const redis = one.redis ? await startRedis() : undefined
  const simulated = one.simulates ? await startSimulatedNode() : undefined
  const gateway = await startGateway({
    env: one.env ?? {},
    flags: [
      ...(one.flags ?? []),
      ...(redis ? ['--redis', redis.url] : []),
      ...(simulated?.flags ?? []),
    ],
    log: one.log,
    upstream: simulated?.upstream ?? node.url,
  })
  const { pid, port, url } = gateway
  const light = await startLightClient(url)
  // The first calls compile the code and are not measured.
  await sleep(WARM_UP_MS)
  const memory = watchMemory(pid)
  const before = memory.now()
  try {
    const { note, tried, wrong } = await one.run({
      exited: gateway.exited,
      node,
      pid,
      port,
      redisUrl: redis?.url,
      url,
      wsUrl: url.replace('http', 'ws'),
    })
    await sleep(SETTLE_MS)
    const latencies = await light.stop()
    const after = memory.now()
    return { after, before, latencies, note, peak: memory.stop().peak, tried, wrong }
  } finally {
    memory.stop()
    await node.hang(false)
    await gateway.end()
    await redis?.close()
    await simulated?.end()
  }
}

const WARM_UP_MS = 1_000
const SETTLE_MS = 1_000

function caseOf(name: string): Case {
  const found = cases.find((one) => one.name === name)
  if (found) return found
  throw new Error(`no case ${name}; there are ${cases.map((one) => one.name).join(', ')}`)
}
