import type { Hex } from 'viem'
import { encodeDeployData, getAddress } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Activity, HOSTILE, makeActivity } from '../../../test/support/activity.ts'
import { type DevGateway, startDevGateway } from '../../../test/support/devGateway.ts'
import { pagesOf } from '../../../test/support/pages.ts'
import { artifacts } from '../../../test/support/recordedChain.ts'
import { toBase58Address } from '../../lib/address.ts'

/** First topic of a transfer. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

let dev: DevGateway
let seen: Activity
const { open, textOf } = pagesOf(() => dev.url)

beforeAll(async () => {
  dev = await startDevGateway()
  seen = await makeActivity(dev)
})

afterAll(() => dev.close())

describe('start page', () => {
  test('default: blocks and transactions, heads, rate, price and chart; no inline script', async () => {
    // The page does not wait long for the blocks of the chart.
    await expect.poll(async () => (await open('/')).text).toContain('class="bars" d="M')
    const { headers, status, text } = await open('/')
    expect(status).toBe(200)
    for (const part of ['Latest blocks', 'Latest transactions', 'Solidified'])
      expect(text).toContain(part)
    expect(text).toMatch(/Energy price<\/dt><dd>100 sun/)
    expect(text).toContain('<span class="action">batch</span>'.replace('batch', 'create contract'))
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle="|\son\w+="/)
  })

  test('args: to: older blocks', async () => {
    const text = await textOf('/?to=3')
    expect(text).toContain('Blocks')
    expect(text).not.toContain('Latest blocks')
  })

  test.each(['', 'tab=transfers&', 'tab=events&'])(
    'error: a place of a list that is none is no fault of a node: %s',
    async (tab) => {
      const { status, text } = await open(`/address/${seen.token}?${tab}before=nowhere`)
      expect(status).toBe(400)
      expect(text).toContain('This page could not be read: invalid')
    },
  )

  test('behavior: a chain that went back is read anew, with the tokens at the same addresses', async () => {
    const from = dev.accountOf(3)
    // The compiler writes the symbol TUSD as this number and a shift.
    const deploy = async (symbol = '151554d1') => {
      const code = artifacts.Token.bytecode.replace('151554d1', symbol)
      const bytecode: Hex = `0x${code.replace('0x', '')}`
      const data = encodeDeployData({ abi: artifacts.Token.abi, args: [1n], bytecode })
      const hash = (await dev.rpc('eth_sendTransaction', { from, data, gas: '0x989680' })) as string
      const receipt = await dev.rpc('eth_getTransactionReceipt', hash)
      const { contractAddress } = receipt as { contractAddress: string }
      return { hash, text: await textOf(`/address/${contractAddress}`), to: contractAddress }
    }
    const snapshot = await dev.rpc('evm_snapshot')
    const first = await deploy()
    expect((await open('/')).text).toContain(first.hash)
    await dev.rpc('evm_revert', snapshot)
    const again = await dev.rpc('evm_snapshot')
    const second = await deploy('151554d5')
    expect(second.to).toBe(first.to)
    expect(second.text).toContain('“TUST”')
    const { text } = await open('/')
    expect(text).toContain(second.hash)
    expect(text).not.toContain(first.hash)
    await dev.rpc('evm_revert', again)
  })

  test('error: to: blocks beyond the head', async () => {
    const { status, text } = await open('/?to=99999')
    expect(status).toBe(404)
    expect(text).toContain('block range extends beyond current head block: requested 99999')
  })

  test('behavior: programs that do not ask for HTML get JSON', async () => {
    const { headers, text } = await open('/', { accept: '*/*' })
    expect(headers.get('content-type')).toContain('application/json')
    expect(JSON.parse(text)).toMatchObject({ name: 'ethgate' })
  })

  test('behavior: assets are compressed, cached by browsers and below 100 KB together', async () => {
    const { text } = await open('/')
    const urls = new Set(
      [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, url]) => url ?? ''),
    )
    expect(urls.size).toBe(3)
    const sizes = await Promise.all(
      [...urls].map(async (url) => {
        const response = await fetch(dev.url + url, { headers: { 'accept-encoding': 'gzip' } })
        expect(response.headers.get('cache-control')).toContain('immutable')
        expect(response.headers.get('content-encoding')).toBe('gzip')
        return Number(
          response.headers.get('content-length') ?? (await response.arrayBuffer()).byteLength,
        )
      }),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000)
  })
})

