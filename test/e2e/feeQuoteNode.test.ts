import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { createNativeClient } from '../../src/sdk/client.ts'
import { kitchen } from '../support/kitchen.ts'
import { randomOf } from '../support/randomCalls.ts'
import { artifacts, keys, labels } from '../support/recordedChain.ts'
import { explainSkip } from '../support/redis.ts'

const producing = process.env['NATIVE_PRODUCING_URL']
explainSkip(
  producing === undefined
    ? 'NATIVE_PRODUCING_URL does not name a node that makes blocks (its HTTP API, such as http://127.0.0.1:8290)'
    : undefined,
)

/** Number of transactions; more with `QUOTES`. */
const COUNT = Number(process.env['QUOTES'] ?? 40)

const { alice, bob, carol, dave, rich, sr1, sr2, sr3, sr4, sr5 } = keys
const senders = [alice, bob, carol, dave, rich, sr1, sr2, sr3, sr4, sr5]
const abi = parseAbi(['function transfer(address to, uint256 value)', 'function set(uint256 v)'])
/** 10,000 coins for each sender. */
const COINS = '0x2540be400'
const token: Hex = `0x${labels.contracts.Token.address.slice(2)}`

describe.skipIf(producing === undefined)('in front of a node that produces blocks', () => {
  const url = producing ?? ''
  const solidity = url && `http://127.0.0.1:${Number(new URL(url).port) + 1}`
  const node = createNativeClient(url || 'http://127.0.0.1:1')
  let gateway: Gateway
  const rpc = (method: string, ...params: unknown[]) => gateway.request({ method, params })

  beforeAll(async () => {
    gateway = createGateway({
      config: { newRecord: true, port: 0, upstream: url, upstreamSolidity: solidity },
      keys: senders.map(({ pk }) => pk),
    })
    await gateway.start()
    await gateway.ready
    const others = senders.filter(({ eth }) => eth !== rich.eth)
    await Promise.all(others.map(({ eth }) => send({ from: rich.eth, to: eth, value: COINS })))
    await Promise.all(
      senders
        .slice(1)
        .map(({ eth }) => send({ from: alice.eth, to: token, data: transfer(eth, 10_000n) })),
    )
  })
  afterAll(async () => {
    await gateway.stop()
    await node.close()
  })

  const transfer = (to: Hex, value: bigint) =>
    encodeFunctionData({ abi, functionName: 'transfer', args: [to, value] })

  /** Sends a call, and returns what the node says that it cost. */
  async function send(call: object) {
    const hash = (await rpc('eth_sendTransaction', call)) as Hex
    return node.waitForTransaction(hash, { interval: 300 })
  }

  test(
    'default: transactions burn what the quote says',
    { timeout: 120_000 + COUNT * 3_000 },
    async () => {
      const random = randomOf(Math.floor(Math.random() * 2 ** 31))
      const bytes = (length: number): Hex =>
        `0x${Array.from({ length }, () => random(256).toString(16).padStart(2, '0')).join('')}`
      const calls: ((from: Hex) => object)[] = [
        (from) => ({ from, to: token, data: transfer(bytes(20), 1n) }),
        (from) => ({ from, to: token, data: transfer(bob.eth, 1n) }),
        (from) => ({ from, to: from === rich.eth ? bob.eth : rich.eth, value: '0x3' }),
        (from) => ({ from, to: bytes(20), value: '0x3' }),
        (from) => ({
          from,
          to: kitchen,
          data: encodeFunctionData({ abi, functionName: 'set', args: [BigInt(bytes(8))] }),
        }),
        (from) => ({ from, data: `0x${artifacts.Multicall3Lite.bytecode.replace('0x', '')}` }),
      ]
      const counts = { exact: 0, within5: 0, other: 0 }
      const failed: unknown[] = []

      async function compare(from: Hex) {
        const call = (calls[random(calls.length)] as (from: Hex) => object)(from)
        const quote = (await rpc('ethgate_feeQuote', call)) as {
          bandwidth: { paidBy: string }
          energy: { total: Hex }
          fee: { total: Hex }
        }
        const { fee = 0, receipt } = await send(call)
        const [quoted, burnt] = [BigInt(quote.fee.total), BigInt(fee)]
        // Free points come back while a transaction waits for its block.
        const isPaid = (receipt?.net_fee ?? 0) > 0
        const isOther = isPaid !== (quote.bandwidth.paidBy === 'coins') && quoted > burnt
        if (quoted === burnt) counts.exact++
        else if (isOther) counts.other++
        else if (quoted > burnt && quoted * 100n <= burnt * 105n) counts.within5++
        else failed.push({ call, quote, fee, receipt })
      }

      for (let done = 0; done < COUNT; done += senders.length)
        await Promise.all(senders.map(({ eth }) => compare(eth)))
      expect({ counts, failed }).toEqual({ counts, failed: [] })
      expect(counts.exact).toBeGreaterThan(counts.other)
    },
  )
})
