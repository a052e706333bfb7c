import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import Table from 'cli-table3'
import { privateKeyToAccount } from 'viem/accounts'

import { freePort } from '../test/support/freePort.ts'
import { startRedis } from '../test/support/redis.ts'
import { type MoneyChain, openChain } from './money/chain.ts'
import { ask, clients, FALLBACK, type Payment, type Told } from './money/clients.ts'
import { type Ask, startFaultyNode } from './money/nodes.ts'
import { print } from './print.ts'
import { type DrillGateway, startGateway } from './processes.ts'

/** Payments of each arrangement. */
const ROUNDS = Number(process.env['DRILL_ROUNDS'] ?? 200)

/** The first amount, in sun. Each payment has its own. */
const FIRST_AMOUNT = 1_000_000

/** Milliseconds in which a transaction expires, and a margin for the clocks. */
const LIFETIME = 75_000

/** How nodes are arranged, by name: the number of addresses, and whether an address stands for two nodes. */
const ARRANGEMENTS: Record<string, { nodes: number; isShared: boolean }> = {
  two: { nodes: 2, isShared: false },
  three: { nodes: 3, isShared: false },
  one: { nodes: 1, isShared: true },
}

/** A payment that is over. */
type Done = { client: string; amount: number; told: Told[] }

/** What was wrong in the end. */
type Finding = { wrong: 'paid twice' | 'lost' | 'false error'; done: Done; why: string }

/**
 * Clients of six kinds pay through two replicas with one Redis. Nodes accept, refuse, reset, hang and stand by chance, and one
 * replica is killed and started again twice. @returns whether each payment was paid at most once, each hash that was answered is mined
 * or reported expired, and no transaction that was reported as refused or expired is in a block
 */
export async function money(names: string[]): Promise<boolean> {
  const known = Object.keys(ARRANGEMENTS)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`no arrangement ${unknown}; there are ${known.join(', ')}`)
  const chosen = names.length === 0 ? known : names
  const chain = await openChain()
  process.stderr.write(`${chain.what}\n`)
  const table = new Table({
    head: ['nodes', 'payments', 'paid', 'paid twice', 'hash lost', 'false error', 'unconfirmed'],
  })
  let isGood = true
  try {
    for (const name of chosen) {
      process.stderr.write(`${name} …\n`)
      const { findings, paid, unconfirmed } = await run(chain, name)
      for (const { done, why, wrong } of findings)
        process.stderr.write(`  ${wrong}: ${why}: ${JSON.stringify(done)}\n`)
      const times = (wrong: Finding['wrong']) =>
        findings.filter((finding) => finding.wrong === wrong).length
      const wrongs = (['paid twice', 'lost', 'false error'] as const).map(times)
      table.push([name, ROUNDS, paid, ...wrongs, unconfirmed])
      if (findings.length > 0) isGood = false
    }
  } finally {
    print(table)
    await chain.close()
  }
  return isGood
}

