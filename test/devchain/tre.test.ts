import type { Hex } from 'viem'
import { encodeFunctionData, keccak256, pad, parseAbi } from 'viem/utils'
import { describe, expect, test } from 'vitest'

import { createTerminal } from '../../src/devchain/node/terminal/terminal.ts'
import { signTransaction } from '../../src/native/protobuf/signature.ts'
import type { Transaction } from '../../src/native/wire/types.ts'
import { startDevGateway, startFileDevGateway } from '../support/devGateway.ts'
import { until } from '../support/until.ts'

const dev = await startFileDevGateway()

const WHO = `41${'ab'.repeat(20)}`
const OTHER = `41${'cd'.repeat(20)}`
const CONSOLE = '41000000000000000000636f6e736f6c652e6c6f67'
const CONTRACT = `0x${'7e'.repeat(20)}`

/** A call at the path of TRE. */
async function tre(method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(`${dev.url}/tre`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { error, result } = (await response.json()) as { error?: unknown; result?: unknown }
  if (error) throw error as Error
  return result
}

const get = (path: string, headers = {}) => fetch(`${dev.url}${path}`, { headers })
const number = async () => Number(await dev.rpc('eth_blockNumber'))
const balance = async (who: string) =>
  ((await dev.native('/wallet/getaccount', { address: who })) as { balance?: number }).balance ?? 0

/** Builds and sends a native transaction of an account without its signature. */
async function sendUnsigned(operation: string, body: object, signature: string[] = []) {
  const built = (await dev.native(`/wallet/${operation}`, body)) as { transaction?: object }
  const transaction = built.transaction ?? built
  return dev.native('/wallet/broadcasttransaction', { ...transaction, signature })
}

describe('/tre', () => {
  test('default: balances, code and slots, by any form of an address', async () => {
    expect(await tre('tre_setAccountBalance', 'TYBNgWfhGuNzdLtjKtxXTfskAhTbMcqbaG', 100)).toBe(true)
    expect(await balance(`41${dev.accountOf(0).slice(2)}`)).toBe(100)
    expect(await tre('tre_setAccountBalance', WHO, '0x3e8')).toBe(true)
    expect(await tre('tre_setAccountBalance', `0x${OTHER.slice(2)}`, '9007199254740993')).toBe(true)
    expect(await balance(WHO)).toBe(1_000)
    expect(await tre('tre_setAccountCode', WHO, '0xbaddad42')).toBe(true)
    const { runtimecode } = await dev.native('/wallet/getcontractinfo', { value: WHO })
    expect(runtimecode).toBe('baddad42')
    expect(await tre('tre_setAccountStorageAt', WHO, '0x05', '0x07')).toBe(true)
    expect(await dev.rpc('eth_getStorageAt', WHO, '0x5', 'latest')).toBe(pad('0x7'))
  })

  test('default: blocks, times and snapshots', async () => {
    const before = await number()
    expect(await tre('tre_mine')).toBe('0x0')
    expect(await tre('tre_mine', { blocks: 3 })).toBe('0x0')
    expect(await number()).toBe(before + 4)
    for (const blocks of [0, 101])
      await expect(tre('tre_mine', { blocks })).rejects.toMatchObject({ code: -32602 })
    const next = (dev.chain.ledger.head().header.timestamp / 1_000 + 1_000) * 1_000
    expect(await tre('tre_setNextBlockTimestamp', next)).toBe(true)
    await tre('tre_mine')
    expect(dev.chain.ledger.head().header.timestamp).toBe(next)
    await expect(tre('tre_setNextBlockTimestamp', next)).rejects.toMatchObject({ code: -32000 })
    const [first, second] = [await tre('tre_snapshot'), await tre('tre_snapshot')]
    expect(await tre('tre_dropSnapshot', second)).toBe(true)
    expect(await tre('tre_dropSnapshot', second)).toBe(false)
    expect(await tre('tre_revert', second)).toBe(false)
    await tre('tre_mine')
    expect(await tre('tre_revert', first)).toBe(true)
    expect(await number()).toBe(before + 5)
    expect(await tre('tre_version')).toMatch(/^ethgate\/v/)
  })

  test('behavior: a block time lets transactions wait; miner_stop and miner_start too', async () => {
    const send = () =>
      dev.rpc('eth_sendTransaction', { from: dev.accountOf(1), to: CONTRACT, value: '0x1' })
    for (const [stop, start] of [
      [
        ['tre_blockTime', 60],
        ['tre_blockTime', 0],
      ],
      [['miner_stop'], ['miner_start']],
    ] as const) {
      expect(await tre(...(stop as [string]))).toBe(true)
      const before = await number()
      await send()
      expect(await number()).toBe(before)
      expect(await tre(...(start as [string]))).toBe(true)
      await send()
      expect(await number()).toBe(before + 1)
    }
    await expect(tre('tre_blockTime', 61)).rejects.toMatchObject({ code: -32602 })
  })

  test('default: debug_traceTransaction has the form of TRE; elsewhere that of geth', async () => {
    // PUSH1 1, PUSH0, SSTORE, PUSH0, SLOAD, PUSH0, MSTORE, PUSH0, PUSH0, SHA3, PREVRANDAO, STOP
    await dev.rpc('anvil_setCode', CONTRACT, '0x60015f555f545f525f5f204400')
    const hash = (await dev.rpc('eth_sendTransaction', {
      from: dev.accountOf(0),
      to: CONTRACT,
      gas: '0x30000',
    })) as string
    const trace = (await tre('debug_traceTransaction', hash.slice(2))) as {
      structLogs: Record<string, unknown>[]
    }
    expect(Object.keys(trace)).toEqual(['failed', 'gas', 'structLogs', 'returnValue'])
    expect(trace).toMatchObject({ failed: false, gas: '', returnValue: '' })
    const word = (value: number) => value.toString(16).padStart(64, '0')
    expect(trace.structLogs.map(({ op }) => op).slice(0, 3)).toEqual(['PUSH1', 'PUSH0', 'SSTORE'])
    expect(trace.structLogs[2]).toEqual({
      depth: 1,
      error: '',
      gas: expect.stringMatching(/^0x[\da-f]{16}$/),
      gasCost: expect.any(Number),
      memory: [],
      op: 'SSTORE',
      pc: 3,
      stack: [word(1), word(0)],
      storage: {},
    })
    expect(trace.structLogs[3]).toMatchObject({ storage: { [word(0)]: word(1) } })
    expect(trace.structLogs.at(-1)).toMatchObject({ memory: [word(1)] })
    expect(trace.structLogs.map(({ op }) => op).slice(-3)).toEqual(['SHA3', 'DIFFICULTY', 'STOP'])
    expect(await dev.rpc('debug_traceTransaction', hash)).toMatchObject({ gas: expect.any(Number) })
  })
})

test('default: debug_storageRangeAt has the slots in the order of their hashes', async () => {
  // Counts in slot 0, and writes the count to the slot of its number.
  await dev.rpc('anvil_setCode', CONTRACT, '0x5f54600101805f55805500')
  const send = () =>
    dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), to: CONTRACT, gas: '0x30000' })
  const block = (await number()) + 1
  for (let count = 0; count < 3; count++) await send()
  const slots = [0, 1, 2, 3].map((slot) => pad(`0x${slot}` as Hex))
  const sorted = slots.toSorted((a, b) => (keccak256(a) < keccak256(b) ? -1 : 1))
  type Range = { storage: Record<Hex, { key: Hex; value: Hex }>; nextKey: Hex | null }
  const all = (await tre('debug_storageRangeAt', 'latest', 0, CONTRACT, '0x', 10)) as Range
  // Before the last transaction, as in geth: slot 3 is empty.
  expect(Object.values(all.storage).map(({ key }) => key)).toEqual(
    sorted.filter((slot) => Number(slot) < 3),
  )
  expect(all.storage[keccak256(pad('0x0'))]).toEqual({ key: pad('0x0'), value: pad('0x2') })
  expect(all.nextKey).toBeNull()
  // TRE has only the newest state.
  const first = (await tre('debug_storageRangeAt', 0, 0, CONTRACT, '0x00', 1)) as Range
  expect(Object.keys(first.storage)).toEqual([keccak256(sorted[0] as Hex)])
  expect(first.nextKey).toBe(keccak256(sorted[1] as Hex))
  const rest = (await tre('debug_storageRangeAt', 0, 0, CONTRACT, first.nextKey, 10)) as Range
  expect(Object.keys(rest.storage)).toEqual(sorted.slice(1).map((slot) => keccak256(slot)))
  const early = (await tre('debug_storageRangeAt', block, 0, CONTRACT, '0x', 10)) as Range
  expect(early.storage).toEqual({})
})

