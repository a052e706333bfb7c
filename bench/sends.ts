// Transfers that a gateway signs and sends (eth_sendTransaction), from one account and from fifty, recorded in a file or in Redis: transfers a second
// and CPU time. Each build has a development chain of its own, in this process. Short rounds of the builds alternate, every second time
// in reverse order, and a comparison is the median of the ratios of rounds beside each other.
//
//   npm run bench -- sends
//   BENCH_OTHER=/path/to/dist/main.js   another build, compared with this one
//   BENCH_SECONDS=1 BENCH_ROUNDS=9
//   BENCH_REDIS=redis://127.0.0.1:6379  the record is in Redis
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Table from 'cli-table3'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

import { createDevChain } from '../src/devchain/index.ts'
import { proxyTarget, startFaultProxy } from '../test/support/faultProxy.ts'
import { median } from './median.ts'
import { startGateway, startLoad } from './processes.ts'

const ACCOUNTS = 50

/** Requests at the same time. */
const CONNECTIONS = 16

/** A gateway, and how many transfers it has recorded. */
type Side = { bodies: string[]; pid: number | undefined; sent: () => Promise<number>; url: string }

type Figure = { cpu: number; failed: number; perSecond: number }

/** Runs the rounds and prints their table. @param other - the program of another build */
export async function benchSends({ other, rounds, seconds }: benchSends.Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-sends-'))
  // The folder of the record would also get a store of blocks, which is no part of a send.
  process.env['ETHGATE_STORE'] = 'off'
  const sides = [await startSide(join(folder, 'this'))]
  if (other !== undefined) sides.push(await startSide(join(folder, 'other'), other))
  const generator = startLoad()
  const table = new Table({
    head: [
      'sends',
      'transfers/s',
      'CPU µs',
      'failed',
      ...(other === undefined
        ? []
        : ['other build’s transfers/s', 'CPU µs', 'other to this', 'by CPU']),
    ],
  })
  for (const [name, count] of [
    ['one account', 1],
    [`${ACCOUNTS} accounts`, ACCOUNTS],
  ] as const) {
    const figures: Figure[][] = sides.map(() => [])
    for (let round = 0; round <= rounds; round++)
      for (const index of round % 2 ? [...sides.keys()].toReversed() : sides.keys()) {
        const { bodies, pid, sent, url } = sides[index] as Side
        const before = await sent()
        const load = { bodies: bodies.slice(0, count), connections: CONNECTIONS, pid, seconds, url }
        const { cpu = 0, perSecond, requests } = await generator.run(load)
        const transfers = (await sent()) - before
        const share = transfers / requests
        // Some are answered after the end of the round.
        const failed = Math.max(0, requests - transfers)
        // The first round warms up.
        if (round > 0)
          figures[index]?.push({ cpu: cpu / share, failed, perSecond: perSecond * share })
      }
    const [own = [], others = []] = figures
    const of = (results: Figure[], key: 'cpu' | 'perSecond') =>
      Math.round(median(results.map((result) => result[key])))
    const ratio = (key: 'cpu' | 'perSecond') =>
      median(own.map((figure, round) => (others[round]?.[key] ?? 0) / figure[key])).toFixed(2)
    table.push([
      name,
      of(own, 'perSecond'),
      of(own, 'cpu'),
      figures.flat().reduce((sum, { failed }) => sum + failed, 0),
      ...(other === undefined
        ? []
        : [of(others, 'perSecond'), of(others, 'cpu'), ratio('perSecond'), ratio('cpu')]),
    ])
  }
  console.log(table.toString())
  rmSync(folder, { recursive: true })
}

export declare namespace benchSends {
  type Options = { other: string | undefined; rounds: number; seconds: number }
}

/** A gateway with the keys of all accounts of a chain. */
async function startSide(folder: string, main?: string): Promise<Side> {
  const chain = await createDevChain({
    accounts: { count: ACCOUNTS },
    mining: { blockTime: 1_000 },
    rules: { profile: 'native' },
  })
  chain.automine = false
  await chain.start()
  const node = await startFaultProxy(proxyTarget(chain))
  const keys = `${folder}.keys`
  writeFileSync(keys, chain.accounts.map(({ key }) => key).join('\n'), { mode: 0o600 })
  const redis = process.env['BENCH_REDIS']
  const record = redis
    ? ['--redis', redis, '--redis-prefix', `bench-${randomUUID()}`]
    : ['--data-dir', folder]
  const flags = ['--upstream', node.url, '--keys', keys, ...record]
  const { pid, url } = await startGateway(flags, main)
  const accounts = chain.accounts.map(({ key }) => privateKeyToAccount(`0x${key}`).address)
  const bodies = accounts.map((from, index) => {
    const to = accounts[(index + 1) % accounts.length]
    const params = [{ from, to, value: '0x1' }]
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params })
  })
  const client = createPublicClient({ transport: http(url, { batch: true }) })
  async function sent(): Promise<number> {
    const counts = accounts.map((address) =>
      client.getTransactionCount({ address, blockTag: 'pending' }),
    )
    return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0)
  }
  return { bodies, pid, sent, url }
}
