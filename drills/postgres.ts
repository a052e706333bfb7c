import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import Table from 'cli-table3'

import { lastIndexable } from '../src/logIndex/fill/segments.ts'
import { createScriptedChain, type ScriptedChain } from '../test/support/chain.ts'
import {
  createPostgresEngines,
  pgbouncerMissing,
  type PostgresEngines,
} from '../test/support/postgresEngines.ts'
import { print } from './print.ts'
import { startGateway } from './processes.ts'
import { callText } from './requests.ts'

/** Twenty segments that are filled at once, and the blocks above them that no index has. */
const BLOCKS = 20 * 1_024 + 200
const CLIENTS = 4
/** Blocks of one search. */
const SEARCHED = 500
/** Milliseconds for which the way to the primary is frozen, at least. */
const FROZEN_FOR = 5_000
/** Milliseconds from the death of the primary until the standby is promoted, as a manager of failovers needs them. */
const PROMOTED_AFTER = 3_000

const word = (value: number) => value.toString(16).padStart(64, '0')
const address = (value: number) => value.toString(16).padStart(40, '0')
const hex = (value: number) => `0x${value.toString(16)}`

/** Where searches go: with the first, those of ranges that the index covers need the node while there is no primary. */
const TARGETS = ['primary', 'prefer-standby'] as const

/** The drill with each place for searches. @returns whether all were good */
export async function postgresFailover(): Promise<boolean> {
  if (pgbouncerMissing) {
    console.log(`skipped: ${pgbouncerMissing}`)
    return true
  }
  let isGood = true
  for (const target of TARGETS) isGood = (await failOver(target)) && isGood
  return isGood
}

/**
 * Two gateways fill one index in PostgreSQL and search it, through PgBouncer in transaction mode, with searches on the primary or on a
 * synchronous standby. The way to the primary is frozen for some seconds, then it is killed and the standby promoted. Every answer is
 * compared with that of an index in LMDB.
 *
 * @returns whether no search failed or was wrong, filling went on, and both indexes have the same rows
 */
async function failOver(target: (typeof TARGETS)[number]): Promise<boolean> {
  process.stderr.write(
    `PostgreSQL, searches on ${target}: frozen, killed, the standby promoted …\n`,
  )
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-lmdb-'))
  const chain = createChain()
  const node = await chain.listen()
  const engines = createPostgresEngines()
  const filling = ['--index-from', '0', '--cache-bytes', '1000000']
  const start = (index: string, rate: number) =>
    startGateway({
      flags: ['--index', index, '--index-rate', String(rate), ...filling],
      upstream: node.url,
    })
  try {
    const lmdb = await start(directory, 10_000)
    const reference = await whenFilled(lmdb.url)
    const expected = new Map<string, string>()
    for (const search of searches()) expected.set(search, await call(lmdb.url, search))
    const { index, primary, standby, way } = await startServers(engines, target)
    const gateways = await Promise.all([start(index, 300), start(index, 300)])
    const found = { answered: 0, failed: 0, wrong: 0 }
    const longest = { before: 0, frozen: 0, after: 0 }
    const life = { phase: 'before' as keyof typeof longest, over: false }
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = client; !life.over; turn++) {
        const search = searches()[(turn * 7) % expected.size] as string
        const started = performance.now()
        const answer = await call(gateways[turn % 2]?.url ?? '', search).catch(() => undefined)
        const seconds = (performance.now() - started) / 1_000
        longest[life.phase] = Math.max(longest[life.phase], seconds)
        if (answer === undefined) found.failed++
        else if (answer === expected.get(search)) found.answered++
        else found.wrong++
      }
    })
    const blocks = async () =>
      Math.max(...(await Promise.all(gateways.map(({ url }) => status(url)))).map(blocksOf))
    await until(async () => (await blocks()) > BLOCKS / 4)
    life.phase = 'frozen'
    way.signal('SIGSTOP')
    const answered = found.answered + 2 * CLIENTS
    await sleep(FROZEN_FOR)
    await until(async () => found.failed > 0 || found.answered > answered)
    way.signal('SIGCONT')
    life.phase = 'after'
    await primary.kill()
    const killed = performance.now()
    await sleep(PROMOTED_AFTER)
    const before = await blocks()
    await standby.promote()
    await until(async () => (await blocks()) > before)
    const resumed = (performance.now() - killed) / 1_000
    const rows: number[] = []
    for (const { url } of gateways) rows.push((await whenFilled(url)).logs)
    life.over = true
    await Promise.all(clients)
    // Everything is in the index now, so these answers have each of its rows.
    for (const { url } of gateways)
      for (const [search, answer] of expected)
        if ((await call(url, search)) !== answer) found.wrong++
    const table = new Table({
      head: [
        'searches on',
        'answered',
        'failed',
        'wrong',
        'longest s before / frozen / after',
        'filling went on after s',
        'logs in PostgreSQL',
        'logs in LMDB',
      ],
    })
    table.push([
      target,
      found.answered,
      found.failed,
      found.wrong,
      [longest.before, longest.frozen, longest.after].map((time) => time.toFixed(1)).join(' / '),
      resumed.toFixed(1),
      rows.join(', '),
      reference.logs,
    ])
    print(table)
    for (const gateway of [lmdb, ...gateways]) await gateway.end('SIGTERM')
    return found.wrong + found.failed === 0 && rows.every((logs) => logs === reference.logs)
  } finally {
    await engines.close()
    await node.close()
    rmSync(directory, { recursive: true })
  }
}

