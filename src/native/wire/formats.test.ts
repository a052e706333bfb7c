import { describe, expect, test } from 'vitest'

import { hasFormat } from './formats.ts'

const header = { raw_data: { number: 7, timestamp: 1_700_000_000_000 } }

describe('error: members of another type', () => {
  test.each<[operation: string, answer: object]>([
    ['getnowblock', { block_header: { raw_data: { number: 1.5 } } }],
    ['getnowblock', { block_header: { raw_data: { number: '7' } } }],
    ['getnowblock', { block_header: { raw_data: { number: -7 } } }],
    ['getnowblock', { block_header: { raw_data: { number: 1e300 } } }],
    ['getnowblock', { block_header: { raw_data: null } }],
    ['getnowblock', { block_header: {} }],
    ['getblockbynum', { block_header: header, transactions: {} }],
    ['getblockbynum', { block_header: header, transactions: [null] }],
    ['getblockbylimitnext', { block: [{ block_header: header }, {}] }],
    ['gettransactionbyid', { raw_data: { fee_limit: 0.5 } }],
    ['gettransactionbyid', { raw_data: { contract: [{ parameter: { value: { amount: 1.5 } } }] } }],
    ['gettransactioninfobyid', { id: 'ab', fee: 1.5 }],
    ['gettransactioninfobyid', { id: 'ab', fee: '15' }],
    ['gettransactioninfobyid', { id: 'ab', log: null }],
    ['gettransactioninfobyid', { id: 'ab', log: [{ topics: [1] }] }],
    ['gettransactioninfobyblocknum', [{ id: 'ab', receipt: { energy_usage_total: '1' } }]],
    ['getaccount', { address: '41', balance: 1.5 }],
    ['triggerconstantcontract', { energy_used: '1', result: { result: true } }],
    ['estimateenergy', { energy_required: 1.5, result: { result: true } }],
    ['getenergyprices', { prices: '0:1.5' }],
    ['getenergyprices', { prices: 100 }],
    ['getchainparameters', { chainParameter: [{ key: 'getEnergyFee', value: '1' }] }],
  ])('%s %j', (operation, answer) => {
    expect(hasFormat(operation, answer)).toBe(false)
  })
})

test('default: absent members, amounts above 2^53, other members', () => {
  expect(hasFormat('getnowblock', { block_header: { raw_data: {} } })).toBe(true)
  expect(hasFormat('getaccount', { address: '41', balance: 2n ** 63n - 1n, other: 1.5 })).toBe(true)
  expect(hasFormat('getenergyprices', { prices: '0:100,1542607200000:20' })).toBe(true)
  expect(hasFormat('getnodeinfo', { machineInfo: { cpuRate: 0.5 } })).toBe(true)
})
