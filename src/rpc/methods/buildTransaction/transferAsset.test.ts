import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevNode, startDevNode } from '../../../../test/support/devNode.ts'
import { toNativeAddress } from '../../../lib/address.ts'
import type { Transaction } from '../../../native/wire/types.ts'

const DAY = 86_400_000

let node: DevNode
let tokenId: number

beforeAll(async () => {
  node = await startDevNode()
  const owner_address = toNativeAddress(node.accountOf(0))
  const start_time = Date.now() + DAY
  const issue = await node.dev.native('/wallet/createassetissue', {
    owner_address,
    name: Buffer.from('Token').toString('hex'),
    abbr: Buffer.from('TOK').toString('hex'),
    total_supply: 1_000,
    trx_num: 1,
    num: 1,
    start_time,
    end_time: start_time + DAY,
    url: Buffer.from('http://token.invalid').toString('hex'),
  })
  await node.broadcast(issue as unknown as Transaction, 0)
  const { assetIssue } = await node.dev.native('/wallet/getassetissuebyaccount', {
    address: owner_address,
  })
  const [issued] = assetIssue as [{ id: string }]
  tokenId = Number(issued.id)
})

afterAll(() => node.close())

const build = async (request: object) => {
  const params = { from: node.accountOf(0), to: node.accountOf(1), tokenId, ...request }
  return ((await node.rpc('buildTransaction', params)) as { transaction: Transaction }).transaction
}

test('default: signed and sent, it moves the tokens', async () => {
  await node.broadcast(await build({ tokenValue: 20 }), 0)
  const account = await node.dev.native('/wallet/getaccount', {
    address: toNativeAddress(node.accountOf(1)),
  })
  expect(account).toMatchObject({ assetV2: [{ key: String(tokenId), value: 20 }] })
})

test('error: more tokens than there are, and a token that does not exist', async () => {
  await expect(build({ tokenValue: 1_001 })).rejects.toMatchObject({
    message: expect.stringContaining('assetBalance is not sufficient'),
  })
  await expect(build({ tokenId: tokenId + 1, tokenValue: 1 })).rejects.toMatchObject({
    message: expect.stringContaining('No asset'),
  })
})