async function run(chain: MoneyChain, name: string) {
  const { isShared, nodes: count } = ARRANGEMENTS[name] as (typeof ARRANGEMENTS)[string]
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-money-'))
  const keys = join(directory, 'keys')
  writeFileSync(keys, chain.keys.join('\n'), { mode: 0o600 })
  const redis = await startRedis()
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startFaultyNode(
        isShared ? anyOf(chain.asks) : (chain.asks[index % chain.asks.length] as Ask),
        isShared,
      ),
    ),
  )
  const [first = '', ...others] = nodes.map(({ url }) => url)
  const flags = [
    '--keys',
    keys,
    // Each arrangement has a Redis of its own, and the accounts have sent before.
    '--new-record',
    '--redis',
    redis.url,
    '--upstream-timeout',
    '2000',
    ...others.flatMap((url) => ['--upstream', url]),
  ]
  const log = process.env['DRILL_LOG']
  const start = (port: number) => startGateway({ flags, log, port, upstream: first })
  const ports = [await freePort(), await freePort()]
  const replicas: DrillGateway[] = []
  for (const port of ports) replicas.push(await start(port))
  const urls = replicas.map(({ url }) => url)
  const to = privateKeyToAccount(`0x${Date.now().toString(16).padStart(64, '0')}`).address
  try {
    const done: Done[] = []
    let next = 0
    const open = { fallbacks: 0 }
    // Each account pays one payment after the other, so that none waits for the nonce of another.
    const payer = async (from: MoneyChain['keys'][number]) => {
      while (next < ROUNDS) {
        const amount = FIRST_AMOUNT + next++
        const kinds = Object.entries(clients)
        const [client = '', pay] = kinds[amount % kinds.length] ?? []
        const payment: Payment = { amount, from, to, urls }
        const isFallback = client === FALLBACK
        if (isFallback) open.fallbacks++
        done.push({ client, amount, told: (await pay?.(payment)) ?? [] })
        if (isFallback) open.fallbacks--
        if (done.length % 20 === 0) process.stderr.write(`  ${done.length} of ${ROUNDS}\n`)
      }
    }
    const kill = async () => {
      for (const share of [1 / 3, 2 / 3]) {
        // viem takes a connection that closes for a reason to pay at the other replica: no gateway can prevent it.
        while (done.length < ROUNDS * share || open.fallbacks > 0) await sleep(20)
        await replicas[1]?.end('SIGKILL')
        replicas[1] = await start(ports[1] ?? 0)
      }
    }
    await Promise.all([kill(), ...chain.keys.map(payer)])
    const over = Date.now() + LIFETIME
    while ((await chain.solidTime()) < over) await sleep(1_000)
    const faults = nodes.map((node) => JSON.stringify(Object.fromEntries(node.faults)))
    process.stderr.write(`  faults: ${faults.join(' ')}\n`)
    return await judge(chain, { done, to, urls })
  } finally {
    for (const replica of replicas) await replica.end()
    for (const node of nodes) await node.close()
    await redis.close()
    rmSync(directory, { recursive: true })
  }
}

/** One address in front of all nodes: each request goes to any of them. */
const anyOf =
  (asks: readonly Ask[]): Ask =>
  (request) =>
    (asks[Math.floor(Math.random() * asks.length)] as Ask)(request)

/** Compares what each client was told with the blocks of the chain. */
async function judge(
  chain: MoneyChain,
  { done, to, urls }: { done: Done[]; to: string; urls: readonly string[] },
) {
  const transfers = (await chain.transfers()).filter(
    (transfer) => transfer.to.slice(2) === to.slice(2).toLowerCase(),
  )
  const findings: Finding[] = []
  const isMined = async (hash: string) =>
    Boolean((await ask(urls[0] ?? '', 'eth_getTransactionReceipt', hash)).result)
  for (const one of done) {
    const find = (wrong: Finding['wrong'], why: string) => findings.push({ wrong, done: one, why })
    const paid = transfers.filter(({ amount }) => amount === one.amount)
    if (paid.length > 1) find('paid twice', `in ${paid.map(({ id }) => id).join(' and ')}`)
    for (const told of one.told) {
      if (told.kind === 'unconfirmed' || !told.hash) continue
      const mined = await isMined(told.hash)
      if (told.kind !== 'hash' && mined && !one.told.some(isHashOf(told.hash)))
        find('false error', `${told.hash} is mined`)
      if (told.kind !== 'hash' || mined) continue
      const { result } = await ask(urls[0] ?? '', 'ethgate_transactionStatus', told.hash)
      const { state } = (result ?? {}) as { state?: string }
      if (state !== 'expired') find('lost', `the status is ${state}`)
    }
  }
  const isUnconfirmed = ({ told }: Done) => told.some(({ kind }) => kind === 'unconfirmed')
  return { findings, paid: transfers.length, unconfirmed: done.filter(isUnconfirmed).length }
}

/** Whether a client was told this hash. */
const isHashOf = (hash: string) => (told: Told) => told.kind === 'hash' && told.hash === hash
