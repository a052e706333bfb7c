import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { WORKER_NUMBER } from '../../src/gateway/process/workerMessages.ts'
import type { Health } from '../../src/http/health.ts'
import { sleep } from '../../src/lib/sleep.ts'
import { childrenOf } from '../support/childrenOf.ts'
import { ethgate, startCommand } from '../support/cli.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { freePort } from '../support/freePort.ts'
import { explainSkip, redisMissing, someRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(redisMissing)

/** A contract that logs an event without topics at each call. */
const EMITTER = '0x600680600b6000396000f360006000a000'

describe.skipIf(redisMissing)('workers', () => {
  let dev: DevGateway
  let redis: Awaited<ReturnType<typeof someRedis>>
  let emitter: string
  beforeAll(async () => {
    dev = await startDevGateway()
    redis = await someRedis()
    const hash = await dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), data: EMITTER })
    const receipt = await dev.rpc('eth_getTransactionReceipt', hash)
    emitter = (receipt as { contractAddress: string }).contractAddress
  })
  afterAll(async () => {
    await dev.close()
    await redis.close()
  })

  const emit = () => dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), to: emitter })

  async function start(...more: string[]) {
    const started = await begin(more)
    await started.running(0)
    return started
  }

  /** Starts the command. Its workers may not run yet. */
  async function begin(more: string[], options: Parameters<typeof startCommand>[1] = {}) {
    const port = await freePort()
    const nodes = ['--upstream', dev.url, '--upstream-solidity', dev.url]
    const shared = ['--redis', redis.url, '--redis-prefix', `test:${randomUUID()}`]
    const own = ['--workers', '2', '--port', String(port), '--drain', '5000']
    const command = startCommand(['serve', ...nodes, ...shared, ...own, ...more], options)
    onTestFinished(async () => {
      command.process.kill('SIGKILL')
      await command.ended
    })
    const url = `http://127.0.0.1:${port}`
    const health = async () => (await get(url, '/health')) as Health
    const pids = async () => (await health()).workers?.map(({ pid }) => pid) ?? []
    const running = (restarts: number) =>
      until(async () => {
        const { workers } = await health()
        expect(workers?.map(({ state }) => state)).toEqual(['running', 'running'])
        expect(workers?.reduce((sum, one) => sum + one.restarts, 0)).toBe(restarts)
      })
    return { command, health, pids, running, url, rpc: caller(url) }
  }

  /** Calls until `end`. Each call has a connection of its own, so that all workers get calls. */
  function load(rpc: ReturnType<typeof caller>) {
    const failed: unknown[] = []
    let count = 0
    const state = { isOn: true }
    const done = (async () => {
      while (state.isOn)
        await rpc('eth_chainId').then(
          () => count++,
          (error: unknown) => failed.push(error),
        )
    })()
    return {
      failed,
      count: () => count,
      async end() {
        state.isOn = false
        await done
      },
    }
  }

  test('default: both workers serve; metrics are those of both', async () => {
    const { command, rpc, url } = await start()
    for (let call = 0; call < 20; call++) await rpc('eth_chainId')
    const head = Number(await rpc('eth_blockNumber'))
    await until(async () => {
      const metrics = await text(url, '/metrics')
      expect(metrics).toContain('ethgate_rpc_call_duration_seconds_count{method="eth_chainId"} 20')
      expect(metrics).toMatch(new RegExp(`^ethgate_head_block_number ${head}$`, 'm'))
      expect(metrics).toMatch(/^ethgate_replica_role\{role="leader"\} 1$/m)
      expect(metrics).toMatch(/^ethgate_replica_role\{role="follower"\} 1$/m)
    })
    const workers = command
      .stdout()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { worker: number }).worker)
    expect(new Set(workers)).toEqual(new Set([1, 2]))
  })

  test('behavior: a killed worker is replaced; a filter delivers each log once', async () => {
    const { pids, rpc, running } = await start()
    const filter = await rpc('eth_newFilter', { address: emitter })
    const sent: unknown[] = []
    const seen: string[] = []
    const poll = async () => {
      const logs = await rpc('eth_getFilterChanges', filter).catch(() => [])
      for (const { transactionHash } of logs as { transactionHash: string }[])
        seen.push(transactionHash)
    }
    for (const place of [0, 1]) {
      for (let event = 0; event < 5; event++) {
        sent.push(await emit())
        await poll()
      }
      process.kill((await pids())[place] as number, 'SIGKILL')
      sent.push(await emit())
      await running(place + 1)
    }
    await until(async () => {
      await poll()
      expect(seen.length).toBeGreaterThanOrEqual(sent.length)
    })
    expect(seen).toEqual(sent)
  })

  test('behavior: no answer has an older head than one before, whichever worker answers', async () => {
    const { rpc } = await start()
    let newest = 0
    for (let block = 0; block < 10; block++) {
      await emit()
      for (let call = 0; call < 10; call++) {
        const [shown] = await Promise.all([rpc('eth_blockNumber'), rpc('eth_blockNumber')])
        expect(Number(shown)).toBeGreaterThanOrEqual(newest)
        newest = Number(shown)
      }
    }
    await until(async () =>
      expect(await rpc('eth_blockNumber')).toBe(await dev.rpc('eth_blockNumber')),
    )
  })

  test('behavior: a worker gets the part of --upstream-rate that others do not use', async () => {
    const { url } = await start('--upstream-rate', '40')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    let account = 0
    /** Reads ten accounts that no call has read before. */
    const read = () => {
      const calls = Array.from({ length: 10 }, (_, id) => {
        const params = [`0x${(++account).toString(16).padStart(40, '0')}`, 'latest']
        return { jsonrpc: '2.0', id, method: 'eth_getBalance', params }
      })
      return text(url, '/', JSON.stringify(calls), agent)
    }
    await until(async () => {
      const begin = performance.now()
      for (let batch = 0; batch < 3; batch++)
        expect((await read()).match(/"result":"0x0"/g)).toHaveLength(10)
      const rate = 30_000 / (performance.now() - begin)
      // An equal part is 20 a second.
      expect(rate).toBeGreaterThan(25)
      expect(rate).toBeLessThan(46)
    })
  })

  test('behavior: a worker whose event loop is blocked is replaced', async () => {
    const { health, pids, running } = await start()
    const blocked = (await pids())[1] as number
    process.kill(blocked, 'SIGSTOP')
    await running(1)
    expect((await health()).workers?.map(({ pid }) => pid)).not.toContain(blocked)
  })

  test('behavior: SIGUSR2 replaces all workers, and no call fails', async () => {
    const { command, pids, rpc, running } = await start()
    const before = await pids()
    const calls = load(rpc)
    command.process.kill('SIGUSR2')
    await until(async () => {
      const now = await pids()
      expect(now.filter((pid) => before.includes(pid))).toEqual([])
    })
    await running(0)
    await calls.end()
    expect(calls.failed).toEqual([])
    expect(calls.count()).toBeGreaterThan(0)
  })

  test('behavior: SIGUSR2 loses no request of clients that keep their connections', async () => {
    const { command, pids, running, url } = await start()
    const before = await pids()
    const failed: string[] = []
    const state = { isOn: true, count: 0 }
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    // Each client reuses its one connection, at once or after a pause, as those of Go and Java do.
    const clients = Array.from({ length: 16 }, async (_, client) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (state.isOn) {
        await text(url, '/', call, agent).then(
          () => state.count++,
          (error: NodeJS.ErrnoException) => failed.push(error.code ?? error.message),
        )
        if (client % 2 === 0) await sleep(Math.random() * 20)
      }
      agent.destroy()
    })
    command.process.kill('SIGUSR2')
    await until(async () => {
      const now = await pids()
      expect(now.filter((pid) => before.includes(pid))).toEqual([])
    })
    await running(0)
    state.isOn = false
    await Promise.all(clients)
    expect(failed).toEqual([])
    expect(state.count).toBeGreaterThan(0)
  })

  test('behavior: SIGUSR2 while workers are replaced replaces all of them again', async () => {
    const { command } = await start('--drain-delay', '0', '--drain', '100')
    for (let signals = 0; signals < 3; signals++) {
      command.process.kill('SIGUSR2')
      await sleep(50)
    }
    await until(() => expect(command.stdout().split('worker replaced')).toHaveLength(5))
  })

  test('behavior: a worker that is blocked while it is replaced is killed, and SIGUSR2 works again', async () => {
    const { command, pids } = await start('--drain-delay', '0', '--drain', '500')
    for (let round = 0; round < 2; round++) {
      const before = await pids()
      const [blocked] = before as [number]
      process.kill(blocked, 'SIGSTOP')
      command.process.kill('SIGUSR2')
      await until(async () => {
        const now = await pids()
        expect(now.filter((pid) => before.includes(pid))).toEqual([])
      })
      await until(() => expect(() => process.kill(blocked, 0)).toThrow('ESRCH'))
      await until(() =>
        expect(command.stdout().split('worker replaced')).toHaveLength(3 + round * 2),
      )
    }
  })

  test('behavior: a successor that hangs while it starts ends with the others', async () => {
    const { command, pids } = await start('--drain-delay', '0', '--drain', '100')
    const before = await pids()
    const primary = command.process.pid as number
    command.process.kill('SIGUSR2')
    const successor = await until(async () => {
      const found = childrenOf(primary).find((pid) => !before.includes(pid))
      expect(found).toBeDefined()
      // A process that stops before it runs the program would stop the primary process too, which waits for that.
      expect(await readFile(`/proc/${found}/environ`, 'utf8')).toContain(WORKER_NUMBER)
      return found as number
    })
    process.kill(successor, 'SIGSTOP')
    command.process.kill('SIGTERM')
    await command.ended
    expect(() => process.kill(successor, 0)).toThrow('ESRCH')
  })

  test('behavior: SIGHUP while workers start: they read the configuration when they can', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'ethgate.yaml')
    await writeFile(file, 'slow: 0\n')
    const { command, running } = await begin(['--config', file, '--log-format', 'pretty'])
    const primary = command.process.pid as number
    await until(() => expect(childrenOf(primary)).not.toEqual([]))
    for (let signals = 0; signals < 10; signals++) {
      command.process.kill('SIGHUP')
      await sleep(50)
    }
    await running(0)
    await until(() => expect(command.stdout()).toContain('reloaded the nodes'))
  })

  test('behavior: SIGTERM while the first worker starts: it ends when it can', async () => {
    const { command } = await begin(['--drain-delay', '0'])
    const primary = command.process.pid as number
    await until(() => expect(childrenOf(primary)).not.toEqual([]))
    command.process.kill('SIGTERM')
    expect((await command.ended).code).toBe(0)
  })

  test('behavior: a worker whose process cannot be created is started later', async () => {
    const node = join(await temporaryFolder(), 'node')
    await copyFile(process.execPath, node)
    const { command, health, pids, running } = await begin([], { node })
    await running(0)
    const [killed = 0] = await pids()
    // As while a new version of Node.js is installed.
    await rm(node)
    process.kill(killed, 'SIGKILL')
    await until(() => expect(command.stdout()).toContain('worker failed'))
    // A program that is still being written cannot be run.
    await copyFile(process.execPath, `${node}.new`)
    await rename(`${node}.new`, node)
    await until(async () => {
      const { workers = [] } = await health()
      expect(workers.map(({ state }) => state)).toEqual(['running', 'running'])
      expect(workers.map(({ pid }) => pid)).not.toContain(killed)
    })
  })

  test('behavior: SIGTERM ends all workers after their calls', async () => {
    const { command, rpc } = await start('--drain-delay', '0')
    const calls = Array.from({ length: 20 }, () =>
      rpc('eth_getBalance', dev.accountOf(0), 'latest'),
    )
    await Promise.all(calls)
    command.process.kill('SIGTERM')
    expect((await command.ended).code).toBe(0)
  })

  test('behavior: SIGHUP of a closed terminal ends all workers, without a file to read again', async () => {
    const { command } = await start('--drain-delay', '0')
    command.process.kill('SIGHUP')
    expect((await command.ended).code).toBe(0)
  })

  test('behavior: workers end when their primary process is killed', async () => {
    const { command, pids } = await start()
    const running = await pids()
    command.process.kill('SIGKILL')
    await until(() => {
      for (const pid of running) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    })
  })

  test('error: the port is in use; one message', async () => {
    const { port } = new URL(dev.url)
    const options = ['--upstream', dev.url, '--redis', redis.url, '--port', port]
    const { code, stderr } = await startCommand(['serve', ...options, '--workers', '2']).ended
    expect(code).toBe(1)
    expect(stderr.match(/already in use/g)).toHaveLength(1)
  })
})

test('error: workers without Redis', async () => {
  const { code, stderr } = await ethgate(['serve', '--upstream', 'http://a', '--workers', '2'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('--workers 2 --redis redis://127.0.0.1:6379')
})

/** A folder that is removed after the test. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ethgate-workers-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Makes JSON-RPC calls, each over a connection of its own. */
function caller(url: string) {
  return async (method: string, ...params: unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = JSON.parse(await text(url, '/', body)) as { error?: object; result?: unknown }
    if (answer.error) throw Object.assign(new Error('JSON-RPC error'), answer.error)
    return answer.result
  }
}

const get = async (url: string, path: string): Promise<unknown> => JSON.parse(await text(url, path))

/** The body of an answer. @param agent - default: a new connection */
function text(
  url: string,
  path: string,
  body?: string,
  agent = new Agent({ keepAlive: false }),
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const method = body === undefined ? 'GET' : 'POST'
    const asked = request(`${url}${path}`, { agent, headers, method }, (answer) => {
      let all = ''
      answer.setEncoding('utf8').on('data', (part: string) => (all += part))
      answer.on('end', () => resolve(all)).on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}
