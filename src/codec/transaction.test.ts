import { describe, expect, test } from 'vitest'

import { labelled, recordedBlock } from '../../test/support/recordedBlock.ts'
import type { Transaction } from '../native/wire/types.ts'
import { toHash } from './quantity.ts'
import { toRpcTransaction } from './transaction.ts'

function mapped(label: string, energyPrice = 100n) {
  const { block, index, infos, number } = labelled(label)
  const transaction = block.transactions?.[index]
  if (!transaction) throw new Error(label)
  return toRpcTransaction(transaction, {
    block: {
      hash: toHash(block.blockID),
      index,
      number,
      timestamp: block.block_header.raw_data.timestamp ?? 0,
    },
    chainId: 0xb24e27cc,
    energyPrice,
    info: infos[index],
  })
}

test('default', () => {
  expect(mapped('erc20 transfer')).toMatchInlineSnapshot(`
    {
      "blockHash": "0x0000000000000083bfd661719a514ccb2178179cf740347e25092ada88bd7dea",
      "blockNumber": "0x83",
      "blockTimestamp": "0x6b018571",
      "chainId": "0xb24e27cc",
      "from": "0xab9d99702700d5cb9e1309374606fe24a4fdf8ba",
      "gas": "0x989680",
      "gasPrice": "0x64",
      "hash": "0xc3114046f5a6e6ec1c382525d43c7a7f00b7721aea8e7494b38a61caca714613",
      "input": "0xa9059cbb00000000000000000000000042194febc0f076d4151747569ae87374b41f4a0900000000000000000000000000000000000000000000000000000000000003e8",
      "nonce": "0x0",
      "r": "0x7ae21b760dabbaa92f4d322027617e9537348ad31bcff6cfcd59dfcdb5515090",
      "s": "0x6c15b6e76ac8e40a3c3ba3d21d946ca37f6fc5ebb56c42fa2de4eda4eff4e101",
      "to": "0x13eb96915a70a53b2ab0fc2f2df09f78137abb8c",
      "transactionIndex": "0x4",
      "type": "0x0",
      "v": "0x1c",
      "value": "0x0",
      "yParity": "0x1",
    }
  `)
})

describe('the recorded chain', () => {
  test('behavior: a value beyond 2^53 is exact', () => {
    expect(mapped('transfer exact int64 9007199254740993')).toMatchObject({
      input: '0x',
      value: '0x20000000000001',
    })
  })

  test('behavior: a creation has the bytecode as input, and its value', () => {
    const { block, index } = labelled('Child payable')
    const created =
      block.transactions?.[index]?.raw_data.contract?.[0]?.parameter?.value?.['new_contract']
    const { bytecode } = created as { bytecode: string }
    expect(mapped('Child payable')).toMatchObject({
      input: `0x${bytecode}`,
      to: null,
      value: '0x3e8',
    })
  })

  test('behavior: shows the first of several signatures', () => {
    const { block, index } = labelled('multisig transfer')
    const signatures = block.transactions?.[index]?.signature ?? []
    expect(signatures.length).toBe(2)
    expect(BigInt(mapped('multisig transfer').r)).toBe(BigInt(`0x${signatures[0]?.slice(0, 64)}`))
  })

  test('behavior: transactions of genesis have no sender and no signature', () => {
    const { block } = recordedBlock(0)
    const rows = (block.transactions ?? []).map((transaction) =>
      toRpcTransaction(transaction, { chainId: 1, energyPrice: 100n }),
    )
    expect(
      rows.map(({ from, r, s, to, v, value, yParity }) => ({ from, r, s, to, v, value, yParity })),
    ).toMatchInlineSnapshot(`
      [
        {
          "from": "0x0000000000000000000000000000000000000000",
          "r": "0x0",
          "s": "0x0",
          "to": "0x6399de7edaab6f7ea18f6e9a53078897ceae5873",
          "v": "0x0",
          "value": "0x58d15e17628000",
          "yParity": "0x0",
        },
        {
          "from": "0x0000000000000000000000000000000000000000",
          "r": "0x0",
          "s": "0x0",
          "to": "0x4948c2e8a756d9437037dcd8c7e0c73d560ca38d",
          "v": "0x0",
          "value": "0x2386f26fc10000",
          "yParity": "0x0",
        },
        {
          "from": "0x0000000000000000000000000000000000000000",
          "r": "0x0",
          "s": "0x0",
          "to": "0x50b0c2b3bcad53eb45b57c4e5df8a9890d002cc8",
          "v": "0x0",
          "value": "0x0",
          "yParity": "0x0",
        },
      ]
    `)
  })

  test('behavior: out of energy means gasUsed === gas', () => {
    const { infos, index } = labelled('out of energy')
    const used = infos[index]?.receipt?.energy_usage_total ?? 0
    const { gas } = mapped('out of energy')
    expect({ gas: Number(gas), used }).toMatchInlineSnapshot(`
      {
        "gas": 1010100,
        "used": 1010100,
      }
    `)
    expect(Number(gas)).toBeGreaterThanOrEqual(used)
  })
})

const bare: Transaction = { txID: 'ab'.repeat(32), raw_data: {}, raw_data_hex: '5a02081f' }

test('behavior: while pending, the fields of a block are null', () => {
  const fee_limit = 1_000_000_000
  const contract = [{ type: 'TriggerSmartContract', parameter: { value: { data: 'c0ffee' } } }]
  expect(
    toRpcTransaction(
      { ...bare, raw_data: { contract, fee_limit } },
      { chainId: 1, energyPrice: 420n },
    ),
  ).toMatchInlineSnapshot(`
    {
      "blockHash": null,
      "blockNumber": null,
      "blockTimestamp": null,
      "chainId": "0x1",
      "from": "0x0000000000000000000000000000000000000000",
      "gas": "0x245498",
      "gasPrice": "0x1a4",
      "hash": "0xabababababababababababababababababababababababababababababababab",
      "input": "0xc0ffee",
      "nonce": "0x0",
      "r": "0x0",
      "s": "0x0",
      "to": null,
      "transactionIndex": null,
      "type": "0x0",
      "v": "0x0",
      "value": "0x0",
      "yParity": "0x0",
    }
  `)
})

test('behavior: no contract, or one of an unknown type', () => {
  const options = { chainId: 1, energyPrice: 1n }
  expect(toRpcTransaction(bare, options)).toMatchObject({
    from: `0x${'0'.repeat(40)}`,
    input: '0x',
    to: `0x${'0'.repeat(40)}`,
    value: '0x0',
  })
  const contract = [{ type: 'FutureContract', parameter: {} }]
  expect(toRpcTransaction({ ...bare, raw_data: { contract } }, options)).toMatchObject({
    from: `0x${'0'.repeat(40)}`,
    gas: '0x1',
    input: '0x',
    to: null,
    value: '0x0',
  })
})

test('behavior: gas is the energy that the fee limit buys, at least the used energy, and 1 outside the VM', () => {
  const options = { chainId: 1, energyPrice: 100n }
  const gas = (type: string, used: number) =>
    toRpcTransaction(
      { ...bare, raw_data: { contract: [{ type }], fee_limit: 5_000 } },
      { ...options, info: { id: '', receipt: { energy_usage_total: used } } },
    ).gas
  expect([
    gas('TriggerSmartContract', 7),
    gas('CreateSmartContract', 70),
    gas('TransferContract', 0),
  ]).toEqual(['0x32', '0x46', '0x1'])
})
