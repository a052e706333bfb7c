import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { until } from '../../test/support/until.ts'
import { signTransaction } from '../native/protobuf/signature.ts'
import type { Block, Transaction } from '../native/wire/types.ts'
import { noFaults } from './api/faults.ts'
import { createDevChain, type DevChain } from './devChain.ts'
import { replayBlock } from './trace/replay.ts'
import { signEthereum } from './transactions/ethereumTransaction.ts'

const TIME = 1_700_000_000_000

async function chainOf(options: createDevChain.Options = {}): Promise<DevChain> {
  const chain = await createDevChain({
    ...options,
    time: { now: () => TIME, ...options.time },
  })
  await chain.start()
  return chain
}

async function ask(chain: DevChain, path: string, body: unknown = {}): Promise<unknown> {
  const { text } = await chain.transport.send(`/${path}` as '/wallet/x', JSON.stringify(body), {
    idempotent: true,
  })
  return text === '' ? undefined : JSON.parse(text)
}

const addressOf = (chain: DevChain, index: number) => chain.accounts[index]?.address ?? ''

async function transfer(chain: DevChain, amount: number): Promise<Record<string, unknown>> {
  const built = (await ask(chain, 'wallet/createtransaction', {
    owner_address: addressOf(chain, 0),
    to_address: addressOf(chain, 1),
    amount,
  })) as Transaction
  const signed = signTransaction(built, chain.accounts[0]?.key ?? '')
  return (await ask(chain, 'wallet/broadcasttransaction', signed)) as Record<string, unknown>
}

const balance = async (chain: DevChain, index: number, prefix = 'wallet') =>
  (
    (await ask(chain, `${prefix}/getaccount`, { address: addressOf(chain, index) })) as {
      balance: number
    }
  ).balance

