import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../support/chain.ts'
import { commandFile } from '../support/cli.ts'
import { post } from '../support/client.ts'
import { type ProxyTarget, startFaultProxy } from '../support/faultProxy.ts'
import { targetOf } from '../support/upstreams.ts'

/** A gateway of two nodes in a separate process, with a configuration file that the test writes. */
async function start() {
  const chain = createScriptedChain()
  for (let block = 0; block < 5; block++) chain.mine()
  const target = withRpc(targetOf(chain))
  const nodes = [await startFaultProxy(target), await startFaultProxy(target)]
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-reload-'))
  const path = join(folder, 'ethgate.yaml')
  const write = (urls: string[], more = '') =>
    writeFileSync(
      path,
      `port: 0\nupstreams:\n${urls.map((url) => `  - wallet: ${url}\n${more}`).join('')}`,
    )
  write(nodes.map(({ url }) => url))
  const args = [commandFile(), 'serve', '--config', path]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  let url = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    const entry = JSON.parse(line) as { msg: string; url?: string }
    lines.push(entry.msg)
    if (entry.msg === 'listening') url = entry.url ?? ''
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
    await Promise.all(nodes.map((node) => node.close()))
  })
  await expect.poll(() => lines).toContain('ready')
  const upstreams = async () => {
    const response = await fetch(`${url}/health`)
    return ((await response.json()) as { upstreams: { name: string }[] }).upstreams.length
  }
  return { child, lines, nodes, path, upstreams, url, write }
}

const WORD = `0x${'5a'.repeat(32)}`

/** A node with its own JSON-RPC, which knows one slot of storage. */
function withRpc(target: ProxyTarget): ProxyTarget {
  return async (request) => {
    if (request.path !== '/jsonrpc' && typeof target === 'function') return target(request)
    return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id: 1, result: WORD }) }
  }
}

test('behavior: a node is taken out with SIGHUP, and no request fails', async () => {
  const { child, lines, nodes, path, upstreams, url, write } = await start()
  const [first, second] = nodes
  expect(await upstreams()).toBe(2)

  const life = { isOver: false }
  const answers: Awaited<ReturnType<typeof post>>[] = []
  const client = async () => {
    while (!life.isOver)
      answers.push(await post(url, 'eth_getBalance', [`0x${'22'.repeat(20)}`, 'latest']))
  }
  const clients = [client(), client(), client()]
  write([second?.url ?? ''])
  child.kill('SIGHUP')
  await expect.poll(upstreams).toBe(1)
  await first?.fail({ kind: 'refused' })
  const before = answers.length
  await expect.poll(() => answers.length).toBeGreaterThan(before + 20)
  life.isOver = true
  await Promise.all(clients)
  expect(answers.filter(({ error }) => error)).toEqual([])
  expect(lines).toContain('reloaded the nodes')
  expect(lines).not.toContain('these settings need a restart')

  // A file with a mistake changes nothing.
  writeFileSync(path, 'upstreams: []\n')
  child.kill('SIGHUP')
  await expect.poll(() => lines).toContain('the configuration is invalid; nothing was changed')
  expect(await upstreams()).toBe(1)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('behavior: the JSON-RPC of a node that comes with SIGHUP is used, and no more when it is gone', async () => {
  const { child, lines, nodes, url, write } = await start()
  const urls = nodes.map((node) => node.url)
  const storage = () =>
    post(url, 'eth_getStorageAt', [`0x${'22'.repeat(20)}`, '0x0', 'latest']).then(
      ({ result }) => result,
    )
  expect(await storage()).not.toBe(WORD)
  write(urls, `    rpc: ${nodes[0]?.rpcUrl}\n`)
  child.kill('SIGHUP')
  await expect.poll(storage).toBe(WORD)
  const read = () => lines.filter((line) => line === 'reloaded the nodes').length
  await expect.poll(read).toBe(1)
  write(urls)
  child.kill('SIGHUP')
  await expect.poll(read).toBe(2)
  expect(await storage()).not.toBe(WORD)
})
