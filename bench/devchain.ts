// Compares the dev chain with anvil on the same machine, through viem. Rounds of transfers alternate, so that other load of
// the machine affects both. The other figures are measured in sequence.
//   start       from the start of the process to the first answer
//   transfers   1,000 token transfers in sequence, each with its receipt, signed here
//   blocks      5,000 empty blocks at once, and how long other calls take meanwhile
//   snapshot    evm_snapshot, a transfer and evm_revert, with 10,000 accounts
//   memory      what 10,000 empty blocks add to the process
//
//   npm run bench -- devchain
//   ANVIL_DIR=/tmp/anvil   a folder in which `npm install @foundry-rs/anvil` was run; without it anvil is skipped
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import Table from 'cli-table3'
import { createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

import { freePort } from '../test/support/freePort.ts'
import { artifacts } from '../test/support/recordedChain.ts'
import { track } from './processes.ts'

const TRANSFERS = 1_000
const BATCH = 50
const BLOCKS = 5_000
const ACCOUNTS = 10_000
const ROUNDS = 50
const MINUTE = 60_000

type Node = { url: string; process: ChildProcess; startMs: number }

async function start(program: string, args: readonly string[]): Promise<Node> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const began = performance.now()
  const child = track(spawn(program, [...args, '--port', String(port)], { stdio: 'ignore' }))
  while (!(await answers(url))) await new Promise((resolve) => setTimeout(resolve, 10))
  return { url, process: child, startMs: performance.now() - began }
}

const answers = (url: string) => call(url, 'eth_chainId').then(Boolean, () => false)

async function call(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { error, result } = (await response.json()) as {
    error?: { message: string }
    result: unknown
  }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

/** Deploys a token. Returns a function that sends transfers in sequence. */
async function tokenOn({ url }: Node): Promise<(count: number) => Promise<void>> {
  const account = mnemonicToAccount('test test test test test test test test test test test junk')
  const chain = defineChain({
    id: Number(await call(url, 'eth_chainId')),
    name: 'dev',
    nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const options = { chain, transport: http(url), pollingInterval: 5 }
  const wallet = createWalletClient({ ...options, account })
  const client = createPublicClient(options)
  const { abi, bytecode } = artifacts.Token
  const created = await wallet.deployContract({ abi, bytecode: bytecode as Hex, args: [10n ** 9n] })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: created })
  const to = `0x${'11'.repeat(20)}` as const
  return async (count) => {
    for (let made = 0; made < count; made++) {
      const address = contractAddress as Hex
      const hash = await wallet.writeContract({
        address,
        abi,
        functionName: 'transfer',
        args: [to, 1n],
      })
      const { status } = await client.waitForTransactionReceipt({ hash })
      if (status !== 'success') throw new Error('a transfer failed')
    }
  }
}

/** Token transfers a second on each node. */
async function transfers(nodes: readonly Node[]): Promise<number[]> {
  const tokens = await Promise.all(nodes.map(tokenOn))
  const ms = nodes.map(() => 0)
  for (let made = 0; made < TRANSFERS; made += BATCH)
    for (const [index, transfer] of tokens.entries()) {
      const began = performance.now()
      await transfer(BATCH)
      ms[index] = (ms[index] ?? 0) + performance.now() - began
    }
  return ms.map((taken) => TRANSFERS / (taken / 1000))
}

/** Milliseconds for the blocks, and the slowest other call meanwhile. */
async function blocks({ url }: Node): Promise<{ ms: number; slowest: number }> {
  const began = performance.now()
  const state = { isOver: false }
  const mining = call(url, 'hardhat_mine', [`0x${BLOCKS.toString(16)}`]).then(() => {
    state.isOver = true
    return performance.now() - began
  })
  let slowest = 0
  while (!state.isOver) {
    const asked = performance.now()
    await call(url, 'eth_chainId')
    slowest = Math.max(slowest, performance.now() - asked)
  }
  return { ms: await mining, slowest }
}

/** Milliseconds of a snapshot and of a revert to it. */
async function snapshots({ url }: Node): Promise<{ snapshot: number; revert: number }> {
  const [from] = (await call(url, 'eth_accounts')) as string[]
  for (let count = 0; count < ACCOUNTS; count += 100) {
    const addresses = Array.from({ length: 100 }, (_, index) =>
      (count + index).toString(16).padStart(40, 'a'),
    )
    await Promise.all(addresses.map((who) => call(url, 'hardhat_setBalance', [`0x${who}`, '0x1'])))
  }
  const times = { snapshot: 0, revert: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const id = await call(url, 'evm_snapshot')
    times.snapshot += performance.now() - began
    await call(url, 'eth_sendTransaction', [{ from, to: `0x${'11'.repeat(20)}`, value: '0x1' }])
    const returned = performance.now()
    await call(url, 'evm_revert', [id])
    times.revert += performance.now() - returned
  }
  return { snapshot: times.snapshot / ROUNDS, revert: times.revert / ROUNDS }
}

/** MiB that 10,000 empty blocks add; undefined when the node takes longer than a minute to make them. */
async function memory({ process: { pid }, url }: Node): Promise<number | undefined> {
  const resident = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  const mine = async () => {
    const limit = sleep(MINUTE, 'late', { ref: false })
    return (await Promise.race([call(url, 'hardhat_mine', ['0x2710']), limit])) !== 'late'
  }
  if (!(await mine())) return undefined
  const before = resident()
  for (let count = 0; count < 3; count++) if (!(await mine())) return undefined
  return (resident() - before) / 3
}

async function measure(node: Node, rate: number): Promise<string[]> {
  const { ms, slowest } = await blocks(node)
  const { revert, snapshot } = await snapshots(node)
  const mib = existsSync('/proc') ? await memory(node) : undefined
  return [
    node.startMs.toFixed(0),
    rate.toFixed(0),
    `${ms.toFixed(0)} (${slowest.toFixed(0)})`,
    `${snapshot.toFixed(1)} / ${revert.toFixed(1)}`,
    mib?.toFixed(1) ?? 'unknown',
  ]
}

const anvil = join(process.env['ANVIL_DIR'] ?? '', 'node_modules/.bin/anvil')
const hasAnvil = process.env['ANVIL_DIR'] !== undefined && existsSync(anvil)
if (!hasAnvil) console.log('anvil is skipped: ANVIL_DIR is not a folder with @foundry-rs/anvil')
const head = [
  'dev chain',
  'start ms',
  'transfers/s',
  '5,000 blocks ms (slowest other call)',
  'snapshot / revert ms',
  'MiB for 10,000 blocks',
]
const table = new Table({ head })
const args = ['dist/main.js', 'dev', '--decimals', '18', '--silent', '--log-level', 'warn']
const nodes = [await start(process.execPath, args)]
if (hasAnvil) nodes.push(await start(anvil, ['--silent']))
try {
  const rates = await transfers(nodes)
  for (const [index, node] of nodes.entries())
    table.push([index === 0 ? 'ethgate' : 'anvil', ...(await measure(node, rates[index] ?? 0))])
} finally {
  for (const node of nodes) node.process.kill()
}
console.log(table.toString())
