import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../../support/devGateway.ts'
import { startGateway } from '../../support/gateway.ts'
import { keys, labels } from '../../support/recordedChain.ts'
import { deployToken } from './nativeToken.ts'

const { Token } = labels.contracts

let dev: DevGateway
let own: TronWeb
let node: TronWeb

beforeAll(async () => {
  dev = await startDevGateway()
  own = new TronWeb({ fullHost: dev.url, privateKey: dev.chain.accounts[0]?.key ?? '' })
  const { url } = await startGateway({})
  node = new TronWeb({ fullHost: url })
  node.setAddress(keys.bob.eth.replace('0x', '41'))
})
afterAll(() => dev.close())

test('default: events of a contract that the library deployed, and their pages', async () => {
  const owner = own.defaultAddress.base58 as string
  const { address, methods } = await deployToken(own, owner)
  const other = own.address.fromHex(dev.chain.accounts[1]?.address ?? '')
  const ids: unknown[] = []
  for (const amount of [1, 2, 3])
    ids.push(await methods['transfer']?.(other, amount).send({ feeLimit: 100_000_000 }))
  const contract = own.address.fromHex(String(address))
  const found = await own.event.getEventsByContractAddress(contract, {
    eventName: 'Transfer',
    limit: 2,
  })
  expect(found.data?.map(({ transaction_id: id }) => id)).toEqual([ids[2], ids[1]])
  const rest = await own.event.getEventsByContractAddress(contract, {
    eventName: 'Transfer',
    fingerprint: found.meta?.fingerprint ?? '',
  })
  expect(rest.data?.[0]).toMatchObject({ transaction_id: ids[0], result: { value: '1' } })
  const [last] = ids.slice(-1)
  expect((await own.event.getEventsByTransactionID(String(last))).data).toEqual(
    found.data?.slice(0, 1),
  )
  expect((await own.event.getEventsOfLatestBlock()).data).toEqual(found.data?.slice(0, 1))
})

test('default: the same in front of a node', async () => {
  expect(await node.isConnected()).toMatchObject({ eventServer: true })
  const { data } = await node.event.getEventsByContractAddress(Token.address, {
    orderBy: 'block_timestamp,asc',
    onlyConfirmed: true,
  })
  expect(data).toHaveLength(20)
  const [first] = data ?? []
  expect(first).toMatchObject({
    event_name: 'Transfer',
    result: { to: expect.any(String) as string },
  })
  const number = Number(first?.block_number)
  const block = await node.event.getEventsByBlockNumber(number)
  expect(block.data).toContainEqual(first)
})

test('error: the library gives the reason of a refused page', async () => {
  const page = { fingerprint: 'x' }
  await expect(node.event.getEventsByContractAddress(Token.address, page)).rejects.toMatchObject({
    response: { data: { success: false, error: expect.stringContaining('fingerprint') as string } },
  })
})
