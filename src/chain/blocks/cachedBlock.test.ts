import { expect, test } from 'vitest'

import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { rpcBlockOf } from '../../../test/support/rpcBlock.ts'
import { toRpcLogs } from '../../codec/log.ts'
import { toRpcReceipts } from '../../codec/receipt.ts'
import { fromPrepared, type Prepared } from '../../lib/prepared.ts'
import { contentOf } from '../reads/load.ts'
import { createCachedBlock } from './cachedBlock.ts'
import { arrayOf } from './logChunk.ts'
import { createLogMatcher } from './logMatch.ts'

const context = { chainId: 0xb24e27cc, energyPrice: 100n }
const everything = createLogMatcher({ addresses: [], topics: [] })

const textOf = (row: Prepared<unknown> | undefined) => row && JSON.stringify(fromPrepared(row))

test('default', () => {
  const { block, infos } = recordedBlock(132)
  const cached = createCachedBlock(contentOf({ block, infos }), () => {})
  const full = rpcBlockOf(block, infos, { ...context, full: true })
  expect(cached.id).toEqual({ hash: full.hash, number: 132 })
  expect(fromPrepared(cached.slim())).toEqual(rpcBlockOf(block, infos, { ...context, full: false }))
  expect(fromPrepared(cached.full(context).whole)).toEqual(full)
  expect(fromPrepared(cached.receipts(context).whole)).toEqual(toRpcReceipts(block, infos, context))
  const logs = cached.logs(everything)
  expect(fromPrepared(arrayOf([logs], logs.count))).toEqual(toRpcLogs(block, infos))
})

test('behavior: each answer is built once, in any order of requests', () => {
  const cached = createCachedBlock(contentOf(recordedBlock(132)), () => {})
  const first = [
    cached.receipts(context),
    cached.slim(),
    cached.full(context),
    cached.logs(everything).row(0),
  ]
  const again = [
    cached.receipts(context),
    cached.slim(),
    cached.full(context),
    cached.logs(everything).row(0),
  ]
  expect(again.slice(0, 3).every((answer, index) => answer === first[index])).toBe(true)
  expect(again).toEqual(first)
})

test('behavior: its size grows with its answers; the source is dropped when all are built', () => {
  const weights: number[] = []
  const cached = createCachedBlock(contentOf(recordedBlock(132)), () =>
    weights.push(cached.bytes()),
  )
  const loaded = cached.bytes()
  const answers = [
    cached.logs(everything).count,
    cached.slim().bytes.length,
    cached.full(context).bytes,
    cached.receipts(context).bytes,
  ]
  expect(weights).toHaveLength(4)
  expect(weights[0]).toBeGreaterThan(loaded)
  expect(weights[3]).toBeLessThan(weights[2]!)
  expect(weights[3]).toBeGreaterThan(answers.reduce((sum, bytes) => sum + bytes, 0))
})

test('default: one transaction and one receipt are those of all, built alone or not', () => {
  for (const number of [0, 24, 131, 132, 211]) {
    const { block, infos } = recordedBlock(number)
    const all = createCachedBlock(contentOf({ block, infos }), () => {})
    const [rows, receipts] = [all.full(context), all.receipts(context)]
    for (let index = 0; index <= rows.length; index++) {
      const one = createCachedBlock(contentOf({ block, infos }), () => {})
      for (let time = 0; time < 4; time++) {
        expect(textOf(one.transaction(index, context))).toBe(textOf(rows.row(index)))
        expect(textOf(one.receipt(index, context))).toBe(textOf(receipts.row(index)))
      }
    }
  }
})
