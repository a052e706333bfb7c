import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'

import { startRedis } from '../test/support/redis.ts'
import { print } from './print.ts'
import { type DrillGateway, startGateway, track, watchMemory } from './processes.ts'
import { faults, type NodeFault, type NodesCommand } from './upstreams/faults.ts'
import type { LoadCommand, LoadReport } from './upstreams/report.ts'

/** Seconds that each fault lasts. */
const SECONDS = Number(process.env['DRILL_SECONDS'] ?? 60)

/** Seconds without a fault before each fault, so that caches are warm. */
const QUIET_SECONDS = Math.min(10, SECONDS)

/**
 * Runs two replicas in front of two nodes, one of which has each fault in turn. Sends 300 mixed requests a second and
 * compares each answer with the correct one. @returns whether all answers were right.
 */
export async function upstreams(names: string[]): Promise<boolean> {
  const known = [...Object.keys(faults), 'both']
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`no fault ${unknown}; there are ${known.join(', ')}`)
  const chosen = names.length === 0 ? known : names
  const scene = await startScene()
  const table = new Table({
    head: [
      'fault',
      'asked',
      'success %',
      'wrong',
      'backward',
      'p50 ms',
      'p99 ms',
      'detected s',
      'used again s',
      'missed',
    ],
  })
  let isGood = true
  try {
    // Waits until the code is compiled and the caches are warm.
    await sleep(15_000)
    await scene.report()
    await sleep(SECONDS * 1_000)
    const calm = await scene.report()
    if (calm.wrong > 0 || calm.failed > 0) isGood = false
    table.push(rowOf('none', calm))
    for (const name of chosen) {
      const fault = faults[name]
      if (!fault) continue
      process.stderr.write(`${name} …\n`)
      const { detected, report, usedAgain } = await runFault(scene, fault)
      for (const [what, count] of Object.entries(report.samples))
        process.stderr.write(`  ${count} × ${what}\n`)
      const missed = missedGoals(report, calm, { detected, usedAgain })
      if (missed.length > 0) isGood = false
      const row = [...rowOf(name, report), seconds(detected), seconds(usedAgain), missed.join(', ')]
      process.stderr.write(`  ${row.join(' ')}\n`)
      table.push(row)
    }
    if (chosen.includes('both')) {
      const { missed, row } = await runBoth(scene)
      if (missed.length > 0) isGood = false
      table.push([...row, missed.join(', ')])
    }
  } finally {
    print(table)
    await scene.end()
  }
  return isGood
}

/** Most milliseconds until a recovered node is used. */
const RECOVERY = 30_000

/** The failed expectations while one of two nodes fails. */
function missedGoals(
  { asked, failed, p99, wrong }: LoadReport,
  calm: LoadReport,
  { detected, usedAgain }: { detected: number; usedAgain: number },
): string[] {
  return [
    failed / Math.max(1, asked) > 0.001 && 'success below 99.9 %',
    wrong > 0 && 'wrong answers',
    p99 > calm.p99 * 2 && 'p99 above twice that without a fault',
    detected >= SECONDS * 1_000 && 'not detected',
    usedAgain >= RECOVERY && 'not used again',
  ].filter((goal) => goal !== false)
}

async function runFault(scene: Scene, fault: NodeFault) {
  await scene.isCalm()
  await sleep(QUIET_SECONDS * 1_000)
  await scene.report()
  const began = performance.now()
  await scene.nodes({ fail: { index: 0, fault } })
  const detected = await timeUntil(
    SECONDS * 1_000,
    async () => (await scene.state(0)) !== 'healthy',
  )
  await sleep(Math.max(0, SECONDS * 1_000 - (performance.now() - began)))
  const report = await scene.report()
  await scene.nodes({ heal: 0 })
  const usedAgain = await timeUntil(RECOVERY, async () => (await scene.state(0)) === 'healthy')
  return { detected, report, usedAgain }
}

/** Most milliseconds of a request while no node answers: the timeout of a call and a margin. */
const DEADLINE = 11_000

/** Most growth of memory while no node answers, MiB. */
const GROWTH = 64

/**
 * Both nodes fail. Every request must be answered in time, no answer may be wrong, memory may not grow, and the first node
 * must be used within 2 s after it recovers. Requests in flight at the end have their full time.
 */
