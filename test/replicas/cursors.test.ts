import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { startCommand } from '../support/cli.ts'
import { startDevGateway } from '../support/devGateway.ts'
import { freePort } from '../support/freePort.ts'
import { explainSkip, redisServerMissing, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(redisServerMissing)

/** A contract that logs a transfer of 5 to 0x…aa at each call. */
const TOKEN =
  '0x603080600b6000396000f3600560005260aa60bb7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300'

const ROUNDS = 4
const PAYMENTS = 3

type Payment = { id: string; hash: string }

/** Starts a program again each time it is killed. */
function supervise(start: () => ChildProcess) {
  let child = start()
  onTestFinished(async () => {
    await kill(child)
  })
  return async () => {
    await kill(child)
    child = start()
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

test.skipIf(redisServerMissing)(
  'behavior: examples/payments writes each payment once while watcher, gateway and Redis are killed',
  async () => {
    const dev = await startDevGateway()
    onTestFinished(() => dev.close())
    const redis = await startRedis()
    onTestFinished(() => redis.close())
    const folder = await mkdtemp(join(tmpdir(), 'ethgate-payments-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const from = dev.accountOf(0)
    const hash = await dev.rpc('eth_sendTransaction', { from, data: TOKEN })
    const receipt = await dev.rpc('eth_getTransactionReceipt', hash)
    const { contractAddress } = receipt as { contractAddress: string }

    const port = String(await freePort())
    const options = ['--upstream', dev.url, '--upstream-solidity', dev.url, '--redis', redis.url]
    const killGateway = supervise(
      () => startCommand(['serve', ...options, '--port', port, '--log-level', 'silent']).process,
    )
    const killWatcher = supervise(() =>
      spawn(process.execPath, [join('examples', 'payments', 'watch.mjs')], {
        env: {
          FILE: join(folder, 'payments.json'),
          RPC_URL: `http://127.0.0.1:${port}`,
          TOKEN: contractAddress,
        },
        stdio: 'ignore',
      }),
    )
    const killRedis = async () => {
      await redis.stop()
      await redis.start()
    }

    const sent: unknown[] = []
    const pay = async (count: number) => {
      for (let payment = 0; payment < count; payment++)
        sent.push(await dev.rpc('eth_sendTransaction', { from, to: contractAddress }))
    }
    const written = async () => {
      const text = await readFile(join(folder, 'payments.json'), 'utf8')
      const { payments } = JSON.parse(text) as { payments: Payment[] }
      return payments.map((payment) => payment.hash)
    }
    const allWritten = () => until(async () => expect(await written()).toHaveLength(sent.length))
    for (let round = 0; round < ROUNDS; round++)
      for (const kill of [killWatcher, killGateway, killRedis]) {
        await pay(PAYMENTS)
        // Every second round kills the programs in the middle of their work.
        if (round % 2 === 0) await allWritten()
        await kill()
      }
    await pay(PAYMENTS)
    await allWritten()
    expect(await written()).toEqual(sent)
  },
)
