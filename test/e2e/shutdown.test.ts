import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, onTestFinished, test } from 'vitest'

import { commandFile } from '../support/cli.ts'
import { freePort } from '../support/freePort.ts'
import { startReplayNode } from '../support/node.ts'
import { until } from '../support/until.ts'

/** Runs `serve`, and says when it answers. Its log goes to a file. The drain is longer than a busy machine takes to end the process. */
async function serve({
  answers = true,
  flags = [],
  log = '/dev/null',
  intercept,
}: serve.Options = {}) {
  const node = await startReplayNode(intercept ? { intercept } : {})
  const port = await freePort()
  const output = openSync(log, 'w')
  const child = spawn(
    process.execPath,
    [commandFile(), 'serve', '--upstream', node.url, '--port', String(port)].concat(
      ['--drain', '10000', '--drain-delay', '100'],
      flags,
    ),
    { env: { PATH: process.env['PATH'] ?? '' }, stdio: ['ignore', output, output] },
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await node.close()
  })
  const url = `http://127.0.0.1:${port}`
  const health = async () =>
    (await (await fetch(`${url}/health`)).json()) as { status: string; reasons: string[] }
  if (answers) await until(health)
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  return { child, exit, health, node, url }
}

declare namespace serve {
  type Options = {
    /** Whether to wait until it answers. @default true */
    answers?: boolean
    flags?: string[]
    intercept?: startReplayNode.Options['intercept']
    log?: string
  }
}

const ask = (url: string, method: string) =>
  fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) })

test('behavior: a full log disk: continues, reports it, and stops', async () => {
  const { child, exit, health, url } = await serve({
    flags: ['--log-level', 'debug'],
    log: '/dev/full',
  })
  for (let count = 0; count < 20; count++)
    expect(await (await ask(url, 'eth_chainId')).json()).toMatchObject({ result: '0xb24e27cc' })
  const { reasons, status } = await health()
  expect(status).toBe('degraded')
  expect(reasons).toEqual([
    expect.stringMatching(/^the log cannot be written \(ENOSPC\): \d+ lines dropped$/),
  ])
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})

test('behavior: a node that does not answer, with a call in flight', async () => {
  let isHanging = false
  const { child, exit, node, url } = await serve({
    flags: ['--drain', '300'],
    async intercept() {
      if (isHanging) await new Promise(() => {})
      return undefined
    },
  })
  isHanging = true
  const asked = node.requests.total()
  const call = ask(url, 'web3_clientVersion').catch(() => 'cut')
  await until(() => expect(node.requests.total()).toBeGreaterThan(asked))
  child.kill('SIGTERM')
  const [code, signal] = await exit
  // On a busy machine the thread that guards the exit ends the process.
  expect(code === 0 || code === 1 || signal === 'SIGKILL').toBe(true)
  expect(await call).toBe('cut')
})

test('behavior: exits although Redis does not answer', async () => {
  const redis = createServer((socket) => void socket.resume().on('error', () => {}))
  redis.listen(0, '127.0.0.1')
  await once(redis, 'listening')
  onTestFinished(() => void redis.close())
  const { port } = redis.address() as AddressInfo
  const { child, exit } = await serve({ flags: ['--redis', `redis://127.0.0.1:${port}`] })
  child.kill('SIGTERM')
  const [code, signal] = await exit
  expect([signal, code === 0 || code === 1]).toEqual([null, true])
})

test('behavior: SIGHUP ends it as SIGTERM does', async () => {
  const { child, exit } = await serve()
  child.kill('SIGHUP')
  expect(await exit).toEqual([0, null])
})

// The calls of a start are answered slowly, so that each is a moment of its own.
test.each([0, 1, 2, 4, 6, 9])('behavior: SIGTERM after %i calls of the start', async (calls) => {
  const index = mkdtempSync(join(tmpdir(), 'ethgate-shutdown-'))
  onTestFinished(() => rmSync(index, { recursive: true, force: true }))
  const { child, exit, node } = await serve({
    answers: false,
    flags: ['--index', index, '--index-from', '0'],
    async intercept() {
      await sleep(40)
      return undefined
    },
  })
  await until(() => expect(node.requests.total()).toBeGreaterThan(calls))
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})
