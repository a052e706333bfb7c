import { beforeAll, describe, expect, test } from 'vitest'

import { createNativeInterface } from '../../src/devchain/api/interface.ts'
import type { ChainBlock } from '../../src/devchain/blocks/block.ts'
import type { Ledger } from '../../src/devchain/ledger/ledger.ts'
import { createFrameTracer } from '../../src/devchain/trace/callTracer.ts'
import type { Frame } from '../../src/devchain/trace/frame.ts'
import { replayBlock } from '../../src/devchain/trace/replay.ts'
import { parseNative } from '../../src/native/wire/json.ts'
import { recordedGenesis, replayRecorded } from '../support/devchainRecorded.ts'
import { isLong } from '../support/long.ts'
import { heights, recordedBlock } from '../support/recordedBlock.ts'
import { type Answer, nativeRecording } from '../support/recording.ts'

/** The known differences from a real node, with reasons. `docs/devchain-native.md` has the same list in words. */
const KNOWN: { path: RegExp; request?: RegExp; reason: string }[] = [
  {
    path: /\/(listexchanges|getexchangebyid|getpaginatedexchangelist|exchange\w+|(get)?market\w+)$/,
    reason: 'exchanges and the market are not simulated: disabled',
  },
  {
    path: /\/(gettransactionreceiptbyid|totaltransaction|getcontract|createaddress|generateaddress|easytransfer\w*|getdelegatedresource\w*|get\w+shielded\w*|\w+shielded\w*|scan\w+|get\w+key\w*|getrcm|getdiversifier|isspend\w*|getmerkle\w*|addtransactionsign|gettransactionsign|transferbyprivate|getaddress\w*)$/,
    reason: 'not simulated on this prefix: disabled (HTTP 404)',
  },
  { path: /nosuch|^\/$/, reason: 'unknown paths are answered as disabled, without Jetty’s HTML' },
  {
    path: /\/(broadcast\w+|getaccountbalance|getblockbalance)$/,
    request: /^GET$/,
    reason: '405 without Jetty’s HTML',
  },
  { path: /\/getnodeinfo$/, reason: 'machine and network figures' },
  {
    path: /\/getblockbalance$/,
    reason: 'one net operation for each account; the node lists fees and amounts apart',
  },
  {
    path: /\/getaccount$/,
    request: /4150b0c2b3bcad53eb45b57c4e5df8a9890d002cc8/,
    reason: 'the burn account of genesis has a permission of nobody',
  },
  {
    path: /\/getaccount(resource|net)?$/,
    request: /4142194febc0f076d4151747569ae87374b41f4a09|TFzhvSa3iHFwzTkWmnNmrhvGSjEy9ncdJF/i,
    reason: 'the recovery window after hundreds of uses ends 7 slots of 28,800 apart',
  },
  {
    path: /./,
    request: /^raw |^"|"visible":true|^null|"(value|address)":\d/,
    reason:
      'wording of errors for bodies that cannot be read; null-pointer texts depend on the JVM’s warmth',
  },
  {
    path: /\/(triggerconstantcontract|triggersmartcontract|estimateenergy)$/,
    request: /44df8e70/,
    reason: 'endless loop: the operation at which the time ends',
  },
  {
    path: /\/(trigger\w+contract|estimateenergy)$/,
    request: /"owner_address":"(0x)?[\da-f]{40}"/i,
    reason: 'an owner of 20 bytes is taken as the account that it means',
  },
  {
    path: /\/(getsignweight|getapprovedlist)$/,
    reason: 'wording of the error for signatures of another length',
  },
  {
    path: /\/broadcast(transaction|hex)$/,
    reason:
      'a chain that knows the transaction says so before it says that it expired; wording of protobuf errors',
  },
]

/** Calls of an endless loop: each takes a second, and its answer is not compared. Only `npm run test:long` makes them. */
const ENDLESS = /"data":"44df8e70"/

/** Members that follow from the time of the request: ids, references, and what is derived from them. */
const OF_THE_MOMENT = new Set([
  'txID',
  'timestamp',
  'raw_data_hex',
  'expiration',
  'ref_block_hash',
  'ref_block_bytes',
  // Set by the proposals that were in force when an account was made.
  'operations',
])

/** Further members that follow from the id of a call that was never sent. */
const OF_THE_CALL = new Set([
  'caller_address',
  'hash',
  'contract_address',
  'transferTo_address',
  'address',
  'topics',
  'constant_result',
])

/** The frame of what runs outside the EVM. */
const NOTHING = {} as Frame

let ledger: Ledger
const ids: [number: number, made: string, recorded: string][] = []

beforeAll(async () => {
  ledger = recordedGenesis()
  await replayRecorded(ledger, (number) =>
    ids.push([number, ledger.head().id, recordedBlock(number).block.blockID]),
  )
})