describe('createDevChain', () => {
  test('error: too few coins for the fee of new permissions', async () => {
    const chain = await chainOf({ accounts: { balance: 50n } })
    const owner = addressOf(chain, 0)
    const permission = (type: number) => ({
      type,
      permission_name: 'p',
      threshold: 1,
      keys: [{ address: owner, weight: 1 }],
      ...(type === 2 && { operations: '02'.padEnd(64, '0') }),
    })
    const built = (await ask(chain, 'wallet/accountpermissionupdate', {
      owner_address: owner,
      owner: permission(0),
      actives: [permission(2)],
    })) as Transaction
    const signed = signTransaction(built, chain.accounts[0]?.key ?? '')
    const { code, message } = (await ask(chain, 'wallet/broadcasttransaction', signed)) as {
      code: string
      message: string
    }
    expect([code, Buffer.from(message, 'hex').toString()]).toEqual([
      'CONTRACT_EXE_ERROR',
      `Contract execute error : ${owner} insufficient balance, balance: 50000000, amount: 100000000`,
    ])
  })

  test('error: a block at an interval that fails is reported once, and the next one is made', async () => {
    const errors: unknown[] = []
    let readings = 0
    let isBroken = false
    const chain = await chainOf({
      time: {
        now() {
          if (!isBroken) return TIME
          readings++
          throw new Error('no clock')
        },
      },
      mining: { onError: (error) => errors.push(error) },
    })
    isBroken = true
    chain.setBlockTime(1)
    await until(() => expect(readings).toBeGreaterThan(3))
    expect(errors).toEqual([new Error('no clock')])
    isBroken = false
    await until(() => expect(chain.ledger.head().header.number).toBeGreaterThan(2))
    await chain.close()
  })

  test('behavior: the block of an accepted transaction can come later; close waits for it', async () => {
    const chain = await chainOf()
    const [from, to] = [addressOf(chain, 0), `0x${addressOf(chain, 1).slice(2)}` as const]
    const value = 5n
    const common = { chainId: chain.chainId, data: '0x', from, gas: 21_000n, to, value } as const
    const signed = signEthereum({ ...common, gasPrice: 100n, nonce: 0 }, chain.accounts[0]?.key)
    let begin = () => {}
    const { announced } = await chain.send(signed, () => new Promise((now) => (begin = now)))
    expect(chain.ledger.pool()).toHaveLength(1)
    const steps: string[] = []
    const told = (async () => {
      const path = `/wallet/gettransactioninfobyid?value=${signed.id}`
      const response = await chain.app.request(path)
      steps.push('native client')
      expect(await response.json()).toMatchObject({ blockNumber: 2 })
    })()
    const closed = chain.close().then(() => steps.push('closed'))
    await new Promise(setImmediate)
    expect(steps).toEqual([])
    begin()
    await Promise.all([announced, closed, told])
    expect(steps.toSorted()).toEqual(['closed', 'native client'])
    expect(chain.ledger.placeOf(signed.id)).toEqual({ block: 2, index: 0 })
  })

  test('error: a later block that fails is reported, and the native interface goes on', async () => {
    const errors: unknown[] = []
    let isBroken = false
    const chain = await chainOf({
      time: {
        now() {
          if (isBroken) throw new Error('no clock')
          return TIME
        },
      },
      mining: { onError: (error) => errors.push(error) },
    })
    const from = addressOf(chain, 0)
    const common = { chainId: chain.chainId, data: '0x00', from, gas: 60_000n, value: 0n } as const
    const signed = signEthereum({ ...common, gasPrice: 100n, nonce: 0 })
    const { announced } = await chain.send(signed, async () => void (isBroken = true))
    await expect(announced).rejects.toThrow('no clock')
    isBroken = false
    expect(errors).toEqual([new Error('no clock')])
    expect((await chain.app.request('/wallet/getnowblock')).status).toBe(200)
    await chain.close()
  })

  test('default: a transfer is mined at once', async () => {
    const chain = await chainOf()
    const sent = await transfer(chain, 5)
    expect(sent).toMatchObject({ result: true })
    const block = (await ask(chain, 'wallet/getnowblock')) as Block
    expect(block.block_header.raw_data.number).toBe(2)
    expect(block.transactions?.[0]).toMatchObject({
      txID: sent['txid'],
      ret: [{ contractRet: 'SUCCESS' }],
    })
    expect(await ask(chain, 'wallet/gettransactioninfobyid', { value: sent['txid'] })).toEqual({
      id: sent['txid'],
      blockNumber: 2,
      blockTimeStamp: TIME + 1_000,
      contractResult: [''],
      receipt: { net_usage: 265 },
    })
    expect(await balance(chain, 1)).toBe(10_000_000_005)
  })

  test('behavior: the solidified state is behind the head', async () => {
    const chain = await chainOf()
    await transfer(chain, 5)
    expect(await balance(chain, 1, 'walletsolidity')).toBe(10_000_000_000)
    for (let i = 0; i < 3; i++) await chain.mine()
    expect(await balance(chain, 1, 'walletsolidity')).toBe(10_000_000_005)
  })

  test('behavior: without automine a transaction waits in the pool and is part of the newest state', async () => {
    const chain = await chainOf({ mining: { automine: false } })
    const { txid } = await transfer(chain, 5)
    expect(await ask(chain, 'wallet/gettransactionlistfrompending')).toEqual({ txId: [txid] })
    expect(await ask(chain, 'wallet/getpendingsize')).toEqual({ pendingSize: 1 })
    expect(await balance(chain, 1)).toBe(10_000_000_005)
    expect(await ask(chain, 'wallet/gettransactioninfobyid', { value: txid })).toEqual({})
    await chain.mine()
    expect(await ask(chain, 'wallet/getpendingsize')).toEqual({ pendingSize: 0 })
  })

  test('error: the same transaction twice, a wrong signature, an expired one', async () => {
    const chain = await chainOf()
    const built = (await ask(chain, 'wallet/createtransaction', {
      owner_address: addressOf(chain, 0),
      to_address: addressOf(chain, 1),
      amount: 5,
    })) as Transaction
    const forged = signTransaction(built, chain.accounts[1]?.key ?? '')
    expect(await ask(chain, 'wallet/broadcasttransaction', forged)).toMatchObject({
      code: 'SIGERROR',
    })
    const signed = signTransaction(built, chain.accounts[0]?.key ?? '')
    expect(await ask(chain, 'wallet/broadcasttransaction', signed)).toMatchObject({ result: true })
    expect(await ask(chain, 'wallet/broadcasttransaction', signed)).toMatchObject({
      code: 'DUP_TRANSACTION_ERROR',
    })
    const late = (await ask(chain, 'wallet/createtransaction', {
      owner_address: addressOf(chain, 0),
      to_address: addressOf(chain, 1),
      amount: 6,
    })) as Transaction
    chain.clock.increase(61_000)
    await chain.mine()
    const expired = signTransaction(late, chain.accounts[0]?.key ?? '')
    expect(await ask(chain, 'wallet/broadcasttransaction', expired)).toMatchObject({
      code: 'TRANSACTION_EXPIRATION_ERROR',
    })
  })

  test('behavior: bandwidth is free until it is used up, then costs coins, and recovers in a day', async () => {
    const chain = await chainOf()
    const fees: unknown[] = []
    for (let i = 1; i <= 3; i++) {
      const { txid } = await transfer(chain, i)
      const info = (await ask(chain, 'wallet/gettransactioninfobyid', { value: txid })) as {
        receipt: unknown
      }
      fees.push(info.receipt)
    }
    expect(fees).toEqual([{ net_usage: 265 }, { net_usage: 265 }, { net_fee: 265_000 }])
    chain.clock.increase(86_400_000)
    await chain.mine()
    const { txid } = await transfer(chain, 4)
    expect(await ask(chain, 'wallet/gettransactioninfobyid', { value: txid })).toMatchObject({
      receipt: { net_usage: 265 },
    })
  })

  test('args: the same seed gives the same blocks', async () => {
    const ids = await Promise.all(
      ['a', 'a', 'b'].map(async (seed) => {
        const chain = await createDevChain({ time: { seed }, mining: { blockTime: 0 } })
        await chain.start()
        await transfer(chain, 5)
        return chain.ledger.head().id
      }),
    )
    expect(ids[0]).toBe(ids[1])
    expect(ids[0]).not.toBe(ids[2])
  })

  test('args: state restores the chain after a restart, also after an interrupted write', async () => {
    const state = join(mkdtempSync(join(tmpdir(), 'ethgate-state-')), 'chain.jsonl')
    const first = await chainOf({ state })
    await transfer(first, 5)
    await transfer(first, 6)
    const undone = first.ledger.head().id
    await first.rewind(first.ledger.head().header.number - 1, false)
    await first.close()
    appendFileSync(state, '{"kind":"block","blo')
    const second = await chainOf({ state })
    expect(second.ledger.head().id).toBe(first.ledger.head().id)
    expect(second.ledger.head().id).not.toBe(undone)
    expect(await balance(second, 1)).toBe(10_000_000_005)
    await transfer(second, 7)
    await second.close()
    const third = await chainOf({ state })
    expect(await balance(third, 1)).toBe(10_000_000_012)
    expect(readFileSync(state, 'utf8').endsWith('\n')).toBe(true)
  })

  test('default: with 18 decimals the newest block is block 0, of now and without transactions, as on anvil', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'ethgate-')), 'state')
    const chain = await chainOf({ rules: { decimals: 18 }, state: file })
    const { header, transactions } = chain.ledger.head()
    expect(header).toMatchObject({ number: 0, timestamp: TIME, txTrieRoot: '00'.repeat(32) })
    expect(transactions).toEqual([])
    // A chain that continues from a file keeps the time of its block 0.
    const later = await chainOf({
      rules: { decimals: 18 },
      time: { now: () => TIME + 60_000 },
      state: file,
    })
    expect(later.ledger.head()).toEqual(chain.ledger.head())
    await later.mine()
    const seeded = await chainOf({ rules: { decimals: 18 }, time: { seed: 'x' } })
    expect(seeded.ledger.head().header.timestamp).toBe(Date.parse('2025-01-01T00:00:00Z'))
  })

  test.each([
    ['native', 'cancun'],
    ['cancun', 'native'],
    ['london', 'prague'],
  ] as const)(
    'behavior: blocks of %s are executed again by their rules after a restart with %s',
    async (before, after) => {
      const state = join(mkdtempSync(join(tmpdir(), 'ethgate-state-')), 'chain.jsonl')
      const first = await chainOf({ rules: { decimals: 18, ethereum: { energy: before } }, state })
      const from = addressOf(first, 0)
      // Stores a word: it has another price in each of these rules.
      const [data, gas] = ['0x5f355f55', 200_000n] as const
      const { chainId } = first
      const common = { chainId, data, from, gas, gasPrice: 10n ** 10n, nonce: 0, value: 0n }
      await (
        await first.send(signEthereum(common, first.accounts[0]?.key))
      ).announced
      await first.close()
      const second = await chainOf({ rules: { decimals: 18, ethereum: { energy: after } }, state })
      const block = second.ledger.head()
      expect(block.transactions).toHaveLength(1)
      const replayed = []
      for await (const { info } of replayBlock(second.ledger, block, () => undefined))
        replayed.push(info)
      expect(replayed).toEqual(block.infos)
      await second.close()
    },
  )

  test('behavior: a state file that names no hardforks has blocks of the present one', async () => {
    const state = join(mkdtempSync(join(tmpdir(), 'ethgate-state-')), 'chain.jsonl')
    const first = await chainOf({ rules: { decimals: 18, ethereum: { energy: 'cancun' } }, state })
    await first.mine()
    await first.close()
    const old = readFileSync(state, 'utf8')
      .replace(',"hardforks":true', '')
      .replace(/"hardfork":"cancun",?/, '')
    writeFileSync(state, old)
    const second = await chainOf({ rules: { decimals: 18, ethereum: { energy: 'cancun' } }, state })
    expect(second.ledger.contextAt(second.ledger.head()).block.hardfork).toBe('cancun')
    await second.close()
  })

  test('error: a state file of another chain', async () => {
    const state = join(mkdtempSync(join(tmpdir(), 'ethgate-state-')), 'chain.jsonl')
    await chainOf({ state })
    await expect(createDevChain({ state, accounts: { count: 3 } })).rejects.toThrow('another chain')
  })

  test.each([
    ['a state of anvil, which has no line end', '{"block":{"number":"0x1"},"accounts":{}}'],
    ['a text with several lines', 'accounts:\n  - alice\n  - bob'],
    ['JSON that is no chain', 'null\n'],
    ['lines of another program', '{"level":30}\n{"level":30}\n{"lev'],
  ])('error: a state file that is %s; it is not changed', async (_, content) => {
    const state = join(mkdtempSync(join(tmpdir(), 'ethgate-state-')), 'state.json')
    writeFileSync(state, content)
    await expect(createDevChain({ state })).rejects.toThrow('is not a chain of ethgate dev')
    expect(readFileSync(state, 'utf8')).toBe(content)
  })

  test('error: a state file with a damaged line; it is not changed', async () => {
    const state = join(mkdtempSync(join(tmpdir(), 'ethgate-state-')), 'chain.jsonl')
    await (await chainOf({ state })).close()
    appendFileSync(state, '{"kind":"blo\n{"kind":"block","blo')
    const content = readFileSync(state, 'utf8')
    await expect(createDevChain({ state })).rejects.toThrow(/line \d+ of .* is damaged/)
    expect(readFileSync(state, 'utf8')).toBe(content)
  })

  test('behavior: operations that are not simulated answer as a node with that API disabled', async () => {
    const chain = await chainOf()
    const answer = await chain.transport.send('/wallet/exchangecreate', '{}', { idempotent: true })
    expect(answer).toEqual({
      status: 404,
      text: '{"Error":"this API is unavailable due to config"}',
    })
  })

  test('behavior: faults affect the native interface', async () => {
    const chain = await chainOf()
    chain.setFaults({ ...noFaults, errorRate: 1, operations: ['getnowblock'] })
    const broken = await chain.transport.send('/wallet/getnowblock', '{}', { idempotent: true })
    expect(broken.status).toBe(503)
    const fine = await chain.transport.send('/wallet/getpendingsize', '{}', { idempotent: true })
    expect(fine).toEqual({ status: 200, text: '{"pendingSize":0}\n' })
  })
})
