// Sends 300 mixed requests a second to several replicas and compares each answer with the correct one, in a separate process.
import { Agent, request } from 'node:http'

import { ACCOUNT, BLOCKS, CONTRACT, createDrillChain, mineNext } from './chain.ts'
import type { LoadCommand, LoadReport } from './report.ts'

const RATE = 300
const urls = process.argv.slice(2).map((url) => new URL(url))
const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const truth = createDrillChain()
/** The canonical blocks, as of the newest head. */
let blocks = truth.canonical()
const waits: number[] = []
const counts = { asked: 0, failed: 0, wrong: 0, backward: 0 }
const samples = new Map<string, number>()
let open = 0
/** Highest block that any answer has shown so far. */
let shown = 0
/** Highest block that a node may have by now. */
let newest = truth.head().number

/** Highest block that clients may ask for: an answer has shown it, and it is known here. */
const askable = () => Math.min(shown, newest)

type Check = (result: unknown, shownBefore: number, method: string) => string | undefined

const hex = (number: number) => `0x${number.toString(16)}`

/** Heights of answers above the newest block that this process knows. The message about a block may arrive after an answer from it. */
const ahead: { method: string; number: number }[] = []

/** The error of a state that is older than an earlier answer. Those that no node has are found with the next report. */
const height: Check = (result, shownBefore, method) => {
  const number = Number(result)
  if (number < shownBefore) return `state of block ${number} after block ${shownBefore} was shown`
  if (number > newest) ahead.push({ method, number })
  return undefined
}

const kinds: (() => { method: string; params: unknown[]; check: Check; shows?: boolean })[] = [
  () => ({ method: 'eth_blockNumber', params: [], check: height, shows: true }),
  () => {
    const data = hex(Math.floor(Math.random() * 1e9) + 16)
    const call = { to: `0x${CONTRACT}`, data: data.length % 2 === 0 ? data : `${data}0` }
    return { method: 'eth_call', params: [call, 'latest'], check: height }
  },
  () => ({ method: 'eth_getBalance', params: [`0x${ACCOUNT}`, 'latest'], check: height }),
  () => {
    const number = Math.floor(Math.random() * askable())
    const expected = blocks[number]
    return {
      method: 'eth_getBlockByNumber',
      params: [hex(number), false],
      check: (result) =>
        (result as { hash?: string } | null)?.hash === expected?.hash
          ? undefined
          : `block ${number} is ${JSON.stringify(result)?.slice(0, 80)}`,
    }
  },
  () => {
    const number = 1 + Math.floor(Math.random() * (askable() - 1))
    const [first = ''] = blocks[number]?.logs ?? []
    const hash = first.split(':')[0]
    return {
      method: 'eth_getTransactionReceipt',
      params: [hash],
      check: (result) =>
        Number((result as { blockNumber?: string } | null)?.blockNumber) === number
          ? undefined
          : `the receipt of a transaction in block ${number} is ${JSON.stringify(result)?.slice(0, 80)}`,
    }
  },
  () => {
    const to = BLOCKS + Math.floor(Math.random() * Math.max(1, askable() - BLOCKS))
    const last = Math.min(to, askable())
    return {
      method: 'eth_getLogs',
      params: [{ fromBlock: hex(last - 3), toBlock: hex(last) }],
      check: (result) =>
        Array.isArray(result) && result.length === 24
          ? undefined
          : `the logs of 4 blocks are ${JSON.stringify(result)?.slice(0, 80)}`,
    }
  },
]

function count(problem: 'failed' | 'wrong', sample: string): void {
  counts[problem]++
  if (samples.size < 20 || samples.has(sample)) samples.set(sample, (samples.get(sample) ?? 0) + 1)
}

function ask(): void {
  const kind = kinds[counts.asked % kinds.length]
  const url = urls[Math.floor(counts.asked / kinds.length) % urls.length]
  if (!kind || !url) return
  counts.asked++
  open++
  const { check, method, params, shows } = kind()
  const shownBefore = shown
  const began = performance.now()
  let isOver = false
  const done = (problem: 'failed' | 'wrong' | undefined, what = '') => {
    if (isOver) return
    isOver = true
    open--
    waits.push(performance.now() - began)
    if (!problem) return
    if (method === 'eth_blockNumber' && problem === 'wrong') counts.backward++
    count(problem, `${method}: ${what}`)
  }
  const outgoing = request(url, { agent, method: 'POST' }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('end', () => {
      try {
        const { error, result } = JSON.parse(text) as {
          error?: { message: string }
          result?: unknown
        }
        if (error) return done('failed', error.message)
        const problem = check(result, shownBefore, method)
        if (shows && !problem) shown = Math.max(shown, Number(result))
        return done(problem === undefined ? undefined : 'wrong', problem)
      } catch {
        return done('failed', `HTTP ${response.statusCode}`)
      }
    })
  })
  outgoing.on('error', (error) => done('failed', error.message))
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
}

let due = performance.now()
let paused = false
setInterval(() => {
  for (; due <= performance.now(); due += 1_000 / RATE) if (shown > 0 && !paused) ask()
}, 5)

/** Reads the height of the chain from the first answer. */
async function start(): Promise<void> {
  const [url] = urls
  const response = await fetch(url ?? '', {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
  })
  shown = Number(((await response.json()) as { result: string }).result)
  process.send?.('started')
}

process.on('message', ({ head, pause, report }: LoadCommand) => {
  if (head !== undefined) {
    while (truth.head().number < head) mineNext(truth)
    blocks = truth.canonical()
    newest = Math.max(newest, head)
  }
  if (pause !== undefined) paused = pause
  if (!report) return
  // A new block may be on its way to this process.
  for (const { method, number } of ahead.splice(0))
    if (number > newest + 5)
      count('wrong', `${method}: state of block ${number}, which no node has`)
  const sorted = waits.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  const answer: LoadReport = {
    ...counts,
    max: at(1),
    open,
    p50: at(0.5),
    p99: at(0.99),
    samples: Object.fromEntries(samples),
  }
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] = 0
  waits.length = 0
  samples.clear()
  process.send?.(answer)
})
await start()
