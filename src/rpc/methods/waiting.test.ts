import type { Address } from 'viem'
import { expect, test } from 'vitest'

import { CLIENT_CALL } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { recordedNative } from '../../../test/support/node.ts'
import type { RpcTransaction } from '../../codec/types.ts'
import { SUN, WEI } from '../../codec/unit.ts'
import { byNonce, inspected, waitingTransactions } from './waiting.ts'

const [ALICE, BOB] = ['0xa', '0xb'] as Address[]

/** A waiting transaction; only what sorting and the lines of `inspect` read. */
const waiting = (from: Address | undefined, nonce: string, fields: Partial<RpcTransaction> = {}) =>
  ({
    from,
    nonce,
    gas: '0x5208',
    gasPrice: '0xd2',
    to: BOB,
    value: '0x1',
    ...fields,
  }) as RpcTransaction

test('default: by sender, then by nonce in decimal', () => {
  const [first, tenth, other] = [waiting(ALICE, '0x0'), waiting(ALICE, '0xa'), waiting(BOB, '0x0')]
  expect(byNonce([tenth, other, first])).toEqual({
    [ALICE as string]: { 0: first, 10: tenth },
    [BOB as string]: { 0: other },
  })
})

test('behavior: of the same nonce, later ones have the keys below, and none is lost', () => {
  const same = Array.from({ length: 3 }, (_, value) =>
    waiting(ALICE, '0x5', { value: `0x${value}` }),
  )
  const below = waiting(ALICE, '0x4')
  expect(byNonce([...same, below])).toEqual({
    [ALICE as string]: { 5: same[0], 4: same[1], 3: same[2], 2: below },
  })
})

test('behavior: nonces above 2^53 stay exact', () => {
  const nonces = [2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n]
  const list = nonces.map((nonce) => waiting(ALICE, `0x${nonce.toString(16)}`))
  expect(Object.keys(byNonce(list)[ALICE as Address] ?? {})).toEqual(nonces.map(String))
})

test('behavior: a line for each, with exact amounts; without a receiver it is a creation', () => {
  const large = waiting(ALICE, '0x0', { value: '0x7fffffffffffffff' })
  const creation = waiting(ALICE, '0x1', { to: null })
  expect(inspected(byNonce([large, creation]))).toEqual({
    [ALICE as string]: {
      0: '0xb: 9223372036854775807 wei + 21000 gas × 210 wei',
      1: 'contract creation: 1 wei + 21000 gas × 210 wei',
    },
  })
})

const ID = 'a1'.repeat(32)

/** A node that lists one transaction of its pool, which may be gone. */
const withOne = (state: 'gone' | 'waiting') =>
  createReplayContext({
    intercept({ body, path }) {
      if (path === '/wallet/gettransactionlistfrompending') return { text: `{"txId": ["${ID}"]}` }
      if (!/gettransaction(byid|infobyid|frompending)$/.test(path) || !body.includes(ID))
        return undefined
      const block = JSON.parse(recordedNative('/wallet/getblockbynum', { num: 130 })) as {
        transactions: [{ raw_data: object; txID: string }]
      }
      const [transaction] = block.transactions
      if (state === 'gone') return { text: '{}' }
      if (path.endsWith('infobyid')) return { text: '{}' }
      const raw_data = { ...transaction.raw_data, expiration: Number.MAX_SAFE_INTEGER }
      return { text: JSON.stringify({ ...transaction, raw_data, txID: ID }) }
    },
  })

test('args: unit', async () => {
  const context = await withOne('waiting')
  const [inSun] = await waitingTransactions(context, SUN, CLIENT_CALL)
  const [inWei] = await waitingTransactions(context, WEI, CLIENT_CALL)
  expect(inSun).toMatchObject({ hash: `0x${ID}`, blockHash: null })
  expect(BigInt(inWei?.value ?? 0)).toBe(BigInt(inSun?.value ?? 0) * 10n ** 12n)
  expect(BigInt(inWei?.gasPrice ?? 0)).toBe(BigInt(inSun?.gasPrice ?? 0) * 10n ** 12n)
  expect(BigInt(inSun?.gasPrice ?? 0)).toBeGreaterThan(0n)
})

test('behavior: one that left the pool meanwhile is not listed', async () => {
  expect(await waitingTransactions(await withOne('gone'), SUN, CLIENT_CALL)).toEqual([])
})
