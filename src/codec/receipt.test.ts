import { describe, expect, test } from 'vitest'

import { labelled, recordedBlock } from '../../test/support/recordedBlock.ts'
import type { Block, TransactionInfo } from '../native/wire/types.ts'
import { hasSucceeded, toRpcReceipts } from './receipt.ts'

const receiptOf = (label: string) => {
  const { block, index, infos } = labelled(label)
  return toRpcReceipts(block, infos, { energyPrice: 100n })[index]
}

test('default', () => {
  expect(receiptOf('erc20 transfer')).toMatchInlineSnapshot(`
    {
      "blockHash": "0x0000000000000083bfd661719a514ccb2178179cf740347e25092ada88bd7dea",
      "blockNumber": "0x83",
      "contractAddress": null,
      "cumulativeGasUsed": "0x6cf1",
      "effectiveGasPrice": "0x64",
      "from": "0xab9d99702700d5cb9e1309374606fe24a4fdf8ba",
      "gasUsed": "0x6cf1",
      "logs": [
        {
          "address": "0x13eb96915a70a53b2ab0fc2f2df09f78137abb8c",
          "blockHash": "0x0000000000000083bfd661719a514ccb2178179cf740347e25092ada88bd7dea",
          "blockNumber": "0x83",
          "blockTimestamp": "0x6b018571",
          "data": "0x00000000000000000000000000000000000000000000000000000000000003e8",
          "logIndex": "0x0",
          "removed": false,
          "topics": [
            "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
            "0x000000000000000000000000ab9d99702700d5cb9e1309374606fe24a4fdf8ba",
            "0x00000000000000000000000042194febc0f076d4151747569ae87374b41f4a09",
          ],
          "transactionHash": "0xc3114046f5a6e6ec1c382525d43c7a7f00b7721aea8e7494b38a61caca714613",
          "transactionIndex": "0x4",
        },
      ],
      "logsBloom": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008000004000000000000000000000000000000002000000000000000000000000000000000000000000000000000000010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100400000000000000000000000200002000020000000000000000000000000000000000000000000000000000000000000010000000000000000004000000000000000000000000000080000",
      "status": "0x1",
      "to": "0x13eb96915a70a53b2ab0fc2f2df09f78137abb8c",
      "transactionHash": "0xc3114046f5a6e6ec1c382525d43c7a7f00b7721aea8e7494b38a61caca714613",
      "transactionIndex": "0x4",
      "type": "0x0",
    }
  `)
})

describe('the recorded chain', () => {
  test('behavior: a creation that failed has an address and status 0', () => {
    expect(receiptOf('BadCtor')).toMatchObject({
      contractAddress: '0xccd411824713a0fa420043d52dcc36e08631c16f',
      logs: [],
      status: '0x0',
      to: null,
    })
  })

  test('behavior: a call has no contractAddress, even when it creates a contract', () => {
    expect(receiptOf('make child with value')).toMatchObject({
      contractAddress: null,
      status: '0x1',
    })
  })

  test('behavior: native types succeed and use no energy', () => {
    expect(receiptOf('transfer with memo')).toMatchObject({
      contractAddress: null,
      gasUsed: '0x0',
      logs: [],
      status: '0x1',
    })
  })

  test('behavior: genesis has no receipts', () => {
    const { block, infos } = recordedBlock(0)
    expect(toRpcReceipts(block, infos, { energyPrice: 100n })).toEqual([])
  })
})

const block: Block = {
  blockID: '01'.padStart(16, '0').padEnd(64, 'a'),
  block_header: { raw_data: { number: 1, timestamp: 3_999 } },
  transactions: ['01', '02', '03'].map((id) => ({
    txID: id.repeat(32),
    raw_data: { contract: [{ type: 'TriggerSmartContract' }] },
    raw_data_hex: '',
  })),
}
const address = 'ab'.repeat(20)
const infos: TransactionInfo[] = [
  {
    id: '01'.repeat(32),
    log: [{ address, topics: ['01'.repeat(32)] }],
    receipt: { energy_usage_total: 2, result: 'SUCCESS' },
  },
  // Ran out of time but has logs.
  {
    id: '02'.repeat(32),
    log: [{ address, data: 'ff' }, {}],
    receipt: { energy_usage_total: 100, result: 'OUT_OF_TIME' },
    result: 'FAILED',
  },
  { id: '03'.repeat(32), log: [{ address }], receipt: {} },
]

test('behavior: log indexes count over the block, energy adds up', () => {
  const receipts = toRpcReceipts(block, infos, { energyPrice: 1n })
  expect(
    receipts.map(({ cumulativeGasUsed, gasUsed, logs, status }) => ({
      cumulativeGasUsed,
      gasUsed,
      logs: logs.map(({ logIndex }) => logIndex),
      status,
    })),
  ).toEqual([
    { cumulativeGasUsed: '0x2', gasUsed: '0x2', logs: ['0x0'], status: '0x1' },
    { cumulativeGasUsed: '0x66', gasUsed: '0x64', logs: ['0x1', '0x2'], status: '0x0' },
    { cumulativeGasUsed: '0x66', gasUsed: '0x0', logs: ['0x3'], status: '0x1' },
  ])
  expect(receipts[1]?.logs).toMatchInlineSnapshot(`
    [
      {
        "address": "0xabababababababababababababababababababab",
        "blockHash": "0x0000000000000001aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "blockNumber": "0x1",
        "blockTimestamp": "0x3",
        "data": "0xff",
        "logIndex": "0x1",
        "removed": false,
        "topics": [],
        "transactionHash": "0x0202020202020202020202020202020202020202020202020202020202020202",
        "transactionIndex": "0x1",
      },
      {
        "address": "0x0000000000000000000000000000000000000000",
        "blockHash": "0x0000000000000001aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "blockNumber": "0x1",
        "blockTimestamp": "0x3",
        "data": "0x",
        "logIndex": "0x2",
        "removed": false,
        "topics": [],
        "transactionHash": "0x0202020202020202020202020202020202020202020202020202020202020202",
        "transactionIndex": "0x1",
      },
    ]
  `)
})

test('behavior: a transaction without a result has succeeded, an unknown result is a failure', () => {
  const results = [undefined, 'DEFAULT', 'SUCCESS', 'REVERT', 'OUT_OF_ENERGY', 'SOMETHING_NEW']
  expect(
    results.map((result) => hasSucceeded({ id: '', receipt: result ? { result } : {} })),
  ).toEqual([true, true, true, false, false, false])
  expect(hasSucceeded({ id: '' })).toBe(true)
  expect(hasSucceeded({ id: '', result: 'FAILED' })).toBe(false)
})
