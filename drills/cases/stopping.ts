import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { Redis } from 'ioredis'

import type { Case, Outcome, Target } from '../case.ts'
import { callText } from '../requests.ts'

const DRAIN_MS = 3_000
const FLAGS = ['--drain', String(DRAIN_MS), '--drain-delay', '1000']

/** Sends SIGTERM and waits for the exit, which must come within the drain time and a second. */
async function stop({ exited, pid }: Target): Promise<Outcome> {
  const began = performance.now()
  process.kill(pid, 'SIGTERM')
  const limit = DRAIN_MS + 1_000
  const inTime = await Promise.race([exited.then(() => true), sleep(limit).then(() => false)])
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  return { note: `ended after ${seconds} s`, tried: 1, wrong: inTime ? 0 : 1 }
}

const ask = (url: string, method: string) => fetch(url, { method: 'POST', body: callText(method) })

/** The disk of the log is full. */
export const fullDisk: Case = {
  name: 'full-disk',
  what: 'the disk of the log is full; 200 calls, /health, SIGTERM',
  ends: true,
  flags: [...FLAGS, '--log-level', 'debug'],
  log: '/dev/full',
  async run(target) {
    let wrong = 0
    for (let call = 0; call < 200; call++)
      if (!(await (await ask(target.url, 'eth_chainId')).text()).includes('result')) wrong++
    const health = await (await fetch(`${target.url}/health`)).text()
    if (!health.includes('the log cannot be written (ENOSPC)')) wrong++
    const { note, wrong: late } = await stop(target)
    return { note: note ?? '', tried: 202, wrong: wrong + late }
  },
}

/** The node does not answer. */
export const hangingNode: Case = {
  name: 'hanging-node',
  what: 'the node does not answer, 20 calls wait for it; SIGTERM',
  ends: true,
  flags: FLAGS,
  async run(target) {
    await target.node.hang(true)
    for (let call = 0; call < 20; call++)
      void ask(target.url, 'web3_clientVersion').catch(() => undefined)
    await sleep(500)
    return stop(target)
  },
}

/** Redis does not answer. */
export const blockedRedis: Case = {
  name: 'blocked-redis',
  what: 'Redis hangs; SIGTERM',
  ends: true,
  flags: FLAGS,
  redis: true,
  async run(target) {
    const redis = new Redis(target.redisUrl ?? '')
    redis.on('error', () => {})
    void redis.call('DEBUG', 'SLEEP', '20').catch(() => undefined)
    await sleep(500)
    const outcome = await stop(target)
    redis.disconnect()
    return outcome
  },
}

/** The event loop is blocked. */
export const busyLoop: Case = {
  name: 'busy-loop',
  what: 'the event loop is blocked for 5 s from the moment of SIGTERM on',
  ends: true,
  env: {
    NODE_OPTIONS: `--import ${fileURLToPath(new URL('../busyLoop.mjs', import.meta.url))}`,
  },
  flags: FLAGS,
  run: stop,
}
