import { stat } from 'node:fs/promises'

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'

import { createBreaker } from './breaker.ts'
import type { Known, Member } from './member.ts'
import { createProber } from './prober.ts'
import { TIMING } from './timing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const GENESIS = '00'.repeat(32)

/** A prober that runs, and the bodies of its reads. `isBehind`: whether other nodes have a newer block. */
async function setup({
  isBehind = () => false,
  probeTimeout = TIMING.probeTimeout,
  arrival = async () => {},
}: { arrival?: () => Promise<unknown>; isBehind?: () => boolean; probeTimeout?: number } = {}) {
  const reads: string[] = []
  const known: Known = {
    headReadAt: Number.NEGATIVE_INFINITY,
    solidReadAt: Number.NEGATIVE_INFINITY,
    lowest: 0,
    rising: false,
    suspected: false,
  }
  const block = (number: number) => ({ blockID: GENESIS, block_header: { raw_data: { number } } })
  const member = {
    breaker: createBreaker(),
    identity: { seen() {} },
    known,
    probe: {
      async send(path: string, body: string) {
        reads.push(`${path} ${body}`)
        await arrival()
        return { status: 200, text: JSON.stringify(block(body.includes('id_or_num') ? 0 : 7)) }
      },
    },
    upstream: { timeout: 10_000, wallet: 'http://a' },
  } as unknown as Member
  const onFound = vi.fn<() => void>()
  const prober = createProber({
    expected: () => GENESIS,
    isBehind,
    member,
    onFound,
    onlyOne: () => false,
    timing: { ...TIMING, probeTimeout },
  })
  onTestFinished(() => prober.stop())
  await prober.start()
  reads.length = 0
  onFound.mockClear()
  return { known, member, onFound, reads }
}

/** Lets ten intervals pass, with a read of the newest blocks by a call before each. */
async function readFor(known: Known): Promise<void> {
  for (let interval = 0; interval < 10; interval++) {
    known.headReadAt = known.solidReadAt = performance.now()
    await vi.advanceTimersByTimeAsync(TIMING.probe)
  }
}

const genesisReads = (reads: readonly string[]) =>
  reads.filter((read) => read === '/wallet/getblock {"id_or_num":"0"}').length

test('default: reads block 0 and the newest block at each interval, the solidified one at every fourth', async () => {
  const { reads } = await setup()
  await vi.advanceTimersByTimeAsync(8 * TIMING.probe)
  expect(genesisReads(reads)).toBe(8)
  expect(reads.filter((read) => read === '/wallet/getblock {}')).toHaveLength(8)
  expect(reads.filter((read) => read.startsWith('/walletsolidity/'))).toHaveLength(2)
})

test('behavior: no probe while calls read the newest blocks; the states are still compared', async () => {
  const { known, onFound, reads } = await setup()
  await readFor(known)
  expect(reads).toEqual([])
  expect(onFound).toHaveBeenCalledTimes(10)
  // The calls have ended.
  await vi.advanceTimersByTimeAsync(10 * TIMING.probe)
  expect(genesisReads(reads)).toBeGreaterThanOrEqual(8)
})

test('behavior: a node that is suspected, behind or of another chain is probed in spite of calls', async () => {
  const late = await setup({ isBehind: () => true })
  await readFor(late.known)
  expect(genesisReads(late.reads)).toBeGreaterThanOrEqual(10)

  const other = await setup()
  other.known.genesis = 'ff'.repeat(32)
  await vi.advanceTimersByTimeAsync(TIMING.probe)
  expect(genesisReads(other.reads)).toBe(1)

  const suspected = await setup()
  suspected.known.suspected = true
  suspected.known.headReadAt = suspected.known.solidReadAt = performance.now()
  await vi.advanceTimersByTimeAsync(TIMING.probe)
  expect(genesisReads(suspected.reads)).toBeGreaterThanOrEqual(1)
})

test('behavior: an answer that a busy process reads late came in time', async () => {
  vi.useRealTimers()
  let late: Promise<unknown> | undefined
  async function arrival() {
    await stat('.')
    if (!late) {
      late = stat('.')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
    }
    await late
  }
  const { member } = await setup({ arrival, probeTimeout: 1_000 })
  expect(member.breaker.state()).toBe('closed')
})