describe('block', () => {
  test('default: its finality and its transactions', async () => {
    const text = await textOf('/block/5')
    expect(text).toContain('solidified')
    expect(text).toContain('Test Dollar')
    expect(text).toContain('250 “TUSD”')
  })

  test('error: an unknown block is 404 and says what can be searched', async () => {
    const { status, text } = await open('/block/99999')
    expect(status).toBe(404)
    expect(text).toContain('There is no block 99999 on this chain.')
    expect(text).toContain('You can search for')
  })
})

test('behavior: tokens have the path of EIP-3091, and crawlers are asked to stay away', async () => {
  const moved = await fetch(`${dev.url}/token/${seen.token}`, { redirect: 'manual' })
  expect(moved.headers.get('location')).toBe(`/address/${seen.token}`)
  expect(await (await fetch(`${dev.url}/robots.txt`)).text()).toContain('Disallow: /')
})

describe('transaction', () => {
  test.each([
    ['a token transfer', 'transfer', /0xf39F…2266 \S+ “alice” transferred 250 “TUSD” to /],
    ['a deployment', 'deployment', /“alice” deployed 0x.* “Test Dollar”/],
    ['a coin transfer', 'memo', /“alice” transferred 12.5 coins to .* Memo For the coffee /],
    ['a stake', 'stake', /“alice” staked 100 coins for energy /],
    ['votes', 'vote', /“alice” voted 60 for .*, 30 for /],
    [
      'permissions',
      'permissions',
      /changed its permissions to owner \(1 key, threshold 1\), two of three \(3 keys, threshold 2\)/,
    ],
  ] as const)('default: %s in one sentence', async (_, name, sentence) => {
    expect(await textOf(`/tx/${seen[name]}`)).toMatch(sentence)
  })

  test('behavior: the fee has its parts', async () => {
    expect(await textOf(`/tx/${seen.deployment}`)).toMatch(
      /Fee 50\.9688 coins energy burned: +50\.9688 coins +limit: +1,000 coins What energy is Energy 509,688 used of 10,000,000 Energy price 100 sun Nonce 0 Type 2, native CreateSmartContract/,
    )
  })

  test('behavior: a failed deployment created no contract', async () => {
    const text = await textOf(`/tx/${seen.failedDeployment}`)
    expect(text).toContain('but it failed')
    expect(text).not.toContain('Created contract')
  })

  test('behavior: a failed token transfer says what it tried', async () => {
    const data = `0xa9059cbb${dev.accountOf(8).slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    const call = { from: dev.accountOf(7), to: seen.token, data, gas: '0x989680' }
    const hash = await dev.rpc('eth_sendTransaction', call).then(
      () => {
        throw new Error('the transfer did not fail')
      },
      ({ data: failure }: { data: { txHash: string } }) => failure.txHash,
    )
    const text = await textOf(`/tx/${hash}`)
    expect(text).toMatch(/ tried to transfer 0\.000001 “TUSD” to .* but it failed/)
  })

  test('behavior: a token has its name and its units', async () => {
    const text = await textOf(`/tx/${seen.transfer}`)
    expect(text).toMatch(/To 0x.* “Test Dollar”/)
    expect(text.match(/250000000 +250 +“TUSD”/g)).toHaveLength(2)
  })

  test('behavior: a revert has its reason', async () => {
    expect(await textOf(`/tx/${seen.customError}`)).toMatch(/Reason .*0xf988f737/)
  })

  test('behavior: calls inside are a tree, many logs are folded', async () => {
    expect(await textOf(`/tx/${seen.calls}`)).toMatch(/Calls inside \(1\) call .* create /)
    const text = await textOf(`/tx/${seen.manyLogs}`)
    expect(text).toContain('15 more logs')
    expect(text).toContain('15 more transfers')
  })

  test('behavior: titles name the thing and its outcome', async () => {
    const titleOf = async (path: string) => /<title>(.*?) ·/.exec((await open(path)).text)?.[1]
    expect(await titleOf(`/tx/${seen.customError}`)).toMatch(/^Call failed 0x\w{4}…\w{4}$/)
    expect(await titleOf(`/tx/${seen.transfer}`)).toMatch(/^Call succeeded 0x/)
    expect(await titleOf(`/address/${seen.token}`)).toMatch(/^Token “TUSD” 0x/)
    expect(await titleOf(`/address/${dev.accountOf(3)}`)).toMatch(/^Account 0x/)
  })

  test('behavior: the code of a contract names its compiler', async () => {
    expect(await textOf(`/address/${seen.token}?tab=contract`)).toMatch(
      /bytes, compiled with solc 0\.8\.\d+,/,
    )
  })

  test('behavior: a call of the tree has its energy', async () => {
    expect(await textOf(`/tx/${seen.calls}`)).toMatch(
      /Calls inside \(1\) call .* energy create .* energy/,
    )
  })

  test('error: an unknown transaction is 404 and says what is known of it', async () => {
    const { status, text } = await open(`/tx/0x${'1'.repeat(64)}`)
    expect(status).toBe(404)
    expect(text).toContain('is in no block. Its state is unknown: ')
  })
})

describe('address', () => {
  test('default: both formats, a QR code and the transactions of the account', async () => {
    const { text } = await open(`/address/${dev.accountOf(1)}`)
    expect(text).toContain(getAddress(dev.accountOf(1)))
    expect(text).toContain(toBase58Address(dev.accountOf(1)))
    expect(text).toContain('class="qr"')
    expect(text).toContain(`/tx/${seen.memo}`)
  })

  test('args: native formats show the same account', async () => {
    const bob = dev.accountOf(1)
    for (const spelling of [toBase58Address(bob), `41${bob.slice(2)}`])
      expect((await open(`/address/${spelling}`)).text).toContain(getAddress(bob))
  })

  test('args: tab: transfers, tokens, resources and permissions', async () => {
    const bob = `/address/${dev.accountOf(1)}`
    expect(await textOf(`${bob}?tab=transfers`)).toContain('250 “TUSD”')
    expect(await textOf(`${bob}?tab=tokens`)).toMatch(/“Test Dollar” .* 250 “TUSD”/)
    const alice = `/address/${dev.accountOf(0)}`
    expect(await textOf(`${alice}?tab=tokens`)).toMatch(/“Coupon” native token \d+ 10,000 “Coupon”/)
    expect(await textOf(`${alice}?tab=account`)).toMatch(/Staked for energy 90 coins .* 60 /)
    expect(await textOf(`/address/${dev.accountOf(3)}?tab=account`)).toMatch(/two of three/)
  })

  test('args: tab: events, decoded, both ways, and those of one name or topic', async () => {
    const path = `/address/${getAddress(seen.token)}?tab=events`
    const linkIn = (text: string, rel: string) =>
      new RegExp(`rel="${rel}" href="([^"]+)"`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const first = (await open(path)).text
    const second = (await open(linkIn(first, 'next'))).text
    const logs = (await dev.rpc('eth_getLogs', {
      address: seen.token,
      fromBlock: '0x0',
    })) as unknown[]
    const count = (text: string) => text.split('<article class="panel log">').length - 1
    expect(count(first)).toBe(25)
    expect(count(first) + count(second)).toBe(logs.length)
    const articles = (text: string) => text.match(/<article[^]*?<\/article>/g)
    expect(articles((await open(linkIn(second, 'prev'))).text)).toEqual(articles(first))
    expect(await textOf(path)).toMatch(/Transfer of .* value uint256/)
    for (const event of ['Transfer', TRANSFER]) {
      const { text } = await open(`${path}&event=${event}`)
      expect(articles(text)).toEqual(articles(first))
      expect(linkIn(text, 'next')).toContain(`event=${event}`)
    }
    expect(await textOf(`${path}&event=Nothing`)).toContain('No such events')
    const hostile = (await open(`${path}&event=${encodeURIComponent(HOSTILE)}`)).text
    expect(hostile).not.toContain(HOSTILE)
  })

  test('behavior: tokens that are one of a kind, with those that the account still has', async () => {
    const [bob, carol] = [dev.accountOf(1), dev.accountOf(2)]
    const word = (text: string) => text.replace('0x', '').padStart(64, '0')
    const topics = [word('7'), word(bob), word(carol), TRANSFER.slice(2)]
    // Its constructor writes the log of a transfer; its functions are answered by the code that is set then.
    const data = `0x${topics.map((topic) => `7f${topic}`).join('')}60006000a400`
    const hash = await dev.rpc('eth_sendTransaction', { from: carol, data })
    const { contractAddress } = (await dev.rpc('eth_getTransactionReceipt', hash)) as {
      contractAddress: string
    }
    const text = async (owner: string) => {
      // symbol() is NFT, ownerOf() the owner, everything else 1.
      const code =
        `60003560e01c806395d89b4114602357636352211e14603d57600160005260206000f35b602060005260036020526` +
        `24e465460e81b60405260606000f35b73${owner.slice(2)}60005260206000f3`
      await dev.rpc('hardhat_setCode', contractAddress, `0x${code}`)
      return textOf(`/address/${bob}?tab=tokens`)
    }
    expect(await text(carol)).not.toContain('no. 7')
    expect(await text(bob)).toMatch(/“NFT” no\. 7/)
  })

  test('behavior: a token has its identity on top', async () => {
    expect(await textOf(`/address/${seen.token}`)).toMatch(
      /Token “Test Dollar \(TUSD\)” Decimals 6 Total supply 1,000,000 “TUSD”/,
    )
  })

  test('behavior: a name that is HTML is shown as text', async () => {
    const { text } = await open(`/address/${dev.accountOf(2)}?tab=account`)
    expect(text).not.toContain(HOSTILE)
    expect(text).toContain('&lt;img src=x')
  })
})

