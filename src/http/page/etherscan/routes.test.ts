import { EtherscanProvider } from 'ethers'
import type { Address, Hash } from 'viem'
import { toEventSelector } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Activity, makeActivity } from '../../../../test/support/activity.ts'
import { type DevGateway, startDevGateway } from '../../../../test/support/devGateway.ts'
import { startGateway } from '../../../../test/support/gateway.ts'
import { CHAIN, keys, labels } from '../../../../test/support/recordedChain.ts'
import { signedTransfer } from '../../../../test/support/signedTransfer.ts'
import { parseAddress } from '../../../lib/address.ts'
import { TRANSFER_TOPIC } from '../reads/transfers.ts'

const TOKEN = parseAddress(labels.contracts.Token.address) as Address

type Answer = { status: string; message: string; result: unknown }
type Rows = Record<string, string>[]

let dev: DevGateway
let seen: Activity
let url: string

beforeAll(async () => {
  dev = await startDevGateway()
  seen = await makeActivity(dev)
  ;({ url } = await startGateway({}))
})
afterAll(() => dev.close())

async function ask(base: string, query: Record<string, string>, path = '/api'): Promise<Answer> {
  const response = await fetch(`${base}${path}?${new URLSearchParams(query).toString()}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

const onDev = (module: string, action: string, query: Record<string, string> = {}) =>
  ask(dev.url, { module, action, apikey: 'any', ...query })
const onNode = (module: string, action: string, query: Record<string, string> = {}) =>
  ask(url, { module, action, ...query }, '/v2/api')

describe('account', () => {
  test('default: balances are decimal texts', async () => {
    const address = keys.bob.eth
    const { message, result, status } = await onNode('account', 'balance', {
      address,
      tag: 'latest',
    })
    expect([status, message]).toEqual(['1', 'OK'])
    expect(result).toMatch(/^\d+$/)
    const two = await onNode('account', 'balancemulti', { address: `${address},${keys.dave.eth}` })
    expect(two.result).toMatchObject([{ account: address, balance: result }, {}])
  })

  test('default: the transactions of an account, both ways and page by page', async () => {
    const address = dev.accountOf(0)
    const all = (await onDev('account', 'txlist', { address })).result as Rows
    const numbers = all.map(({ blockNumber }) => Number(blockNumber))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    const transfer = all.find(({ hash }) => hash === seen.transfer)
    expect(transfer).toMatchObject({ from: address, isError: '0', txreceipt_status: '1' })
    for (const row of all)
      for (const value of Object.values(row)) expect(typeof value).toBe('string')
    const newest = await onDev('account', 'txlist', { address, sort: 'desc' })
    expect(new Set((newest.result as Rows).map(({ hash }) => hash))).toEqual(
      new Set(all.map(({ hash }) => hash)),
    )
    const second = await onDev('account', 'txlist', { address, page: '2', offset: '2' })
    expect(second.result).toEqual(all.slice(2, 4))
    const [from, to] = [numbers[1] ?? 0, numbers.at(-2) ?? 0]
    const part = { startblock: String(from), endblock: String(to) }
    for (const sort of ['asc', 'desc']) {
      const { result } = await onDev('account', 'txlist', { address, sort, ...part })
      const expected = all.filter((_, at) => (numbers[at] ?? 0) >= from && (numbers[at] ?? 0) <= to)
      expect(new Set((result as Rows).map(({ hash }) => hash))).toEqual(
        new Set(expected.map(({ hash }) => hash)),
      )
    }
  })

  test('behavior: an account without transactions', async () => {
    const address = `0x${'77'.repeat(20)}`
    expect(await onDev('account', 'txlist', { address })).toEqual({
      status: '0',
      message: 'No transactions found',
      result: [],
    })
  })

  test('default: token transfers', async () => {
    const address = dev.accountOf(0)
    const { result } = await onDev('account', 'tokentx', { address })
    expect((result as Rows).find(({ hash }) => hash === seen.transfer)).toMatchObject({
      contractAddress: seen.token,
      from: address,
      tokenName: 'Test Dollar',
      tokenSymbol: 'TUSD',
      tokenDecimal: '6',
      value: '250000000',
    })
    const none = await onDev('account', 'tokennfttx', { address })
    expect(none.message).toBe('No transactions found')
  })

  test('default: transfers of tokens that are one of a kind, and of several kinds in one contract', async () => {
    const [from, to] = [dev.accountOf(0), dev.accountOf(1)]
    const word = (value: string | number) =>
      (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0')
    /** A contract whose constructor writes one log. */
    const logging = async (topics: (string | number)[], data: number[]) => {
      const stored = data.map(
        (value, at) => `60${word(value).slice(-2)}60${word(at * 32).slice(-2)}52`,
      )
      const pushed = topics.toReversed().map((topic) => `7f${word(topic)}`)
      const code = `0x${stored.join('')}${pushed.join('')}61${word(data.length * 32).slice(-4)}6000a400`
      const hash = (await dev.rpc('eth_sendTransaction', { from, data: code })) as Hash
      return hash
    }
    const nft = await logging([TRANSFER_TOPIC, from, to, 77], [])
    const single = 'event TransferSingle(address,address,address,uint256,uint256)'
    const batch = 'event TransferBatch(address,address,address,uint256[],uint256[])'
    const topicOf = (event: string) => toEventSelector(event)
    const one = await logging([topicOf(single), from, from, to], [5, 60])
    const lists = [64, 160, 2, 5, 6, 2, 70, 80]
    const many = await logging([topicOf(batch), from, from, to], lists)
    const rowsOf = async (action: string, address: string) =>
      (await onDev('account', action, { address })).result as Rows
    for (const address of [from, to]) {
      const [row] = (await rowsOf('tokennfttx', address)).slice(-1)
      expect(row).toMatchObject({ hash: nft, from, to, tokenID: '77', tokenDecimal: '0' })
      expect(await rowsOf('token1155tx', address)).toMatchObject([
        { hash: one, from, to, tokenID: '5', tokenValue: '60' },
        { hash: many, tokenID: '5', tokenValue: '70' },
        { hash: many, tokenID: '6', tokenValue: '80' },
      ])
    }
    const all = (await rowsOf('tokentx', from)) as { blockNumber: string; hash: string }[]
    const page = { address: from, sort: 'desc', page: '2', offset: '3' }
    expect((await onDev('account', 'tokentx', page)).result).toEqual(all.toReversed().slice(3, 6))
  })

  test('default: internal transactions of a transaction', async () => {
    const { result } = await onDev('account', 'txlistinternal', { txhash: seen.calls })
    expect(result).toMatchObject([{ type: 'create', isError: '0' }])
    const [{ from, to } = { from: '', to: '' }] = result as { from: string; to: string }[]
    for (const [address, sort] of [
      [from, 'asc'],
      [to, 'desc'],
    ] as const) {
      const { result: rows } = await onDev('account', 'txlistinternal', { address, sort })
      expect(rows).toContainEqual(expect.objectContaining({ from, to, hash: seen.calls }))
    }
  })

  test('error: an address, and what needs an index of accounts', async () => {
    expect(await onNode('account', 'balance', { address: '0x12' })).toEqual({
      status: '0',
      message: 'NOTOK',
      result: 'Error! Invalid address format',
    })
    const { message, result } = await onNode('account', 'txlist', { address: keys.bob.eth })
    expect(message).toBe('NOTOK')
    expect(result).toContain('accounts of all blocks')
    const window = { address: keys.bob.eth, page: '3', offset: '5000' }
    expect((await onDev('account', 'txlist', window)).result).toContain(
      'Result window is too large',
    )
  })
})

describe('logs', () => {
  test('default: those of eth_getLogs, as this API writes them', async () => {
    const address = TOKEN
    const expected = (await rpc('eth_getLogs', { address, fromBlock: '0x0' })) as Rows
    expect(expected.length).toBeGreaterThan(5)
    const { result } = await onNode('logs', 'getLogs', {
      address,
      fromBlock: '0',
      toBlock: 'latest',
    })
    const rows = result as Rows
    expect(rows.map(({ transactionHash }) => transactionHash)).toEqual(
      expected.slice(0, 1_000).map(({ transactionHash }) => transactionHash),
    )
    expect(rows[0]).toMatchObject({ address, blockNumber: expected[0]?.['blockNumber'] })
    const [topic] = (rows[0]?.['topics'] ?? []) as unknown as Hash[]
    const other = `0x${'99'.repeat(32)}`
    const search = { address, fromBlock: '0', topic0: topic as Hash, topic1: other, offset: '3' }
    expect((await onNode('logs', 'getLogs', search)).message).toBe('No records found')
    const either = await onNode('logs', 'getLogs', { ...search, topic0_1_opr: 'or' })
    expect(either.result).toEqual(rows.filter(({ topics }) => topics?.[0] === topic).slice(0, 3))
  })
})

const rpc = async (method: string, ...params: unknown[]): Promise<unknown> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', body })
  return ((await response.json()) as { result: unknown }).result
}

describe('contract', () => {
  test('default: what the chain knows of a contract', async () => {
    const address = dev.accountOf(1)
    expect(await onDev('contract', 'getabi', { address })).toMatchObject({
      status: '0',
      result: 'Contract source code not verified',
    })
    const [creation] = (
      await onDev('contract', 'getcontractcreation', { contractaddresses: seen.token })
    ).result as Rows
    expect(creation).toMatchObject({ contractAddress: seen.token, txHash: seen.deployment })
    const source = await onDev('contract', 'getsourcecode', { address: seen.token })
    expect(source).toMatchObject({ status: '1', result: [{ Proxy: '0' }] })
  })

  const post = async (base: string, form: Record<string, string>) =>
    (await (
      await fetch(`${base}/api`, { method: 'POST', body: new URLSearchParams(form) })
    ).json()) as Answer
  const verify = { module: 'contract', action: 'verifysourcecode' }

  test('behavior: names, ABIs and sources of a build folder; such a contract counts as verified', async () => {
    const abi = [
      { type: 'function', name: 'ping', inputs: [], outputs: [], stateMutability: 'view' },
    ]
    const settings = { optimizer: { enabled: true, runs: 7 }, evmVersion: 'paris' }
    const input = { sources: { 'A.sol': { content: 'contract A {}' } }, settings }
    const own = await startGateway({
      host: {
        artifacts: {
          contractOf: () => ({ name: 'Pinged', abi: abi as never }),
          compilationOf: () => ({ compiler: '0.8.24+commit.1', file: 'A.sol', input }),
        },
      },
      config: { upstream: dev.url },
    })
    const address = seen.kitchen
    const contract = async (action: string, query: Record<string, string>) =>
      ask(own.url, { module: 'contract', action, ...query })
    const known = await contract('getabi', { address })
    expect(JSON.parse(known.result as string)).toMatchObject([{ name: 'ping' }])
    const [source] = (await contract('getsourcecode', { address })).result as Rows
    expect(source).toMatchObject({
      ContractName: 'Pinged',
      CompilerVersion: 'v0.8.24+commit.1',
      OptimizationUsed: '1',
      Runs: '7',
      EVMVersion: 'paris',
    })
    expect(JSON.parse(source?.['SourceCode']?.slice(1, -1) ?? '')).toEqual(input)
    const page = await fetch(`${own.url}/address/${address}?tab=contract`)
    expect(await page.text()).toMatch(/<summary>A\.sol<\/summary><pre[^>]*>contract A \{\}</)
    expect(await post(own.url, { ...verify, contractaddress: address })).toEqual({
      status: '0',
      message: 'NOTOK',
      result: 'Contract source code already verified',
    })
    expect(await contract('checkverifystatus', { guid: address.slice(2) })).toMatchObject({
      status: '1',
      result: 'Pass - Verified',
    })
  })

  test('behavior: tools that verify are told in the words that they read', async () => {
    const contractaddress = `0x${'77'.repeat(20)}`
    expect((await post(dev.url, { ...verify, contractaddress })).result).toBe(
      `Unable to locate ContractCode at ${contractaddress}`,
    )
    const { result: guid, status } = await post(dev.url, { ...verify, contractaddress: seen.token })
    expect(status).toBe('1')
    const checked = await onDev('contract', 'checkverifystatus', { guid: guid as string })
    expect(checked).toMatchObject({ status: '0', result: 'Fail - Unable to verify' })
  })
})

describe('blocks', () => {
  test('default: the block at a time', async () => {
    for (const number of [1, 100, CHAIN.head]) {
      const { timestamp } = (await rpc(
        'eth_getBlockByNumber',
        `0x${number.toString(16)}`,
        false,
      )) as {
        timestamp: string
      }
      for (const closest of ['before', 'after']) {
        const query = { timestamp: String(Number(timestamp)), closest }
        expect((await onNode('block', 'getblocknobytime', query)).result).toBe(String(number))
      }
      if (number === CHAIN.head) continue
      const later = String(Number(timestamp) + 1)
      const found = async (closest: string) =>
        Number((await onNode('block', 'getblocknobytime', { timestamp: later, closest })).result)
      expect([await found('before'), await found('after')]).toEqual([number, number + 1])
    }
    const late = { timestamp: '99999999999', closest: 'after' }
    expect((await onNode('block', 'getblocknobytime', late)).status).toBe('0')
  })

  test('default: the state of a transaction', async () => {
    const query = { txhash: seen.transfer }
    expect((await onDev('transaction', 'gettxreceiptstatus', query)).result).toEqual({
      status: '1',
    })
    const failed = { txhash: seen.failedDeployment }
    expect((await onDev('transaction', 'getstatus', failed)).result).toMatchObject({ isError: '1' })
    const supply = await onDev('stats', 'tokensupply', { contractaddress: seen.token })
    expect(supply.result).toMatch(/^\d+$/)
  })
})

describe('envelope', () => {
  test('error: unknown modules and members of every object', async () => {
    for (const [module, action] of [
      ['nothing', 'balance'],
      ['account', 'nothing'],
      ['account', 'constructor'],
      ['__proto__', 'toString'],
    ] as const)
      expect(await onNode(module, action)).toMatchObject({ status: '0', message: 'NOTOK' })
    expect((await onNode('proxy', 'eth_blockNumber', { chainid: '1' })).result).toContain('chain')
    const own = await onNode('proxy', 'eth_blockNumber', { chainid: String(CHAIN.chainId) })
    expect(own).toEqual({ jsonrpc: '2.0', id: 1, result: `0x${CHAIN.head.toString(16)}` })
  })

  test('error: a GET sends no transaction', async () => {
    const query = { hex: await signedTransfer(), method: 'POST' }
    expect((await onNode('proxy', 'eth_sendRawTransaction', query)).result).toContain('with POST')
  })
})

describe('ethers', () => {
  test('default: its provider for this API', async () => {
    class Provider extends EtherscanProvider {
      override getUrl(module: string, params: Record<string, string>): string {
        return `${url}/api?${new URLSearchParams({ module, ...params }).toString()}`
      }
      override getPostUrl(): string {
        return `${url}/api`
      }
      override getPostData(module: string, params: Record<string, string>) {
        return { module, ...params }
      }
    }
    const provider = new Provider('mainnet', 'key')
    expect(await provider.getBlockNumber()).toBe(CHAIN.head)
    expect((await provider.getBlock(100))?.number).toBe(100)
    expect(await provider.getBalance(keys.bob.eth)).toBe(
      BigInt((await rpc('eth_getBalance', keys.bob.eth, 'latest')) as string),
    )
    const token = TOKEN
    expect(await provider.getCode(token)).toBe(await rpc('eth_getCode', token, 'latest'))
    expect(await provider.call({ to: token, data: '0x18160ddd' })).toMatch(/^0x[0-9a-f]{64}$/)
    await expect(provider.broadcastTransaction(await signedTransfer())).rejects.toThrow(/sign/i)
    provider.destroy()
  })
})
