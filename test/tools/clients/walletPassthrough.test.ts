import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../../support/devGateway.ts'
import { type FaultProxy, proxyTarget, startFaultProxy } from '../../support/faultProxy.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { deployToken } from './nativeToken.ts'

let dev: DevGateway
let nodes: FaultProxy[]
let gateway: TestGateway
let url: string
let native: TronWeb
let owner: string
let other: string

// The native library, unchanged, with the gateway's address in place of a node's; two nodes behind it.
beforeAll(async () => {
  dev = await startDevGateway()
  const target = proxyTarget(dev.chain)
  nodes = [await startFaultProxy(target), await startFaultProxy(target)]
  gateway = await startGateway({
    config: { upstream: nodes.map((node) => node.url).join(' '), walletPassthrough: true },
  })
  ;({ url } = gateway)
  native = new TronWeb({ fullHost: url, privateKey: dev.chain.accounts[0]?.key ?? '' })
  owner = native.defaultAddress.base58 as string
  other = native.address.fromHex(dev.chain.accounts[1]?.address ?? '')
})

afterAll(async () => {
  await gateway.close()
  await Promise.all(nodes.map((node) => node.close()))
  await dev.close()
})

const ask = async (path: string, init: RequestInit = { method: 'POST', body: '{}' }) => {
  const response = await fetch(`${url}${path}`, init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const only = ({ path }: { path: string }) => path.endsWith('createtransaction')

/** A POST whose body is sent in chunks, without its length. */
const chunked = (body: string): RequestInit => ({
  method: 'POST',
  body: new Blob([body]).stream(),
  duplex: 'half',
})

describe('tronweb through --wallet-passthrough', () => {
  test('default: sends coins and reads them back', async () => {
    expect(await native.isConnected()).toMatchObject({ fullNode: true, solidityNode: true })
    const before = await native.trx.getUnconfirmedBalance(other)
    const { result, txid } = await native.trx.sendTransaction(other, 1_234_567)
    expect(result).toBe(true)
    expect(await native.trx.getUnconfirmedBalance(other)).toBe(before + 1_234_567)
    expect(await native.trx.getUnconfirmedTransactionInfo(txid)).toMatchObject({ id: txid })
    await dev.rpc('anvil_mine', '0x4')
    expect(await native.trx.getTransaction(txid)).toMatchObject({ txID: txid })
    expect((await native.trx.getBlockByNumber(1)).block_header.raw_data.number).toBe(1)
  })

  test('behavior: deploys a contract and calls it while one of the nodes is down', async () => {
    await nodes[0]?.fail({ kind: 'refused' })
    // On a busy machine the other node may count as failing for a moment.
    const contract = await until(() => deployToken(native, owner))
    const read: unknown = await contract.methods['balanceOf']?.(owner).call()
    expect(read).toBe(1_000_000n)
    await nodes[0]?.heal()
  })

  test('behavior: answers about solidified blocks are cached', async () => {
    await dev.rpc('anvil_mine', '0x8')
    await expect.poll(() => gateway.gateway.health().head.solid).toBeGreaterThanOrEqual(2)
    const block = { method: 'POST', body: '{"num":2}' }
    const first = await ask('/wallet/getblockbynum', block)
    // Each node says for itself that the block is solidified, one maybe later than the other.
    await until(async () => {
      for (const node of nodes) node.taken()
      expect(await ask('/wallet/getblockbynum', block)).toEqual(first)
      expect(nodes.flatMap((node) => node.taken())).not.toContain('/wallet/getblockbynum')
    })
  })

  test('args: GET with a query', async () => {
    const { body, status } = await ask('/wallet/getblockbynum?num=2', { method: 'GET' })
    expect([status, body['blockID']]).toEqual([200, expect.stringMatching(/^0{15}2/)])
  })

  test('behavior: a percent-encoded name is the same operation, to the node and in the metrics', async () => {
    for (const node of nodes) node.taken()
    expect(await ask('/wallet/%67etReward?a=1')).toMatchObject({ status: 200 })
    expect(await ask('/walletsolidity/get%52eward')).toMatchObject({ status: 200 })
    const taken = nodes.flatMap((node) => node.taken())
    expect(taken).toContain('/wallet/getReward')
    expect(taken).toContain('/walletsolidity/getReward')
    expect(taken.join(' ')).not.toContain('%')
    expect(await (await fetch(`${url}/metrics`)).text()).not.toContain('%')
  })

  test('behavior: a POST without a body, and one without its length', async () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /wallet/getnowblock HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`,
    )
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*"block_header"/)
    expect(await ask('/wallet/getblockbynum', chunked('{"num":1}'))).toMatchObject({
      status: 200,
      body: { blockID: expect.stringMatching(/^0{15}1/) },
    })
  })

  test('error: a body above the limit, with and without its length', async () => {
    const body = JSON.stringify({ address: 'a'.repeat(5_000_000) })
    for (const init of [{ method: 'POST', body }, chunked(body)])
      expect(await ask('/wallet/getaccount', init)).toEqual({
        status: 413,
        body: { Error: 'the body is too large' },
      })
  })

  test('error: operations that neither read, build nor broadcast', async () => {
    for (const path of [
      '/wallet/gettransactionsign',
      '/wallet/createaddress',
      '/wallet/easytransferbyprivate',
      '/walletsolidity/broadcasttransaction',
      '/wallet/__proto__',
    ])
      expect(await ask(path)).toMatchObject({
        status: 404,
        body: { Error: expect.stringContaining('is not available') },
      })
  })

  test('error: the texts of a node and of its front end are passed on as far as they may be shown', async () => {
    const answers = {
      refused: '{"Error":"class org.tron.core.exception.ContractValidateException : no account."}',
      front: '{"Error":"bad key in /f00dfeed/wallet/getaccount"}',
      message: `{"result":false,"code":"OTHER_ERROR","message":"${Buffer.from('bad key /f00dfeed').toString('hex')}"}`,
    }
    const replies = []
    for (const text of Object.values(answers)) {
      for (const node of nodes) await node.fail({ kind: 'status', status: 200, text }, { only })
      replies.push(await ask('/wallet/createtransaction'))
    }
    await Promise.all(nodes.map((node) => node.heal()))
    expect(replies).toEqual([
      {
        status: 200,
        body: { Error: 'class org.tron.core.exception.ContractValidateException : no account.' },
      },
      { status: 200, body: { Error: 'the upstream node refused the request' } },
      {
        status: 200,
        body: {
          result: false,
          code: 'OTHER_ERROR',
          message: Buffer.from('the node gives no reason that may be shown').toString('hex'),
        },
      },
    ])
  })

  test('error: a WebSocket handshake at an operation or a page makes no call to a node', async () => {
    const { hostname, port } = new URL(url)
    const upgrade = 'connection: Upgrade\r\nupgrade: websocket'
    const version = 'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
    for (const node of nodes) node.taken()
    for (const path of ['/wallet/getReward?address=00', `/address/${owner}`, '/metrics']) {
      const socket = connect(Number(port), hostname)
      const head = `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\naccept: text/html`
      socket.write(`${head}\r\n${upgrade}\r\n${version}\r\n\r\n`)
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /)
    }
    // What the head and the probes of the nodes need is none of them.
    const taken = nodes.flatMap((node) => node.taken())
    expect(taken.filter((path) => /getreward|getaccount|getcontract/i.test(path))).toEqual([])
  })

  test('error: requests that a node does not understand do not take it out of use', async () => {
    const own = await startGateway({
      config: { upstream: nodes.map((node) => node.url).join(' '), walletPassthrough: true },
    })
    const post = (body: string) => ({ method: 'POST', body })
    const answerTo = async (path: string, init: RequestInit) => {
      const response = await fetch(`${own.url}/wallet/${path}`, init)
      return (await response.json()) as Record<string, unknown>
    }
    for (const [path, init] of [
      ['createtransaction', { method: 'GET' }],
      ['triggerconstantcontract', { method: 'GET' }],
      ['broadcasthex', { method: 'GET' }],
      ['getaccount', post('null')],
      ['getsignweight', post('{}')],
      ['createtransaction', post('')],
      ['broadcasttransaction', post('{}')],
      ['getblockbynum', post('{"num":"lack of computing resources"}')],
    ] as const) {
      const asked = Array.from({ length: 15 }, () => answerTo(path, init))
      expect([path, await Promise.all(asked)]).toEqual([
        path,
        asked.map(() => ({ Error: expect.any(String) })),
      ])
      expect([path, own.gateway.health().upstreams]).toMatchObject([
        path,
        nodes.map(() => ({ failed: 0, busy: 0, lacks: [] })),
      ])
    }
    const address = dev.chain.accounts[0]?.address
    expect(await answerTo('getaccount', post(JSON.stringify({ address })))).toMatchObject({
      address,
    })
  })

  describe.each([
    ['one node', 1],
    ['two nodes', 2],
  ])('with %s', (_, count) => {
    let own: TestGateway
    beforeAll(async () => {
      const upstream = nodes
        .slice(0, count)
        .map((node) => node.url)
        .join(' ')
      own = await startGateway({ config: { upstream, walletPassthrough: true } })
    })
    afterAll(() => own.close())

    test('args: int64_as_string: integers are passed on as texts', async () => {
      const { body } = await ask('/wallet/getnowblock', { method: 'GET' })
      const block = body as { blockID: string; block_header: { raw_data: { number: number } } }
      const { number } = block.block_header.raw_data
      const raw_data = { ...block.block_header.raw_data, number: String(number), timestamp: '7' }
      const texts = { ...block, block_header: { raw_data } }
      const fault = { kind: 'status', status: 200, text: JSON.stringify(texts) } as const
      for (const node of nodes)
        await node.fail(fault, { only: ({ path }) => path.includes('int64_as_string') })
      for (const path of [`getblockbynum?num=${number}&`, 'getnowblock?']) {
        const response = await fetch(`${own.url}/wallet/${path}int64_as_string=true`)
        expect([path, await response.json()]).toEqual([path, texts])
      }
      for (const node of nodes) await node.heal()
    })

    test('error: a broadcast that the nodes cannot read', async () => {
      const init = { method: 'POST', body: '{}' }
      const response = await fetch(`${own.url}/wallet/broadcasttransaction`, init)
      expect([response.status, await response.json()]).toEqual([
        200,
        { Error: expect.stringMatching(/^class java\.lang\.NullPointerException : /) },
      ])
    })
  })

  test('error: no node answers', async () => {
    await Promise.all(nodes.map((node) => node.fail({ kind: 'refused' })))
    expect(await ask('/wallet/getaccount', { method: 'POST', body: '{"address":"00"}' })).toEqual({
      status: 503,
      body: { Error: expect.any(String) },
    })
    await Promise.all(nodes.map((node) => node.heal()))
  })

  test('error: the native interface is not served by default', async () => {
    const plain = await startGateway({ config: { upstream: nodes[0]?.url } })
    expect((await fetch(`${plain.url}/wallet/getnowblock`)).status).toBe(404)
  })
})
