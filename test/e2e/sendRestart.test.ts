import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { commandFile } from '../support/cli.ts'
import { createClient } from '../support/client.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { explainSkip, redisMissing, someRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(redisMissing)

/** The same Ethereum transaction sent before and after a kill -9 of the gateway is one transfer. */

let dev: DevGateway
let folder: string
const processes = new Set<ChildProcess>()

beforeAll(async () => {
  dev = await startDevGateway()
  folder = await mkdtemp(join(tmpdir(), 'ethgate-restart-'))
})
afterEach(async () => {
  for (const child of processes) child.kill('SIGKILL')
  processes.clear()
})
afterAll(async () => {
  await dev.close()
  await rm(folder, { recursive: true })
})

/** A gateway in a separate process, in front of the dev chain. */
async function spawnGateway(options: string[]) {
  const keys = dev.chain.accounts.map(({ key }) => key).join(',')
  const child = spawn(
    process.execPath,
    [commandFile(), 'serve', '--port', '0', '--upstream', dev.url, ...options],
    {
      env: { ...process.env, ETHGATE_KEYS: keys },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  processes.add(child)
  let output = ''
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    void exit.then(() => reject(new Error(output)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`
      const { msg, url } = JSON.parse(line) as { msg: string; url?: string }
      if (msg === 'listening' && url) resolve(url)
    })
  })
  const client = createClient(url)
  const ended = exit.then(() => {
    throw new Error(output)
  })
  await Promise.race([ended, until(() => client.rpc('eth_blockNumber'))])
  return {
    ...client,
    async kill() {
      processes.delete(child)
      child.kill('SIGKILL')
      await exit
    },
  }
}

function sign(index: number, nonce: number) {
  return privateKeyToAccount(dev.keyOf(index)).signTransaction({
    type: 'legacy',
    chainId: dev.chain.chainId,
    gas: 21_000n,
    gasPrice: 1_000_000n,
    nonce,
    to: receiver(),
    value: 5n,
  })
}

const receiver = () => privateKeyToAccount(dev.keyOf(9)).address

const received = async () => BigInt((await dev.rpc('eth_getBalance', receiver())) as Hex)

describe('a record in a file', () => {
  test('default: send, kill -9, start, send the same bytes: same hash, one transfer', async () => {
    const options = ['--data-dir', join(folder, 'file')]
    const raw = await sign(1, 0)
    const before = await received()
    const first = await spawnGateway(options)
    expect(await first.rpc('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    await first.kill()

    const second = await spawnGateway(options)
    expect(await second.rpc('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    const other = await sign(1, 1)
    await second.rpc('eth_sendRawTransaction', other)
    await until(async () =>
      expect(await second.rpc('eth_getTransactionReceipt', keccak256(other))).not.toBeNull(),
    )
    expect(await received()).toBe(before + 10n)
    expect(
      await second.rpc(
        'eth_getTransactionCount',
        privateKeyToAccount(dev.keyOf(1)).address,
        'latest',
      ),
    ).toBe('0x2')

    await expect(spawnGateway(options)).rejects.toThrow(/another process uses/)
  })
})

describe.skipIf(redisMissing)('a record in Redis', () => {
  test('default: the same bytes are sent to another replica', async () => {
    const redis = await someRedis()
    const prefix = `restart-${randomBytes(6).toString('hex')}`
    const options = ['--redis', redis.url, '--redis-prefix', prefix]
    const raw = await sign(2, 0)
    const before = await received()
    const [a, b] = await Promise.all([spawnGateway(options), spawnGateway(options)])
    expect(await a.rpc('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    await a.kill()
    expect(await b.rpc('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    await b.kill()
    await redis.close()
    expect(await received()).toBe(before + 5n)
  })
})
