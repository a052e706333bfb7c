import { numberToHex } from 'viem/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Activity, makeActivity } from '../../../../test/support/activity.ts'
import { type DevGateway, startDevGateway } from '../../../../test/support/devGateway.ts'
import { startGateway } from '../../../../test/support/gateway.ts'
import { CHAIN, keys, labels } from '../../../../test/support/recordedChain.ts'

type Row = Record<string, unknown> & { block_number: number }
type Body = {
  data: Row[]
  success: boolean
  error?: string
  meta: { fingerprint?: string; links?: { next: string }; page_size: number }
}

const { Kitchen, Token } = labels.contracts
const WORD = '8d800d6614d35eed73733ee453164a3b48076eb3138f466adeeb9dec7bb31f70'

let dev: DevGateway
let seen: Activity
let url: string

beforeAll(async () => {
  dev = await startDevGateway()
  seen = await makeActivity(dev)
  ;({ url } = await startGateway({}))
})
afterAll(() => dev.close())

async function ask(address: string, status = 200): Promise<Body> {
  const response = await fetch(address)
  expect([address, response.status]).toEqual([address, status])
  return (await response.json()) as Body
}

const onDev = (path: string) => ask(`${dev.url}/v1/${path}`)
const onNode = (path: string) => ask(`${url}/v1/${path}`)

/** All entries of a list, page by page. */
async function all(address: string): Promise<Row[]> {
  const { data, meta } = await ask(address)
  return meta.links ? [...data, ...(await all(meta.links.next))] : data
}

const numbers = (rows: Row[]) => rows.map(({ block_number: number }) => number)

test('default: the newest event of a contract, decoded with its ABI', async () => {
  const { data } = await onNode(`contracts/${Kitchen.address}/events?event_name=Four&limit=1`)
  expect(data).toEqual([
    {
      block_number: 219,
      block_timestamp: 1795262097000,
      caller_contract_address: 'TMqej7xCLoeikEFEdpQsz5BFGJhY7RNWog',
      contract_address: 'TMqej7xCLoeikEFEdpQsz5BFGJhY7RNWog',
      event_index: 186,
      event_name: 'Four',
      event: 'Four(uint256 indexed a, address indexed b, bytes32 indexed c, string d)',
      result: {
        0: '62',
        1: keys.bob.eth,
        2: WORD,
        3: 'hello',
        a: '62',
        b: keys.bob.eth,
        c: WORD,
        d: 'hello',
      },
      result_type: { a: 'uint256', b: 'address', c: 'bytes32', d: 'string' },
      transaction_id: 'b0e3901587ea34390701de895a9aba627fb4e6e3d4faa75d5fab33575285e762',
    },
  ])
})

test.each(['', '&order_by=block_timestamp,asc'])(
  'behavior: the fingerprint selects the next page%s',
  async (order) => {
    const path = `${url}/v1/contracts/${Token.address}/events?limit=`
    const [few, many] = [await all(`${path}43${order}`), await all(`${path}200${order}`)]
    expect(few).toEqual(many)
    const filter = { address: `0x${Token.address.slice(2)}`, fromBlock: '0x0' }
    const logs = (await rpc('eth_getLogs', filter)) as { blockNumber: string }[]
    expect(numbers(order === '' ? few.toReversed() : few)).toEqual(
      logs.map(({ blockNumber }) => Number(blockNumber)),
    )
  },
)

test('args: event name, times, block, confirmation and order', async () => {
  const path = `contracts/41${seen.token.slice(2)}/events`
  const every = numbers((await onDev(`${path}?limit=200`)).data)
  const solid = Number(
    ((await dev.rpc('eth_getBlockByNumber', 'finalized', false)) as { number: string }).number,
  )
  expect(Math.max(...every)).toBeGreaterThan(solid)
  const found = async (query: string) => numbers((await onDev(`${path}?limit=200&${query}`)).data)
  expect(await found('only_confirmed=true')).toEqual(every.filter((one) => one <= solid))
  expect(await found('onlyUnconfirmed=true')).toEqual(every.filter((one) => one > solid))
  expect(await found('event_name=Sold')).toEqual([])
  const middle = every[Math.floor(every.length / 2)] as number
  expect(await found(`block_number=${middle}`)).toEqual(every.filter((one) => one === middle))
  const { data } = await onDev(`${path}?block_number=${middle}`)
  const time = String(data[0]?.['block_timestamp'])
  expect(await found(`min_block_timestamp=${time}&max_timestamp=${time}`)).toEqual(
    every.filter((one) => one === middle),
  )
  const after = String(Number(time) + 1)
  expect(await found(`min_timestamp=${after}`)).toEqual(every.filter((one) => one > middle))
})

