import { readFileSync } from 'node:fs'

import { endAll as endGateways, startGateway } from '../drills/processes.ts'
import { childrenOf } from '../test/support/childrenOf.ts'
import { startRedis } from '../test/support/redis.ts'
import { cpuTime } from './processes.ts'

/** Something that answers requests. CPU time is in microseconds, memory in MiB. */
export type Server = {
  name: string
  url: string
  cpu(): number | undefined
  /** Resident memory of each process that answers. */
  memory(): number[]
  /** Calls to nodes so far; undefined where they are not counted. */
  nodeCalls(): Promise<number | undefined>
}

/** A gateway of one process with and without Redis, and one with two workers. They have one Redis each. */
export async function startGateways(upstream: string, flags: readonly string[]) {
  const redis = [
    await startRedis({ durable: false }),
    await startRedis({ durable: false }),
  ] as const
  const more = [...flags, '--log-level', 'error', '--upstream-rate', 'unlimited']
  const start = async (name: string, options: string[]) =>
    serverOf(name, await startGateway({ flags: [...more, ...options], upstream }))
  const servers = {
    alone: await start('1 process, no Redis', []),
    one: await start('1 worker, Redis', ['--redis', redis[0].url]),
    two: await start('2 workers, Redis', ['--redis', redis[1].url, '--workers', '2']),
  }
  return {
    ...servers,
    async end() {
      endGateways()
      for (const one of redis) await one.close()
    },
  }
}

/** @param pid - the process, or the primary process of workers */
function serverOf(name: string, { pid, url }: { pid: number; url: string }): Server {
  const all = () => [pid, ...childrenOf(pid)]
  return {
    name,
    url,
    cpu: () => all().reduce((sum, one) => sum + (cpuTime(one) ?? 0), 0),
    memory() {
      const workers = childrenOf(pid)
      return (workers.length > 0 ? workers : [pid]).map(memoryOf)
    },
    async nodeCalls() {
      const text = await (await fetch(`${url}/metrics`)).text()
      const counts = text.matchAll(/^ethgate_upstream_call_duration_seconds_count\S* (\d+)$/gm)
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
    },
  }
}

/** A process that is not a gateway. */
export function plainServer(name: string, pid: number | undefined, url: string): Server {
  return {
    name,
    url,
    cpu: () => cpuTime(pid),
    memory: () => (pid === undefined ? [] : [memoryOf(pid)]),
    nodeCalls: async () => undefined,
  }
}

function memoryOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1]) / 1_024
}