async function runBoth(scene: Scene): Promise<{ row: (string | number)[]; missed: string[] }> {
  process.stderr.write('both …\n')
  await scene.isCalm()
  await scene.report()
  const memory = watchMemory(scene.gateways[0]?.pid ?? 0)
  const before = memory.now()
  await scene.nodes({ fail: { index: 0, fault: { kind: 'hang' } } })
  await scene.nodes({ fail: { index: 1, fault: { kind: 'refused' } } })
  await sleep(SECONDS * 1_000)
  scene.pause(true)
  await sleep(DEADLINE)
  const report = await scene.report()
  const after = memory.now()
  scene.pause(false)
  await sleep(1_000)
  await scene.nodes({ heal: 1 })
  const recovered = await timeUntil(10_000, () => scene.readsState())
  memory.stop()
  for (const [what, count] of Object.entries(report.samples))
    process.stderr.write(`  ${count} × ${what}\n`)
  process.stderr.write(
    `  ${report.open} without an answer, slowest ${report.max.toFixed(0)} ms, memory ${before.toFixed(0)} → ${after.toFixed(0)} MiB\n`,
  )
  await scene.nodes({ heal: 0 })
  const missed = [
    report.wrong > 0 && 'wrong answers',
    report.open > 0 && `${report.open} without an answer`,
    report.max > DEADLINE && `slowest ${report.max.toFixed(0)} ms`,
    after - before > GROWTH && `memory ${before.toFixed(0)} → ${after.toFixed(0)} MiB`,
    recovered > 2_000 && 'recovery above 2 s',
  ].filter((goal) => goal !== false)
  return { missed, row: [...rowOf('both', report), '', seconds(recovered)] }
}

type Scene = {
  gateways: DrillGateway[]
  nodes(command: NodesCommand): Promise<void>
  report(): Promise<LoadReport>
  /** Whether the load is paused. */
  pause(on: boolean): void
  /** The state of a node in `/health` of the first replica. */
  state(index: number): Promise<string | undefined>
  /** Whether a read of the newest state is answered. */
  readsState(): Promise<boolean>
  /** Resolves when both nodes are healthy. */
  isCalm(): Promise<void>
  end(): Promise<void>
}

async function startScene(): Promise<Scene> {
  const redis = await startRedis({ durable: false })
  const nodes = forked('upstreams/nodes.ts')
  const [{ urls }] = (await messageOf(
    nodes,
    (one) => typeof one === 'object' && 'urls' in one,
  )) as [{ urls: string[] }]
  const [first = '', second = ''] = urls
  const flags = ['--upstream', second, '--redis', redis.url, '--log-level', 'error']
  const gateways = [
    await startGateway({ flags, upstream: first }),
    await startGateway({ flags, upstream: first }),
  ]
  const load = forked(
    'upstreams/load.ts',
    gateways.map(({ url }) => url),
  )
  nodes.on('message', (message: { head?: number } | string) => {
    if (typeof message === 'object' && message.head !== undefined && load.connected)
      load.send({ head: message.head } satisfies LoadCommand)
  })
  await once(load, 'message')

  async function state(index: number): Promise<string | undefined> {
    const response = await fetch(`${gateways[0]?.url}/health`)
    const health = (await response.json()) as { upstreams: { state: string }[] }
    return health.upstreams[index]?.state
  }

  return {
    gateways,
    state,
    async nodes(command) {
      const answer = messageOf(nodes, (one) => one === 'done')
      nodes.send(command)
      await answer
    },
    pause: (pause) => void load.send({ pause } satisfies LoadCommand),
    async report() {
      const answer = messageOf(load, (one) => typeof one === 'object' && 'asked' in one)
      load.send({ report: true } satisfies LoadCommand)
      const [report] = (await answer) as [LoadReport]
      return report
    },
    async readsState() {
      const call = {
        to: `0x${'33'.repeat(20)}`,
        data: `0x${Math.random().toString(16).slice(2, 10)}`,
      }
      const response = await fetch(gateways[0]?.url ?? '', {
        method: 'POST',
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'eth_call',
          params: [call, 'latest'],
        }),
      })
      return 'result' in ((await response.json()) as object)
    },
    async isCalm() {
      await timeUntil(
        30_000,
        async () => (await state(0)) === 'healthy' && (await state(1)) === 'healthy',
      )
    },
    async end() {
      nodes.kill()
      load.kill()
      for (const gateway of gateways) await gateway.end()
      await redis.close()
    },
  }
}

function forked(path: string, args: string[] = []): ChildProcess {
  const file = fileURLToPath(new URL(path, import.meta.url))
  return track(fork(file, args, { execArgv: ['--import', 'tsx'] }))
}

/** Waits for a matching message. Several may arrive in one tick, so messages between two calls are kept. */
function messageOf(
  child: ChildProcess,
  wanted: (message: object | string) => boolean,
): Promise<[object]> {
  return new Promise((resolve) => {
    const look = (message: object | string) => {
      if (!wanted(message)) return
      child.off('message', look)
      resolve([message as object])
    }
    child.on('message', look)
  })
}

/** Milliseconds until a condition holds, checked every 50 ms; the limit if it never does. */
async function timeUntil(limit: number, condition: () => Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (performance.now() - began < limit) {
    if (await condition().catch(() => false)) return performance.now() - began
    await sleep(50)
  }
  return limit
}

function rowOf(
  name: string,
  { asked, backward, failed, p50, p99, wrong }: LoadReport,
): (string | number)[] {
  return [
    name,
    asked,
    ((1 - failed / Math.max(1, asked)) * 100).toFixed(3),
    wrong,
    backward,
    p50.toFixed(1),
    p99.toFixed(1),
  ]
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(1)
}