function createChain(): ScriptedChain {
  const chain = createScriptedChain()
  while (chain.head().number < BLOCKS) {
    const number = chain.head().number + 1
    const logs = Array.from({ length: number % 5 }, (_, index) => ({
      address: address((number + index) % 7),
      topics: [word(number % 11), word(index)],
      data: word(number),
    }))
    chain.mine({ logs: logs.map((log) => [log]) })
  }
  chain.solidify(BLOCKS)
  return chain
}

/** A primary with a synchronous standby, each behind PgBouncer in transaction mode, and the address of the index. */
async function startServers(engines: PostgresEngines, target: string) {
  const primary = await engines.startPrimary()
  await primary.query(`alter system set synchronous_standby_names = '*'`)
  const standby = await engines.startStandby(primary)
  await primary.query('select pg_reload_conf()')
  const hosts = [await engines.startBouncer(primary), await engines.startBouncer(standby)]
  const list = hosts.map(({ host }) => host).join(',')
  return {
    index: `postgres://postgres@${list}/postgres?pgbouncer=true&target_session_attrs=${target}`,
    primary,
    standby,
    way: hosts[0] as (typeof hosts)[number],
  }
}

/** Bodies of searches that together cover every block once without a filter, and once for one contract. */
function searches(): string[] {
  const bodies: string[] = []
  for (let from = 0; from < BLOCKS; from += SEARCHED) {
    const range = { fromBlock: hex(from), toBlock: hex(Math.min(from + SEARCHED, BLOCKS) - 1) }
    bodies.push(callText('eth_getLogs', [range]))
    bodies.push(callText('eth_getLogs', [{ ...range, address: `0x${address(3)}` }]))
  }
  return bodies
}

/** The text of an answer. Throws for errors. */
async function call(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', body })
  const text = await response.text()
  if (!response.ok || !text.includes('"result"')) throw new Error(text.slice(0, 200))
  return text
}

type Status = { covered: { from: number; to: number }[]; logs: number }

async function status(url: string): Promise<Status> {
  const response = await fetch(`${url}/health`)
  const { index } = (await response.json()) as { index?: Status }
  return index ?? { covered: [], logs: 0 }
}

const blocksOf = ({ covered }: Status) =>
  covered.reduce((sum, { from, to }) => sum + to - from + 1, 0)

async function whenFilled(url: string): Promise<Status> {
  await until(async () => blocksOf(await status(url)) > lastIndexable(BLOCKS))
  return status(url)
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 300_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('waited for five minutes')
    await sleep(100)
  }
}
