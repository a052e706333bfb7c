import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { RpcLog } from '../../src/codec/types.ts'
import { createScriptedChain, type ScriptedChain } from '../support/chain.ts'
import { type RunningCommand, startCommand, startRpc } from '../support/cli.ts'
import { freePort } from '../support/freePort.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const TOPIC = 'aa'.repeat(32)
const log = { address: '33'.repeat(20), topics: [TOPIC], data: '' }

let chain: ScriptedChain
let node: Awaited<ReturnType<ScriptedChain['listen']>>
let gateway: TestGateway
let port = 0
const running: RunningCommand[] = []

beforeEach(async () => {
  chain = createScriptedChain()
  for (let i = 0; i < 5; i += 1) chain.mine({ logs: [[log], [log, log]] })
  node = await chain.listen()
  port = await freePort()
  await openGateway()
})
afterEach(async () => {
  for (const command of running.splice(0)) {
    command.process.kill('SIGKILL')
    await command.ended
  }
  await gateway.close()
  await node.close()
})

async function openGateway(): Promise<void> {
  gateway = await startGateway({ config: { port, upstream: node.url } })
}

function watch(...args: string[]): RunningCommand {
  const command = startCommand(['watch', ...args, '--rpc-url', `http://127.0.0.1:${port}`])
  running.push(command)
  return command
}

/** `block hash:log index` of what remains when every removal is taken off again; a repeated or unknown one is an error. */
function standing(lines: readonly string[]): string[] {
  const present = new Set<string>()
  for (const line of lines) {
    const { blockHash, logIndex, removed } = JSON.parse(line) as RpcLog
    const key = `${blockHash}:${logIndex}`
    if (present.has(key) !== removed) throw new Error(`${removed ? 'unknown' : 'repeated'} ${key}`)
    if (removed) present.delete(key)
    else present.add(key)
  }
  return [...present]
}

function canonical(from: number): string[] {
  return chain
    .canonical()
    .filter(({ number }) => number >= from)
    .flatMap(({ hash, logs }) => logs.map((_, index) => `${hash}:0x${index.toString(16)}`))
}

/** Waits until the logs that stand are exactly those of the chain, in its order. */
function expectCanonical(command: RunningCommand, from: number): Promise<void> {
  return until(() =>
    expect(standing(command.stdout().split('\n').slice(0, -1))).toEqual(canonical(from)),
  )
}

for (const way of ['socket', 'poll'] as const) {
  const flags = way === 'poll' ? ['--poll', '--interval', '50'] : []

  describe(`over ${way}`, () => {
    test('default: heads from a block on, then live, then the end', async () => {
      const command = watch('heads', '--from-block', '3', '--count', '5', '--json', ...flags)
      await command.lines(3)
      chain.mine()
      chain.mine()
      const run = await command.ended
      expect(run.code).toBe(0)
      const heads = run.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { number: string; hash: string })
      expect(heads.map(({ hash }) => hash)).toEqual(
        chain
          .canonical()
          .filter(({ number }) => number >= 3)
          .map(({ hash }) => hash),
      )
      expect(Object.keys(heads[0] ?? {})).not.toContain('transactions')
    })

    test('behavior: each log once, and again as removed when a reorg removes its block', async () => {
      const command = watch('logs', '--from-block', '2', ...flags)
      await expectCanonical(command, 2)
      chain.mine({ logs: [[log]] })
      await expectCanonical(command, 2)
      chain.reorg(3, [{ logs: [[log]] }, {}, { logs: [[log, log]] }, { logs: [[log]] }])
      await expectCanonical(command, 2)
      expect(command.stdout()).toContain('"removed":true')
    })

    test('behavior: resumes after the gateway was unreachable, also after a reorg', async () => {
      const command = watch('logs', '--from-block', '1', ...flags)
      await expectCanonical(command, 1)
      for (let round = 0; round < 2; round += 1) {
        await gateway.close()
        chain.reorg(2, [{ logs: [[log]] }, { logs: [[log, log]] }, { logs: [[log]] }])
        for (let i = 0; i < 4; i += 1) chain.mine({ logs: i % 2 ? [[log]] : [] })
        await openGateway()
        await expectCanonical(command, 1)
        chain.mine({ logs: [[log]] })
        await expectCanonical(command, 1)
      }
      expect(command.stdout()).toContain('"removed":true')
    })

    test('behavior: Ctrl-C ends it with 130', async () => {
      const command = watch('heads', '--from-block', '1', ...flags)
      await command.lines(5)
      command.process.kill('SIGINT')
      const run = await command.ended
      expect(run.code).toBe(130)
      expect(run.stderr).toBe('')
    })
  })
}

test('behavior: a WebSocket announces heads, also after it was lost', async () => {
  // No poll comes within an hour.
  const command = watch('heads', '--from-block', '1', '--interval', '3600000')
  await command.lines(5)
  chain.mine()
  await command.lines(6)
  await gateway.close()
  await openGateway()
  chain.mine()
  await command.lines(7)
  expect(command.stderr()).toContain('connection lost')
})

test('behavior: the first Ctrl-C ends it while a request hangs', async () => {
  const server = await startRpc(() => new Promise<never>(() => {}))
  const command = startCommand(['watch', 'heads', '--poll', '--rpc-url', server.url])
  running.push(command)
  await until(() => expect(server.calls).not.toEqual([]))
  command.process.kill('SIGINT')
  expect(await command.ended).toEqual({ code: 130, stdout: '', stderr: '' })
  await server.close()
})

test('args: --address and --topic narrow the logs', async () => {
  const command = watch('logs', '--from-block', '1', '--address', `0x${log.address}`, `0x${TOPIC}`)
  await expectCanonical(command, 1)
  const none = watch('logs', '--from-block', '1', 'Transfer(address,address,uint256)')
  chain.mine({ logs: [[log]] })
  await expectCanonical(command, 1)
  expect(none.stdout()).toBe('')
})