describe('search', () => {
  test.each([
    ['a block number', () => '2', () => '/block/2'],
    ['a number with separators', () => '1,000', () => '/block/1000'],
    ['latest', () => 'latest', () => /^\/block\/\d+$/],
    ['finalized', () => 'finalized', () => /^\/block\/\d+$/],
    ['a transaction', () => seen.transfer, () => `/tx/${seen.transfer}`],
    ['a native address', () => toBase58Address(seen.token), () => `/address/${seen.token}`],
    ['a token by its symbol', () => 'tusd', () => '/address/'],
  ])('default: finds %s', async (_, query, target) => {
    const { headers, status } = await open(`/search?q=${encodeURIComponent(query())}`)
    expect(status).toBe(302)
    expect(headers.get('location')).toMatch(target())
  })

  test('behavior: an unknown path answers browsers with HTML, programs with JSON', async () => {
    expect(await open('/no/such/page')).toMatchObject({ status: 404 })
    expect(await textOf('/no/such/page')).toContain('You can search for')
    expect((await open('/no/such/page', { accept: '*/*' })).text).toContain('nothing is served')
  })

  test('behavior: the search text is escaped', async () => {
    const { status, text } = await open('/search?q=%3Cscript%3Ealert(1)%3C/script%3E')
    expect(status).toBe(404)
    expect(text).not.toContain('<script>alert')
  })
})

test('state: shows calls of the last hour by method', async () => {
  const text = await textOf('/state')
  expect(text).toContain('Everything works.')
  expect(text).toContain('eth_sendTransaction')
})

test('connect: gives the address of this gateway', async () => {
  expect(await textOf('/connect')).toContain(`${dev.url}/wei`)
})
