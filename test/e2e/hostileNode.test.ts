import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

import { beforeAll, expect, onTestFinished, test } from 'vitest'

import { commandFile } from '../support/cli.ts'
import { post } from '../support/client.ts'
import { freePort } from '../support/freePort.ts'
import { startReplayNode } from '../support/node.ts'
import { until } from '../support/until.ts'

/** Megabytes of heap of the gateway. A single answer of 50 MB takes a fifth of it. */
const HEAP = 256

const MB = 1_000_000

/** Blocks of the recording, all asked for at the same time. */
const BLOCKS = Array.from({ length: 12 }, (_, index) => 131 + index)

const ids = (count: number) => `{"txID":"${'ab'.repeat(32)}"},`.repeat(count).slice(0, -1)

/** What the node answers to the calls that read a block or its outcomes. */
const HOSTILE: Record<string, () => string> = {
  'nested lists': () => `[{"id":${'['.repeat(400_000)}${']'.repeat(400_000)}}]`,
  'nested lists that do not end': () => `{"block_header":${'['.repeat(800_000)}`,
  'a million ids': () =>
    `{"blockID":"${'0'.repeat(64)}","block_header":{"raw_data":{"number":131}},"transactions":[${ids(MB)}]}`,
  'as many ids as its limit allows': () =>
    `{"blockID":"${'0'.repeat(64)}","block_header":{"raw_data":{"number":131}},"transactions":[${ids(200_000)}]}`,
  'a log of 50 MB': () => `[{"id":"ab","log":[{"data":"${'ab'.repeat(25 * MB)}"}]}]`,
  'numbers of 100,000 digits': () =>
    `{"block_header":{"raw_data":{"number":${'9'.repeat(100_000)},"timestamp":${'9'.repeat(100_000)}}}}`,
  'a fee with a fraction': () => '[{"id":"ab","fee":1.5}]',
  'a height as text': () => '{"block_header":{"raw_data":{"number":"x"}}}',
}

let node: Awaited<ReturnType<typeof startReplayNode>>
/** Bytes, which all calls share: each would make its own of a text. */
let hostile: Uint8Array | undefined
let gateway: ChildProcess
let url: string

async function ready() {
  const { status } = await fetch(`${url}/ready`)
  if (status !== 200) throw new Error(`HTTP ${status}`)
}

beforeAll(async () => {
  node = await startReplayNode({
    intercept: ({ path }) =>
      hostile !== undefined && /getblockby|transactioninfoby/.test(path)
        ? { text: hostile }
        : undefined,
  })
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const heap = `--max-old-space-size=${HEAP}`
  const flags = ['--upstream', node.url, '--port', String(port), '--cache-bytes', '0']
  gateway = spawn(process.execPath, [heap, commandFile(), 'serve', ...flags], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: 'ignore',
  })
  await until(ready)
  return async () => {
    if (gateway.exitCode === null) {
      gateway.kill('SIGKILL')
      await once(gateway, 'exit')
    }
    await node.close()
  }
})

test.each(Object.keys(HOSTILE))('error: %s', async (name) => {
  onTestFinished(() => void (hostile = undefined))
  hostile = Buffer.from(HOSTILE[name]?.() ?? '')
  const answers: unknown[] = []
  const asked = BLOCKS.map(async (number) => {
    answers.push(await post(url, 'eth_getBlockReceipts', [`0x${number.toString(16)}`]))
  })
  let others = 0
  while (answers.length < BLOCKS.length) {
    expect(await post(url, 'eth_chainId')).toMatchObject({ result: '0xb24e27cc' })
    others++
  }
  await Promise.all(asked)
  expect(others).toBeGreaterThan(0)
  for (const answer of answers)
    expect(answer).toMatchObject({
      error: { code: -32603, message: expect.stringMatching(/^the upstream node/) as string },
    })
  hostile = undefined
  // On a busy machine the answers took so long that the node counts as one that does not answer, until its next probe.
  await until(async () =>
    expect(await post(url, 'eth_getBlockReceipts', ['0x83'])).toHaveProperty('result'),
  )
  expect(gateway.exitCode).toBeNull()
})
