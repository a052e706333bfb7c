import { createWalletClient, encodeFunctionData, type Hex, http, parseAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { artifacts } from '../support/recordedChain.ts'

const token = parseAbi(['function transfer(address to, uint256 value) returns (bool)'])

/** The members of a quote that the tests compare. */
type Quote = {
  energy: { total: Hex; fromCreator: Hex; fromSender: Hex; burned: Hex; price: Hex }
  bandwidth: { points: Hex; paidBy: string }
  fee: { total: Hex; energy: Hex; bandwidth: Hex; account: Hex }
  coins: string
  feeLimit: Hex
  reason: string
}

let node: DevGateway
let gateway: TestGateway
let sender: Hex
let owner: Hex

const rpc = (method: string, ...params: unknown[]) => gateway.gateway.request({ method, params })
const quoteOf = (call: object) => rpc('ethgate_feeQuote', call) as Promise<Quote>

/** Sends a call as a transaction, and returns what it cost. */
async function spend(call: object) {
  const hash = (await rpc('eth_sendTransaction', call)) as Hex
  const info = (await node.native('/wallet/gettransactioninfobyid', {
    value: hash.slice(2),
  })) as { contract_address?: string; fee?: number; receipt: Record<string, number | string> }
  return { ...info, fee: info.fee ?? 0 }
}

async function deploy(name: 'Kitchen' | 'Token', args: string, from: Hex): Promise<Hex> {
  const data = `0x${artifacts[name].bytecode.replace('0x', '')}${args}`
  const { contract_address: address = '' } = await spend({ from, data })
  return `0x${address.slice(2)}`
}

/** Gives an account a stake for energy. */
const stake = (address: Hex, coins: bigint) =>
  node.chain.patch((state) => {
    const key = `41${address.slice(2)}`
    const account = state.get('account', key)
    if (account)
      state.set('account', key, {
        ...account,
        frozen: { ...account.frozen, ENERGY: coins * 1_000_000n },
      })
    state.set('property', 'totalEnergyWeight', 10_000n)
  })

let tokenAt: Hex

beforeAll(async () => {
  node = await startDevGateway({ rules: { profile: 'native' }, mining: { blockTime: 0 } })
  gateway = await startGateway({
    config: { upstream: node.url },
    keys: node.chain.accounts.map(({ key }) => key),
  })
  sender = node.accountOf(1)
  owner = node.accountOf(0)
  tokenAt = await deploy('Token', 1_000_000n.toString(16).padStart(64, '0'), owner)
  await spend({ from: owner, to: tokenAt, data: transfer(sender, 1_000n) })
})
afterAll(async () => {
  await gateway.close()
  await node.close()
})

const transfer = (to: Hex, value: bigint) =>
  encodeFunctionData({ abi: token, functionName: 'transfer', args: [to, value] })

const NEW: Hex = `0x${'ce'.repeat(20)}`

describe('a transaction that is sent then costs what the quote says', () => {
  let snapshot: unknown
  beforeEach(async () => {
    snapshot = await node.rpc('evm_snapshot')
    return () => node.rpc('evm_revert', snapshot)
  })

  const cases: [string, () => object][] = [
    ['coins to an account', () => ({ from: sender, to: owner, value: '0x5' })],
    ['coins to a new account', () => ({ from: sender, to: NEW, value: '0x5' })],
    ['tokens to a new holder', () => ({ from: sender, to: tokenAt, data: transfer(NEW, 5n) })],
    ['tokens to a holder', () => ({ from: sender, to: tokenAt, data: transfer(owner, 5n) })],
    [
      'a deployment',
      () => ({ from: sender, data: `0x${artifacts.Kitchen.bytecode.replace('0x', '')}` }),
    ],
  ]
  test.each(cases)('default: %s', async (_, call) => {
    const quote = await quoteOf(call())
    const { fee, receipt } = await spend(call())
    expect(Number(quote.fee.total)).toBe(fee)
    expect(Number(quote.energy.total)).toBe(receipt['energy_usage_total'] ?? 0)
    const points = Number(receipt['net_usage'] ?? 0)
    expect([0, Number(quote.bandwidth.points)]).toContain(points)
    expect(quote.bandwidth.paidBy).toBe(points > 0 ? 'free' : 'coins')
    expect(Number(quote.feeLimit)).toBeGreaterThanOrEqual(Number(quote.fee.energy))
  })

  test('default: without free bandwidth its bytes are paid in coins', async () => {
    const call = { from: sender, to: tokenAt, data: transfer(owner, 5n) }
    for (let sent = 0; sent < 2; sent++) await spend(call)
    const quote = await quoteOf(call)
    expect(quote.bandwidth.paidBy).toBe('coins')
    expect(Number(quote.fee.total)).toBe((await spend(call)).fee)
  })

  test('default: the stakes of the creator and of the sender pay their shares', async () => {
    await node.chain.patch((state) => {
      const key = `41${tokenAt.slice(2)}`
      const contract = state.get('contract', key)
      if (contract)
        state.set('contract', key, { ...contract, userPercent: 40n, originEnergyLimit: 5_000n })
    })
    await stake(owner, 100n)
    await stake(sender, 1n)
    await node.rpc('evm_mine')
    const call = { from: sender, to: tokenAt, data: transfer(NEW, 7n) }
    const quote = await quoteOf(call)
    const { fee, receipt } = await spend(call)
    expect(Number(quote.energy.fromCreator)).toBe(receipt['origin_energy_usage'])
    expect(Number(quote.energy.fromCreator)).toBe(5_000)
    expect(Number(quote.energy.fromSender)).toBe(receipt['energy_usage'])
    expect(Number(quote.fee.total)).toBe(fee)
  })
})

test('behavior: a wallet client of viem sends with the quoted fee limit', async () => {
  const client = createWalletClient({ account: sender, transport: http(`${gateway.url}/wei`) })
  const call = { to: tokenAt, data: transfer(NEW, 5n) }
  const quote = await client.request<{
    Method: 'ethgate_feeQuote'
    Parameters: [object]
    ReturnType: Quote
  }>({ method: 'ethgate_feeQuote', params: [{ from: sender, ...call }] })
  // At /wei the fee limit and the price are in wei, so the energy is the same.
  const gas = BigInt(quote.feeLimit) / BigInt(quote.energy.price)
  const hash = await client.sendTransaction({ ...call, gas, chain: null })
  const value = { value: hash.slice(2) }
  const info = await node.native('/wallet/gettransactioninfobyid', value)
  expect(info).toMatchObject({ receipt: { result: 'SUCCESS' } })
  const sent = (await node.native('/wallet/gettransactionbyid', value)) as {
    raw_data: { fee_limit: number }
  }
  expect(BigInt(sent.raw_data.fee_limit) * 10n ** 12n).toBe(BigInt(quote.feeLimit))
})

test('behavior: the fee is also in coins, and the fee limit has a reason', async () => {
  const quote = await quoteOf({ from: sender, to: NEW, value: '0x5' })
  expect(quote).toMatchObject({
    coins: '1.1',
    energy: { total: '0x0' },
    feeLimit: '0x0',
    reason: expect.stringContaining('no fee limit'),
  })
  const call = await quoteOf({ from: sender, to: tokenAt, data: transfer(NEW, 5n) })
  expect(call.reason).toContain('stakes can be used up')
})

test('error: a call that reverts has no fee', async () => {
  const call = { from: sender, to: tokenAt, data: transfer(NEW, 10n ** 9n) }
  await expect(rpc('ethgate_feeQuote', call)).rejects.toMatchObject({ code: 3 })
})

test('error: a misspelt member is named', async () => {
  await expect(quoteOf({ from: sender, to: NEW, valeu: '0x5' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('valeu') as string,
  })
  expect(
    await quoteOf({ from: sender, to: NEW, value: '0x5', gas: '0x5208', nonce: '0x1' }),
  ).toEqual(await quoteOf({ from: sender, to: NEW, value: '0x5' }))
})

test('error: a development chain with 18 decimals has no quotes', async () => {
  const dev = await startDevGateway({ rules: { decimals: 18 } })
  const quote = dev.rpc('ethgate_feeQuote', { from: dev.accountOf(0), to: NEW })
  await expect(quote).rejects.toMatchObject({
    code: -32601,
    message: expect.stringContaining('use eth_estimateGas') as string,
  })
  await dev.close()
})