describe('impersonation in native form', () => {
  test('default: a transfer, a call and a creation without a signature', async () => {
    await tre('tre_setAccountBalance', WHO, 1_000_000_000)
    const body = { owner_address: WHO, to_address: OTHER, amount: 5 }
    expect(await sendUnsigned('createtransaction', body)).toMatchObject({ code: 'SIGERROR' })
    expect(await tre('tre_unlockedAccounts', [WHO])).toBe(true)
    expect(await sendUnsigned('createtransaction', body)).toMatchObject({ result: true })
    // A signature of somebody else does not matter either.
    const wrong = ['11'.repeat(65)]
    expect(await sendUnsigned('createtransaction', { ...body, amount: 6 }, wrong)).toMatchObject({
      result: true,
    })
    expect(await balance(OTHER)).toBe(11)
    // Stores CALLER in slot 0: the creation code, and what it returns.
    const created = await sendUnsigned('deploycontract', {
      owner_address: WHO,
      bytecode: '335f55600580600d5f395ff3335f5500',
      abi: '[]',
      fee_limit: 100_000_000,
      origin_energy_limit: 10_000_000,
      consume_user_resource_percent: 100,
    })
    expect(created).toMatchObject({ result: true })
    const info = await dev.native('/wallet/gettransactioninfobyid', {
      value: created['txid'],
    })
    const address = String(info['contract_address'])
    expect(await dev.rpc('eth_getStorageAt', address, '0x0', 'latest')).toBe(
      pad(`0x${WHO.slice(2)}`),
    )
    expect(await tre('tre_stopImpersonatingAccount', WHO)).toBe(true)
    expect(await sendUnsigned('createtransaction', { ...body, amount: 7 })).toMatchObject({
      code: 'SIGERROR',
    })
  })

  test('behavior: the block replays, and a restarted chain has it', async () => {
    await dev.rpc('hardhat_impersonateAccount', WHO)
    await tre('tre_setAccountBalance', WHO, 1_000_000_000)
    const sent = await sendUnsigned('createtransaction', {
      owner_address: WHO,
      to_address: OTHER,
      amount: 5,
    })
    expect(await dev.rpc('trace_transaction', `0x${String(sent['txid'])}`)).toEqual([
      expect.objectContaining({ type: 'call' }),
    ])
  })
})