test('default: the events of a transaction and of a block', async () => {
  const { data } = await onDev(`transactions/${seen.manyLogs.slice(2)}/events`)
  expect(data.map(({ event_index: index }) => index)).toEqual(data.map((_, index) => index))
  expect(data.length).toBeGreaterThan(20)
  const ofBlock = await onDev(`blocks/${String(data[0]?.block_number)}/events`)
  expect(ofBlock.data).toEqual(data)
  expect((await onDev('blocks/latest/events')).success).toBe(true)
  expect((await onDev('blocks/99999/events')).data).toEqual([])
})

test('default: the transactions of an account, page by page, as the node has them', async () => {
  const path = `${dev.url}/v1/accounts/${dev.accountOf(0)}/transactions?only_from=true&limit=`
  const [few, many] = [await all(`${path}3`), await all(`${path}200`)]
  expect(few).toEqual(many)
  const oldest = await all(`${path}4&order_by=block_timestamp,asc`)
  expect(oldest).toEqual(many.toReversed())
  const stake = many.find(({ txID }) => txID === seen.stake.slice(2))
  const native = await dev.native('/wallet/gettransactionbyid', { value: seen.stake.slice(2) })
  expect(stake).toMatchObject({
    raw_data: native['raw_data'],
    ret: [{ contractRet: 'SUCCESS', fee: expect.any(Number) as number }],
    internal_transactions: [],
  })
})

test('default: the token transfers of an account, and the account with its tokens', async () => {
  const path = `accounts/${dev.accountOf(0)}`
  const { data } = await onDev(`${path}/transactions/trc20?only_from=true&limit=200`)
  const moved = data.find(({ transaction_id: id }) => id === seen.transfer.slice(2))
  expect(moved).toMatchObject({
    token_info: { symbol: 'TUSD', decimals: 6, name: 'Test Dollar' },
    type: 'Transfer',
    value: '250000000',
  })
  const account = await onDev(path)
  expect(account.data).toMatchObject([
    { address: `41${dev.accountOf(0).slice(2)}`, trc20: [expect.anything()] },
  ])
  expect((await onDev(`accounts/0x${'77'.repeat(20)}`)).data).toEqual([])
})

test.each(['asc', 'desc'])(
  'behavior: without an index the pages of a short range end with it, %s',
  async (order) => {
    const block = await rpc('eth_getBlockByNumber', numberToHex(CHAIN.head - 14), false)
    const time = Number((block as { timestamp: string }).timestamp) * 1000
    let rows = 0
    for (const { eth } of [keys.alice, keys.bob, keys.carol]) {
      const path = `${url}/v1/accounts/${eth}/transactions?order_by=block_timestamp,${order}&min_timestamp=${time}&limit=`
      const whole = await all(`${path}200`)
      rows += whole.length
      expect(await all(`${path}1`)).toEqual(whole)
    }
    expect(rows).toBeGreaterThan(3)
  },
)

test('behavior: a fingerprint from before the range of a list leads to all of it', async () => {
  const path = `${dev.url}/v1/accounts/${dev.accountOf(0)}/transactions?only_from=true`
  const whole = await all(`${path}&limit=200`)
  const { meta } = await ask(`${path}&limit=1`)
  const { block_timestamp: time } = whole[5] as Row
  const older = `${path}&limit=2&max_timestamp=${String(time)}&fingerprint=${String(meta.fingerprint)}`
  expect(await all(older)).toEqual(whole.slice(5))
})

test('error: without an index only the newest transactions of an account are known', async () => {
  const path = `${url}/v1/accounts/${keys.bob.eth}/transactions?limit=`
  expect((await ask(`${path}1`)).data).toHaveLength(1)
  const { error } = await ask(`${path}200`, 400)
  expect(error).toContain('--index DIR')
})

test('error: invalid parameters', async () => {
  for (const path of [
    'contracts/nobody/events',
    `contracts/${Token.address}/events?fingerprint=x`,
    `contracts/${Token.address}/events?limit=some`,
    `contracts/${Token.address}/events?fingerprint=0x${CHAIN.head.toString(16).padStart(16, '0')}${'ee'.repeat(24)}00000001`,
    'blocks/first/events',
    'transactions/0x12/events',
    'accounts/nobody',
  ])
    expect(await ask(`${url}/v1/${path}`, 400)).toMatchObject({ success: false, statusCode: 400 })
})

async function rpc(method: string, ...params: unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', body })
  return ((await response.json()) as { result: unknown }).result
}
