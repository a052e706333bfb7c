import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

import { describe, expect, onTestFinished, test } from 'vitest'

import { commandFile } from '../support/cli.ts'
import { startReplayNode } from '../support/node.ts'
import { until } from '../support/until.ts'

/** The command itself, in a separate process. */
function run(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [commandFile(), ...args], {
    env: { ETHGATE_DRAIN_DELAY: '0', PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out = { stderr: '', stdout: '' }
  child.stdout.on('data', (chunk: Buffer) => (out.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (out.stderr += chunk.toString()))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, exit: exitOf(child), out }
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

async function replayNode(options: startReplayNode.Options = {}) {
  const node = await startReplayNode(options)
  onTestFinished(() => node.close())
  return node
}

/** Address in the line that says where it listens. */
const addressIn = (out: { stdout: string }) =>
  until(() => {
    const url = /"url":"([^"]+)"/.exec(out.stdout)?.[1]
    if (url === undefined) throw new Error('does not listen yet')
    return url
  })

describe('serve', () => {
  test('default: answers, and exits with 0 on SIGTERM', async () => {
    const node = await replayNode()
    const { child, exit, out } = run(['serve', '--upstream', node.url, '--port', '0'])
    const url = await addressIn(out)
    const response = await fetch(url, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
    })
    expect(await response.text()).toBe('{"jsonrpc":"2.0","id":1,"result":"0xb24e27cc"}')
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    expect(out.stderr).toBe('')
  })

  test('args: from the environment, without a subcommand', async () => {
    const node = await replayNode()
    const { child, exit, out } = run([], { ETHGATE_UPSTREAM: node.url, ETHGATE_PORT: '0' })
    await addressIn(out)
    child.kill('SIGINT')
    expect(await exit).toBe(0)
  })

  test('behavior: the log distinguishes a wrong path from an unreachable node', async () => {
    const node = await replayNode({ intercept: () => ({ status: 404, text: 'Not Found' }) })
    const { child, exit, out } = run(['serve', '--upstream', node.url, '--port', '0'])
    await addressIn(out)
    await until(() => expect(out.stderr).toMatch(/does not serve \w+: .*; check the address/))
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })

  test('behavior: waits for a node that is down, and logs what to do', async () => {
    const { child, exit, out } = run(['serve', '--upstream', 'http://127.0.0.1:1', '--port', '0'])
    const url = await addressIn(out)
    await until(() =>
      expect(out.stderr).toBe(
        'ethgate: waiting for http://127.0.0.1:1 (--upstream): the upstream node is unreachable; check the address\n',
      ),
    )
    expect((await fetch(`${url}/health`)).status).toBe(503)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })

  test('error: a node without contract calls', async () => {
    const node = await replayNode({
      intercept: ({ path }) =>
        path === '/wallet/triggerconstantcontract'
          ? { text: JSON.stringify({ Error: 'this node does not support constant' }) }
          : undefined,
    })
    const { exit, out } = run(['serve', '--upstream', node.url, '--port', '0'])
    expect(await exit).toBe(1)
    expect(out.stderr).toBe(
      'ethgate: the upstream node does not execute contract calls: set vm.supportConstant = true in its configuration and restart it\n',
    )
  })

  test('error: a node whose solidified state is on another port', async () => {
    const node = await replayNode({
      intercept: ({ path }) =>
        path.startsWith('/walletsolidity/') ? { status: 405, text: '<html>' } : undefined,
    })
    const { exit, out } = run(['serve', '--upstream', node.url, '--port', '0'])
    expect(await exit).toBe(1)
    expect(out.stderr).toBe(
      `ethgate: the upstream does not serve /walletsolidity at this address: give the node’s other port with --upstream-solidity (“solidity” in the file), such as http://127.0.0.1:${Number(new URL(node.url).port) + 1}\n`,
    )
  })

  test.each([
    [['serve'], 'ethgate: the node is missing: give --upstream URL'],
    [['serve', '--port', 'x'], 'ethgate: --port: expected a whole number'],
    [['serve', '--nope'], "ethgate: unknown option '--nope'"],
    [
      ['serve', '--upstream', 'http://10.0.0.1:8090/wallet'],
      'expected the base address of the node: leave out "/wallet"',
    ],
    [
      ['serve', '--upstream', 'http://10.0.0.1:8090/jsonrpc'],
      'expected the base address of the node: leave out "/jsonrpc"',
    ],
    [['srve'], "ethgate: unknown command 'srve'"],
  ])('error: %s', async (args, message) => {
    const { exit, out } = run(args)
    expect(await exit).toBe(2)
    expect(out.stderr).toContain(message)
    expect(out.stderr.trim().split('\n')).toHaveLength(1)
  })
})