test('behavior: one producer solidifies each block', async () => {
  const chain = await startDevGateway({ rules: { producers: 1 } })
  await chain.rpc('eth_sendTransaction', { from: chain.accountOf(0), to: CONTRACT, value: '0x1' })
  const [latest, final] = await Promise.all(
    ['latest', 'finalized'].map((block) => chain.rpc('eth_getBlockByNumber', block, false)),
  )
  expect(final).toEqual(latest)
  await chain.close()
})

test('default: console.log of native transactions and constant calls, for tools and on the terminal', async () => {
  let printed = ''
  const chain = await startDevGateway({}, {}, (made) =>
    createTerminal({
      chain: made,
      color: false,
      decimals: 6,
      verbose: false,
      write: (text) => (printed += text),
    }),
  )
  // Passes its data on to the console.
  const code = '0x365f5f375f5f365f6a636f6e736f6c652e6c6f675afa00'
  await chain.rpc('anvil_setCode', CONTRACT, code)
  const said = encodeFunctionData({
    abi: parseAbi(['function log(string)']),
    args: ['hello from a native call'],
  }).slice(2)
  const call = {
    owner_address: `41${chain.accountOf(0).slice(2)}`,
    contract_address: `41${CONTRACT.slice(2)}`,
    data: said,
    fee_limit: 100_000_000,
  }
  const entry = { transferTo_address: CONSOLE, data: said }
  const constant = await chain.native('/wallet/triggerconstantcontract', call)
  expect(constant['internal_transactions']).toEqual([expect.objectContaining(entry)])
  await until(() => expect(printed).toContain('  console.log:\n    hello from a native call'))
  printed = ''
  const { transaction } = (await chain.native('/wallet/triggersmartcontract', call)) as {
    transaction: Transaction
  }
  const signed = signTransaction(transaction, chain.chain.accounts[0]?.key ?? '')
  const sent = await chain.native('/wallet/broadcasttransaction', signed)
  expect(sent).toMatchObject({ result: true, internal_transactions: [entry] })
  await until(() => expect(printed).toContain('console.log:\n      hello from a native call'))
  await chain.close()
})

