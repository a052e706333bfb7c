import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem/utils'
import { expect, test } from 'vitest'

import type { ChainBlock } from '../../blocks/block.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { ContractRecord } from '../../state/model.ts'
import { createEventsApp } from './app.ts'

const CONTRACT = `41${'ab'.repeat(20)}`
const OTHER = `41${'cd'.repeat(20)}`
const ABI = parseAbi(['event Paid(address indexed from, uint256[] amounts, bytes3 tag, bool done)'])
const FROM = `0x${'11'.repeat(20)}` as const

const paid = {
  address: CONTRACT.slice(2),
  topics: (encodeEventTopics({ abi: ABI, args: { from: FROM } }) as string[]).map((topic) =>
    topic.slice(2),
  ),
  data: encodeAbiParameters(
    [{ type: 'uint256[]' }, { type: 'bytes3' }, { type: 'bool' }],
    [[1n, 2n ** 70n], '0x010203', true],
  ).slice(2),
}
const unnamed = {
  address: OTHER.slice(2),
  topics: ['aa'.repeat(32), 'bb'.repeat(32)],
  data: 'cc'.repeat(33),
}

/** Blocks 0 to 4, solidified up to 2. Each block from 1 on has one transaction with both logs. */
const blocks = [0, 1, 2, 3, 4].map((number) => ({
  header: { number, timestamp: number * 1000 },
  infos:
    number === 0
      ? []
      : [{ id: `${number}`.repeat(64), contract_address: OTHER, log: [unnamed, paid] }],
})) as unknown as ChainBlock[]

const entry = {
  ...ABI[0],
  type: 'Event',
  inputs: ABI[0].inputs.map(({ name, type, ...rest }) => ({ name, type, ...rest })),
}
const ledger = {
  head: () => blocks[4],
  solid: () => blocks[2],
  block: (number: number) => blocks[number],
  stored: (from: number, to: number, step = 1) =>
    step > 0 ? blocks.slice(from, to + 1) : blocks.slice(to, from + 1).toReversed(),
  placeOf: (id: string) => ({ block: Number(id[0]), index: 0 }),
  newestState: () => ({
    get: (_: string, address: string) =>
      address === CONTRACT ? ({ abi: [entry] } as unknown as ContractRecord) : undefined,
  }),
} as unknown as Ledger

async function ask(path: string) {
  const response = await createEventsApp(ledger, () => 5_000).request(`http://dev${path}`)
  const body = (await response.json()) as {
    data: Record<string, unknown>[]
    meta: { fingerprint?: string; links?: { next: string } }
  }
  return { status: response.status, ...body }
}

const numbers = ({ data }: { data: Record<string, unknown>[] }) =>
  data.map(({ block_number: number }) => number)

test('default: the events of a contract, newest first, with names from its ABI', async () => {
  const answer = await ask(`/v1/contracts/${CONTRACT}/events`)
  expect(numbers(answer)).toEqual([4, 3, 2, 1])
  expect(answer.data[0]).toEqual({
    block_number: 4,
    block_timestamp: 4000,
    caller_contract_address: 'TUjQ4teuAzMbboCGcQqhTc1Wot59fEJnBg',
    contract_address: 'TRcvCk5fLxxgRc7KopfPXb3GzUqZMjcKkn',
    event_index: 1,
    event_name: 'Paid',
    event: 'Paid(address indexed from, uint256[] amounts, bytes3 tag, bool done)',
    result: {
      0: FROM,
      1: '[1, 1180591620717411303424]',
      2: '010203',
      3: 'true',
      from: FROM,
      amounts: '[1, 1180591620717411303424]',
      tag: '010203',
      done: 'true',
    },
    result_type: { from: 'address', amounts: 'uint256[]', tag: 'bytes3', done: 'bool' },
    transaction_id: '4'.repeat(64),
    _unconfirmed: true,
  })
})

test('behavior: without an ABI the result has the raw words', async () => {
  const { data } = await ask(`/v1/contracts/${OTHER}/events?limit=1`)
  expect(data[0]).toMatchObject({
    event_name: '',
    result: { 0: 'bb'.repeat(32), 1: 'cc'.repeat(32), 2: 'cc' },
  })
})

test('args: event name, times, block, confirmation and order', async () => {
  const path = `/v1/contracts/${CONTRACT}/events`
  expect(numbers(await ask(`${path}?only_confirmed=true`))).toEqual([2, 1])
  expect(numbers(await ask(`${path}?onlyUnconfirmed=true`))).toEqual([4, 3])
  expect(numbers(await ask(`${path}?event_name=Sold`))).toEqual([])
  expect(numbers(await ask(`${path}?block_number=3`))).toEqual([3])
  expect(numbers(await ask(`${path}?order_by=block_timestamp,asc`))).toEqual([1, 2, 3, 4])
  expect(numbers(await ask(`${path}?min_block_timestamp=2000&max_timestamp=3000`))).toEqual([3, 2])
})

test.each(['', '&order_by=block_timestamp,asc'])(
  'behavior: the fingerprint selects the next page%s',
  async (order) => {
    const seen: unknown[] = []
    let next: string | undefined = `/v1/contracts/${CONTRACT}/events?limit=3${order}`
    while (next) {
      const page: Awaited<ReturnType<typeof ask>> = await ask(next)
      seen.push(...numbers(page))
      next = page.meta.links?.next.replace('http://dev', '')
    }
    expect(seen).toEqual(order ? [1, 2, 3, 4] : [4, 3, 2, 1])
  },
)

test('behavior: the events of a transaction and of a block', async () => {
  expect((await ask(`/v1/transactions/${'2'.repeat(64)}/events`)).data).toHaveLength(2)
  expect(numbers(await ask('/v1/blocks/latest/events'))).toEqual([4, 4])
  expect(numbers(await ask('/v1/blocks/1/events?only_unconfirmed=true'))).toEqual([])
})

test('error: invalid parameters', async () => {
  for (const path of [
    '/v1/contracts/nobody/events',
    `/v1/contracts/${CONTRACT}/events?fingerprint=x`,
    `/v1/contracts/${CONTRACT}/events?limit=some`,
    '/v1/blocks/first/events',
  ])
    expect(await ask(path)).toMatchObject({ status: 400, success: false })
})
