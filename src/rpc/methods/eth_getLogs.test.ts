import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN, labels } from '../../../test/support/recordedChain.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { eth_getLogs } from './eth_getLogs.ts'

const TOKEN = `0x${labels.contracts.Token.address.slice(2)}`
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

async function logs(filter: object) {
  return fromPrepared(await callMethod(eth_getLogs, await createReplayContext(), [filter]))
}

test('default', async () => {
  expect(await logs({})).toEqual([])
})

test('args: range, address, topics', async () => {
  const found = await logs({ address: TOKEN, fromBlock: '0x0', topics: [TRANSFER] })
  expect(found.length).toBeGreaterThan(3)
  for (const { address, removed, topics } of found) {
    expect(address).toBe(TOKEN)
    expect(removed).toBe(false)
    expect(topics[0]).toBe(TRANSFER)
  }
})

test('args: only an end: that block alone', async () => {
  const [first] = await logs({ address: TOKEN, fromBlock: 'earliest' })
  const number = first?.blockNumber
  const ofBlock = await logs({ toBlock: number })
  expect(ofBlock.length).toBeGreaterThan(0)
  expect(ofBlock.every(({ blockNumber }) => blockNumber === number)).toBe(true)
  expect(await logs({ blockHash: first?.blockHash })).toEqual(ofBlock)
})

test.each([
  ['an end', { fromBlock: '0x1', toBlock: '0xffff' }],
  ['a start', { fromBlock: '0xffff' }],
  ['a start, up to latest', { fromBlock: '0xffff', toBlock: 'latest' }],
  ['both', { fromBlock: '0xfff0', toBlock: '0xffff' }],
  ['only an end', { toBlock: '0xffff' }],
])('error: %s beyond the head', async (_, filter) => {
  await expect(logs(filter)).rejects.toMatchObject({
    code: -32602,
    message: `block range extends beyond current head block: requested 65535, head ${CHAIN.head}`,
  })
})

test('behavior: up to the head', async () => {
  expect(await logs({ fromBlock: CHAIN.head, toBlock: CHAIN.head })).toEqual(
    await logs({ fromBlock: 'latest' }),
  )
})

test('error: a block that does not exist', async () => {
  await expect(logs({ blockHash: `0x${'ab'.repeat(32)}` })).rejects.toMatchObject({ code: -32000 })
})

test('error: too many blocks, too many logs', async () => {
  await expect(logs({ fromBlock: 0, toBlock: CHAIN.head })).rejects.toMatchObject({
    code: -32005,
    message: 'query returned more than 10000 results',
  })
  const context = await createReplayContext({ config: { logsMaxBlocks: 100 } })
  await expect(callMethod(eth_getLogs, context, [{ fromBlock: '0x0' }])).rejects.toMatchObject({
    code: -32602,
    message: 'exceed max block range: 100',
  })
})

test('error: from after to', async () => {
  await expect(logs({ fromBlock: '0x5', toBlock: '0x4' })).rejects.toMatchObject({ code: -32602 })
})
