import { expect, test } from 'vitest'

import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import { partiesPart } from './blockOutline.ts'
import { stringifyNative } from './json.ts'
import { partiesIn } from './parties.ts'
import type { Block } from './types.ts'

const blocks = Array.from({ length: CHAIN.head }, (_, index) => recordedBlock(index + 1).block)
const read = (block: unknown) => partiesPart.read(stringifyNative({ block }))

test('default: the text of the recorded chain names the same accounts as the parsed answer', () => {
  const found = read(blocks) as { block: Block[] }
  const expected = partiesPart.pick({ block: blocks } as never)
  expect(found.block).toEqual(expected)
  expect(partiesPart.pick(found as never)).toEqual(expected)
  const types = new Set(expected.flatMap(({ parties }) => parties.map(({ type }) => type)))
  expect(types.size).toBeGreaterThan(10)
})

test('behavior: a contract that is deployed cannot name accounts', () => {
  const [block, transaction] = deployment()
  const value = transaction.raw_data.contract![0]!.parameter!.value!
  const other = `41${'77'.repeat(20)}`
  value['new_contract'] = {
    ...(value['new_contract'] as object),
    contract_address: other,
    name: `"to_address":"${other}"},"type":"TransferContract"`,
  }
  expect(partiesIn(transaction).others).toEqual([])
  expect(read([block])).toEqual({ block: partiesPart.pick({ block: [block] } as never) })
})

test('error: transactions with their members in another order are left to be read whole', () => {
  const [block, transaction] = deployment()
  const { raw_data, raw_data_hex, txID, ...rest } = transaction
  const turned = { raw_data, raw_data_hex, txID, ...rest }
  expect(read([{ ...block, transactions: [turned, turned] }])).toBeUndefined()
})

function deployment() {
  const found = structuredClone(
    blocks.find(({ transactions = [] }) =>
      transactions.some((one) => partiesIn(one).type === 'CreateSmartContract'),
    ),
  ) as Block
  const transaction = found.transactions!.find(
    (one) => partiesIn(one).type === 'CreateSmartContract',
  )!
  return [found, transaction] as const
}