describe('a recorded chain made anew', () => {
  test('behavior: the same transactions make the same blocks', () => {
    expect(ledger.block(0)?.id).toBe(recordedBlock(0).block.blockID)
    expect(ids.filter(([, made, recorded]) => made !== recorded)).toEqual([])
    expect(ids).toHaveLength(heights.length - 1)
  })

  test('behavior: they leave the same records, energy and logs to the digit', () => {
    const different = heights
      .slice(1)
      .filter(
        (number) => sorted(ledger.block(number)?.infos) !== sorted(recordedBlock(number).infos),
      )
    expect(different).toEqual([])
  })

  test('behavior: executed once more they do the same, also while they are traced', async () => {
    let traced = 0
    for (const number of heights.slice(1)) {
      const block = ledger.block(number) as ChainBlock
      const energy = block.infos.map(({ receipt }) => receipt?.energy_usage_total ?? 0)
      const frames = block.infos.map(() => createFrameTracer((frame) => frame))
      // Endless loops have millions of operations.
      const isTraced = (index: number) => (energy[index] ?? 0) < 100_000
      const observe = (index: number) => (isTraced(index) ? frames[index]?.observe : undefined)
      // A transaction that does something else than its record is an error.
      for await (const { index, info } of replayBlock(ledger, block, observe)) {
        const frame = frames[index]?.result({ plain: NOTHING })
        if (!frame || !isTraced(index) || frame === NOTHING) continue
        traced++
        expect(Number(frame.gasUsed)).toBe(energy[index])
        expect(frame.error !== undefined).toBe(info.result === 'FAILED')
      }
    }
    expect(traced).toBeGreaterThan(200)
  })

  test('behavior: every recorded request is answered alike, but for what is known', async () => {
    const recording = nativeRecording()
    const now = () => ledger.head().header.timestamp
    const options = { ledger, now, sleep: async () => undefined, submit: ledger.offer }
    const wallet = createNativeInterface(options)
    // The recorded node had been restarted, after which its solidified state is that of the head.
    const solid = createNativeInterface({ ...options, ledger: { ...ledger, solid: ledger.head } })
    const unexplained: string[] = []
    let asked = 0
    for (const [path, requests] of Object.entries(recording.requests))
      for (const [key, index] of Object.entries(requests)) {
        if (!isLong && ENDLESS.test(key)) continue
        asked++
        const expected = recording.answers.at(index) as Answer
        const from = path.startsWith('/walletsolidity') ? solid : wallet
        const got = await from.answer(toRequest(path, key))
        if (got.status === expected[0] && isAlike(path, got.text, expected[2])) continue
        if (KNOWN.some(({ path: of, request = /./ }) => of.test(path) && request.test(key)))
          continue
        unexplained.push(
          `${path} ${key.slice(0, 200)}\n  node ${normal(path, expected[2]).slice(0, 300)}\n  here ${normal(path, got.text).slice(0, 300)}`,
        )
      }
    expect(asked).toBeGreaterThan(10_000)
    expect(unexplained).toEqual([])
  }, 300_000)
})

function toRequest(path: string, key: string) {
  const get = key === 'GET' || key.startsWith('?')
  const body = key.startsWith('raw ') ? key.slice(4) : get ? '' : key
  const query = new URLSearchParams(key.startsWith('?') ? key : '')
  return { path, method: get ? 'GET' : 'POST', body, query }
}

/** Whether two answers say the same. Most are equal to the letter. */
function isAlike(path: string, got: string, expected: string): boolean {
  return got === expected || normal(path, got) === normal(path, expected)
}

/** An answer as it is compared: members sorted, what follows from the moment left out. */
function normal(path: string, text: string): string {
  const call = /trigger\w+contract$/.test(path)
  try {
    // Columns in parse errors count from the order of members, which the recording does not keep.
    const plain = text.replace(/"message": ?"([\da-f]+)"/, (_, hex: string) =>
      JSON.stringify({ message: Buffer.from(hex, 'hex').toString() }).slice(1, -1),
    )
    return sorted(parseNative(plain), call, path.endsWith('deploycontract')).replace(
      /1:\d+:/,
      '1:_:',
    )
  } catch {
    return text.trim()
  }
}

function sorted(value: unknown, call = false, deploy = false): string {
  // Only where the call creates something its answer depends on its id.
  const text = call ? JSON.stringify(value, int64) : ''
  const creates = text.includes('637265617465') || text.includes('protocol.CreateSmartContract')
  const drop = (name: string, of: object) =>
    OF_THE_MOMENT.has(name) ||
    (call && (name === 'hash' || creates) && OF_THE_CALL.has(name)) ||
    ((deploy || call) && name === 'contract_address' && 'raw_data' in of)
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'bigint') return item.toString()
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
    return Object.fromEntries(
      Object.entries(item)
        .filter(([name]) => !drop(name, item))
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
  })
}

const int64 = (_: string, item: unknown) => (typeof item === 'bigint' ? item.toString() : item)