describe('/admin', () => {
  test('default: the accounts and their keys', async () => {
    const json = (await (await get('/admin/accounts-json')).json()) as Record<string, unknown>
    expect(json).toMatchObject({
      hdPath: "m/44'/60'/0'/0/",
      mnemonic: 'test test test test test test test test test test test junk',
      more: expect.any(Array),
    })
    expect((json['privateKeys'] as string[]).map((key) => `0x${key}`)).toEqual(
      dev.chain.accounts.map((_, index) => dev.keyOf(index)),
    )
    const text = async (path: string) => (await get(path)).text()
    expect(await text('/admin/accounts')).toContain('(0) TYBNgWfhGuNzdLtjKtxXTfskAhTbMcqbaG (10000')
    expect(await text('/admin/accounts?format=hex')).toContain(
      `(0) ${dev.chain.accounts[0]?.address}`,
    )
    expect(await text('/admin/accounts?format=all')).toMatch(/\(0\) T\w{33} \(41[\da-f]{40}\)/)
    expect(await text('/healthcheck')).toBe('OK')
    expect(await text('/admin')).toContain('ethgate')
  })

  test('default: more accounts with coins', async () => {
    const made = await get('/admin/temporary-accounts-generation?accounts=3&defaultBalance=7')
    expect(made.status).toBe(200)
    const { more } = (await (await get('/admin/accounts-json')).json()) as {
      more: { mnemonic: string; privateKeys: string[] }[]
    }
    expect(more.at(-1)?.privateKeys).toHaveLength(3)
    expect(more.at(-1)?.mnemonic.split(' ')).toHaveLength(12)
    await get('/admin/set-env?accounts=2&defaultBalance=5')
    const listed = await (await get('/admin/accounts-generation')).text()
    expect(listed.match(/\(5 coins\)/g)).toHaveLength(2)
    expect((await get('/admin/temporary-accounts-generation?accounts=x')).status).toBe(400)
  })

  test('error: a request that a proxy passes on, or a page of another site, gets no keys', async () => {
    const passed = await get('/admin/accounts-json', { 'x-forwarded-for': '203.0.113.9' })
    expect(passed.status).toBe(403)
    const page = await get('/admin/accounts-json', { origin: 'https://example.com' })
    expect(page.status).toBe(403)
  })
})
