import type { Address, Hash, Hex } from 'viem'
import { encodeDeployData, encodeFunctionData } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../../../test/support/devGateway.ts'
import { artifacts } from '../../../test/support/recordedChain.ts'
import { toBase58Address } from '../../lib/address.ts'

const { abi, bytecode } = artifacts.Token

let dev: DevGateway
let sender: Address
let receiver: Address
let token: Address
let transfer: Hash
let transferBlock: number

beforeAll(async () => {
  dev = await startDevGateway()
  const [first, second] = dev.chain.accounts
  sender = `0x${first?.address.slice(2)}`
  receiver = `0x${second?.address.slice(2)}`
  const data = encodeDeployData({
    abi,
    args: [1_000_000n],
    bytecode: `0x${bytecode.replace('0x', '')}`,
  })
  const created = await send({ data })
  token = created.contractAddress as Address
  const moved = await send({
    to: token,
    data: encodeFunctionData({ abi, functionName: 'transfer', args: [receiver, 250n] }),
  })
  transfer = moved.transactionHash
  transferBlock = Number(moved.blockNumber)
})

afterAll(() => dev.close())

async function send(transaction: { to?: Address; data: Hex }) {
  const hash = await dev.rpc('eth_sendTransaction', { from: sender, ...transaction })
  return (await dev.rpc('eth_getTransactionReceipt', hash)) as {
    contractAddress: Address | null
    transactionHash: Hash
    blockNumber: Hex
  }
}

async function open(path: string, headers: Record<string, string> = { accept: 'text/html' }) {
  const response = await fetch(dev.url + path, { headers })
  return { headers: response.headers, status: response.status, text: await response.text() }
}

describe('start page', () => {
  test('default: shows the newest blocks and allows no inline script', async () => {
    const { headers, status, text } = await open('/')
    expect(status).toBe(200)
    expect(text).toContain('<h1>Explorer</h1>')
    expect(text).toContain(`href="/block/${transferBlock}"`)
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle="|\son\w+="/)
  })

  test('behavior: programs that do not ask for HTML get JSON', async () => {
    const { headers, text } = await open('/', { accept: '*/*' })
    expect(headers.get('content-type')).toContain('application/json')
    expect(JSON.parse(text)).toMatchObject({ name: 'ethgate' })
  })

  test('behavior: assets are compressed, cached by browsers and below 100 KB together', async () => {
    const { text } = await open('/')
    const urls = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, url]) => url ?? '')
    expect(urls).toHaveLength(3)
    const sizes = await Promise.all(
      urls.map(async (url) => {
        const response = await fetch(dev.url + url, { headers: { 'accept-encoding': 'gzip' } })
        expect(response.headers.get('cache-control')).toContain('immutable')
        expect(response.headers.get('content-encoding')).toBe('gzip')
        return (await response.arrayBuffer()).byteLength
      }),
    )
    expect(sizes.reduce((sum, size) => sum + size, text.length)).toBeLessThan(100_000)
  })
})

describe('block', () => {
  test('default: lists transactions with readable types', async () => {
    const { status, text } = await open(`/block/${transferBlock}`)
    expect(status).toBe(200)
    expect(text).toContain('Call contract')
    expect(text).toContain(`href="/tx/${transfer}"`)
  })

  test('error: an unknown block is 404 with a message', async () => {
    const { status, text } = await open('/block/99999')
    expect(status).toBe(404)
    expect(text).toContain('There is no block 99999 on this chain.')
  })
})

describe('transaction', () => {
  test('default: decodes input and logs by the token standards', async () => {
    const { status, text } = await open(`/tx/${transfer}`)
    expect(status).toBe(200)
    expect(text).toContain('<code>transfer</code>')
    expect(text).toContain('<code>Transfer</code>')
    expect(text).toContain(receiver)
    expect(text).toContain('>250<')
    expect(text).toContain('success')
  })
})

describe('address', () => {
  test('default: shows the account in both formats with its transfers', async () => {
    const { text } = await open(`/address/${receiver}`)
    expect(text).toContain(receiver)
    expect(text).toContain(toBase58Address(receiver))
    expect(text).toContain('Token transfers in blocks')
  })

  test('args: native address formats show the same account', async () => {
    for (const spelling of [toBase58Address(receiver), `41${receiver.slice(2)}`])
      expect((await open(`/address/${spelling}`)).text).toContain(`>${receiver}<`)
  })

  test('behavior: calls a read function of a contract', async () => {
    const query = new URLSearchParams({ call: 'balanceOf(address)', arg: receiver })
    const { text } = await open(`/address/${token}?${String(query)}`)
    expect(text).toMatch(/<output[^>]*>250<\/output>/)
  })

  test('error: a wrong argument is explained', async () => {
    const query = new URLSearchParams({ call: 'balanceOf(address)', arg: '0x12' })
    const { status, text } = await open(`/address/${token}?${String(query)}`)
    expect(status).toBe(200)
    expect(text).toContain('is invalid')
  })
})

describe('search', () => {
  test.each([
    ['a block number', () => '2', () => '/block/2'],
    ['a transaction', () => transfer, () => `/tx/${transfer}`],
    ['a native address', () => toBase58Address(token), () => `/address/${token}`],
  ])('default: finds %s', async (_, query, target) => {
    const response = await fetch(`${dev.url}/search?q=${query()}`, { redirect: 'manual' })
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(target())
  })

  test('behavior: the search text is escaped', async () => {
    const { status, text } = await open('/search?q=%3Cscript%3Ealert(1)%3C/script%3E')
    expect(status).toBe(404)
    expect(text).not.toContain('<script>alert')
  })
})

test('state: shows calls of the last hour by method', async () => {
  const { text } = await open('/state')
  expect(text).toContain('Everything works.')
  expect(text).toContain('<code>eth_sendTransaction</code>')
})

test('connect: gives the address of this gateway', async () => {
  const { text } = await open('/connect')
  expect(text).toContain(`${dev.url}/wei`)
  expect(text).toContain('wallet')
})
