import { beforeAll, describe, expect, test } from 'vitest'

import { createDevChain, type DevChain } from '../../src/devchain/index.ts'
import { signTransaction } from '../../src/native/protobuf/signature.ts'
import { parseNative } from '../../src/native/wire/json.ts'
import type { Transaction, TransactionInfo } from '../../src/native/wire/types.ts'
import { artifacts } from '../support/recordedChain.ts'

const PRICE = 100
const SET = { function_selector: 'set(uint256)', parameter: '7'.padStart(64, '0') }

let chain: DevChain
let kitchen: string

const addressOf = (index: number) => chain.accounts[index]?.address ?? ''

async function ask(name: string, body: unknown): Promise<Record<string, unknown>> {
  const { text } = await chain.transport.send(`/wallet/${name}`, JSON.stringify(body), {
    idempotent: false,
  })
  return parseNative(text) as Record<string, unknown>
}

/** Builds, signs, sends, and reads the record. */
async function send(index: number, name: string, body: object): Promise<TransactionInfo> {
  const answer = await ask(name, { owner_address: addressOf(index), ...body })
  const built = (answer['transaction'] ?? answer) as Transaction
  const signed = signTransaction(built, chain.accounts[index]?.key ?? '')
  expect(await ask('broadcasttransaction', signed)).toMatchObject({ result: true })
  return (await ask('gettransactioninfobyid', { value: signed.txID })) as TransactionInfo
}

const call = (index: number, body: object) =>
  send(index, 'triggersmartcontract', {
    contract_address: kitchen,
    fee_limit: 100_000_000,
    ...body,
  })

beforeAll(async () => {
  chain = await createDevChain({ mining: { blockTime: 0 } })
  await chain.start()
  const deployed = await send(0, 'deploycontract', {
    abi: JSON.stringify(artifacts.Kitchen.abi),
    bytecode: artifacts.Kitchen.bytecode.replace('0x', ''),
    name: 'Kitchen',
    consume_user_resource_percent: 40,
    origin_energy_limit: 10_000_000,
    fee_limit: 1_000_000_000,
  })
  kitchen = deployed.contract_address ?? ''
})

describe('energy', () => {
  test('default: without a stake it is paid in coins', async () => {
    const { receipt } = await call(1, SET)
    const total = receipt?.energy_usage_total ?? 0
    expect(receipt).toMatchObject({ energy_fee: total * PRICE, result: 'SUCCESS' })
    expect(receipt).not.toHaveProperty('energy_usage')
  })

  test('behavior: a revert costs the used energy, running out costs the whole limit', async () => {
    const failed = await call(1, {
      function_selector: 'sendTo(address,uint256)',
      parameter: addressOf(2).slice(2).padStart(64, '0') + 'f'.padStart(64, '0'),
    })
    expect(failed).toMatchObject({ result: 'FAILED', receipt: { result: 'REVERT' } })
    expect(failed.receipt?.energy_usage_total).toBeLessThan(50_000)
    const out = await call(1, { function_selector: 'burn()', fee_limit: 5_000_000 })
    expect(out).toMatchObject({
      result: 'FAILED',
      contractResult: [''],
      receipt: { result: 'OUT_OF_ENERGY', energy_usage_total: 50_000, energy_fee: 5_000_000 },
    })
    expect(Buffer.from(out.resMessage ?? '', 'hex').toString()).toMatch(
      /^Not enough energy for '\w+' operation executing: curInvokeEnergyLimit\[50000\]/,
    )
  })

  test('behavior: stakes pay first, the creator’s for its share', async () => {
    await send(0, 'freezebalancev2', { frozen_balance: 1_000_000_000, resource: 'ENERGY' })
    const { receipt } = await call(1, SET)
    const total = receipt?.energy_usage_total ?? 0
    const share = Math.floor((total * 60) / 100)
    expect(receipt).toMatchObject({
      origin_energy_usage: share,
      energy_fee: (total - share) * PRICE,
    })
    await send(1, 'freezebalancev2', { frozen_balance: 1_000_000_000, resource: 'ENERGY' })
    const staked = await call(1, SET)
    expect(staked.receipt).toMatchObject({
      energy_usage: total - share,
      origin_energy_usage: share,
    })
    expect(staked.receipt).not.toHaveProperty('energy_fee')
    const { EnergyUsed } = await ask('getaccountresource', { address: addressOf(1) })
    // Less than one unit recovers in a slot of 3 s, and a slot may begin between the two.
    expect([total - share, total - share - 1]).toContain(EnergyUsed)
  })

  test('behavior: a staked account recovers in a day', async () => {
    chain.clock.increase(43_200_000)
    await chain.mine()
    const half = (await ask('getaccountresource', { address: addressOf(1) }))[
      'EnergyUsed'
    ] as number
    expect(half).toBeGreaterThan(0)
    chain.clock.increase(43_200_000)
    await chain.mine()
    expect(await ask('getaccountresource', { address: addressOf(1) })).not.toHaveProperty(
      'EnergyUsed',
    )
  })

  test('error: a fee limit above the chain’s is refused', async () => {
    const answer = await ask('triggersmartcontract', {
      owner_address: addressOf(1),
      contract_address: kitchen,
      fee_limit: 15_000_000_001,
      ...SET,
    })
    const signed = signTransaction(
      answer['transaction'] as Transaction,
      chain.accounts[1]?.key ?? '',
    )
    const refused = await ask('broadcasttransaction', signed)
    expect(refused).toMatchObject({ code: 'CONTRACT_VALIDATE_ERROR' })
    expect(Buffer.from(refused['message'] as string, 'hex').toString()).toBe(
      'Contract validate error : feeLimit must be >= 0 and <= 15000000000',
    )
  })
})
