import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type ReplayNode, type ReplayReply, startReplayNode } from '../../test/support/node.ts'
import { CHAIN, keys, labels } from '../../test/support/recordedChain.ts'
import { createNodeClient, type NativeClient } from './client.ts'
import { NodeBusyError, NodeLacksApiError, NodeRefusedError } from './errors.ts'
import { createHttpTransport } from './transport/transport.ts'

const BUSY = '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}'
const hex = (text: string) => Buffer.from(text).toString('hex')
const CPU = hex(
  "class org.x.Program$OutOfTimeException : CPU timeout for 'PUSH1' operation executing",
)

let node: ReplayNode
let native: NativeClient
let scripted: (ReplayReply | Promise<ReplayReply>)[] = []
let waits: number[] = []

beforeAll(async () => {
  node = await startReplayNode({ intercept: () => scripted.shift() })
  native = createNodeClient({
    transport: createHttpTransport({ upstream: node.url }),
    sleep: async (milliseconds) => void waits.push(milliseconds),
    random: () => 0.5,
  })
})

afterAll(async () => {
  await native.close()
  await node.close()
})

/** Answers in place of the node's, one a call. */
function answerWith(...replies: (string | Promise<ReplayReply>)[]): void {
  scripted = replies.map((reply) => (typeof reply === 'string' ? { text: reply } : reply))
  waits = []
  node.requests.reset()
}

describe('createNodeClient', () => {
  test('default', async () => {
    const block = await native.wallet.getBlock({ id_or_num: '120', detail: true })
    expect(block?.block_header.raw_data.number).toBe(120)
    expect(await native.wallet.getBlock({ id_or_num: '224' })).toBeUndefined()
    expect(await native.wallet.getTransactionInfoByBlockNum({ num: 0 })).toEqual([])
    expect(await native.wallet.getBlockByLimitNext({ startNum: 5, endNum: 5 })).toEqual({})
    expect(await native.solidity.getTransactionCountByBlockNum({ num: 9999 })).toEqual({ count: 0 })
  })

  test('behavior: queries without a body go by the method that the specification names', async () => {
    answerWith()
    await native.wallet.getNodeInfo()
    await native.wallet.getNowBlock()
    await native.solidity.getNowBlock()
    expect(node.requests.paths()).toEqual([
      '/wallet/getnodeinfo',
      '/wallet/getnowblock',
      '/walletsolidity/getnowblock',
    ])
  })

  test('behavior: int64 is exact both ways', async () => {
    const account = await native.wallet.getAccount({ address: keys.rich.hex })
    expect(account?.balance).toBe(24_771_785_999_700_002n)
    const build = native.wallet.createTransaction({
      owner_address: keys.bob.hex,
      to_address: keys.alice.hex,
      amount: 9_000_000_000_000_000n,
    })
    await expect(build).rejects.toThrow('balance is not sufficient')
  })

  test('error: the account of another address', async () => {
    const address = keys.bob.hex
    answerWith(`{"address":"${keys.alice.hex}","balance":5}`)
    await expect(native.wallet.getAccount({ address })).rejects.toThrow(
      'the node answered getaccount for another request',
    )
  })

  test('error: the block of another height', async () => {
    answerWith(`{"blockID":"${'ab'.repeat(32)}","block_header":{"raw_data":{"number":8}}}`)
    await expect(native.wallet.getBlock({ id_or_num: '7' })).rejects.toThrow(
      'the node answered getblock for another request',
    )
  })

  test('error: a block or a transaction of another height or id', async () => {
    const id = 'ab'.repeat(32)
    const value = 'cd'.repeat(32)
    const { wallet } = native
    const block = `{"blockID":"${id}","block_header":{"raw_data":{"number":8}}}`
    const asks: [string, () => Promise<unknown>][] = [
      [block, () => wallet.getBlockByNum({ num: 7 })],
      [block, () => wallet.getBlockById({ value })],
      [`{"txID":"${id}","raw_data":{"contract":[]}}`, () => wallet.getTransactionById({ value })],
      [`{"id":"${id}"}`, () => wallet.getTransactionInfoById({ value })],
    ]
    for (const [answer, ask] of asks) {
      answerWith(answer)
      await expect(ask()).rejects.toThrow('for another request')
    }
    answerWith(`{"id":"${id}"}`)
    expect(await wallet.getTransactionInfoById({ value: `0x${'AB'.repeat(32)}` })).toEqual({ id })
  })

  test('behavior: the maker’s spelling of three fields is read as the neutral one', async () => {
    answerWith('{"TotalTronPowerWeight":5,"tronPowerLimit":3,"tronPowerUsed":2,"NetUsed":1}')
    expect(await native.wallet.getAccountResource({ address: keys.bob.hex })).toEqual({
      NetUsed: 1,
      nativePowerLimit: 3,
      nativePowerUsed: 2,
      totalNativePowerWeight: 5,
    })
    answerWith('{"totalNativePowerWeight":7}')
    expect(await native.wallet.getAccountResource({ address: keys.bob.hex })).toEqual({
      totalNativePowerWeight: 7,
    })
    expect(await native.solidity.getBurnNative()).toEqual({ burnNativeAmount: 58584976580 })
  })

  test('behavior: messages are text', async () => {
    const call = await native.wallet.triggerConstantContract({
      owner_address: keys.bob.hex,
      contract_address: keys.alice.hex,
      data: '00',
    })
    expect(call).toEqual({
      result: { code: 'CONTRACT_VALIDATE_ERROR', message: 'Smart contract is not exist.' },
    })
    answerWith(`{"code":"SIGERROR","message":"${hex('Validate signature error: x')}","txid":"ab"}`)
    expect(await native.wallet.broadcastTransaction({ raw_data: {} })).toEqual({
      code: 'SIGERROR',
      message: 'Validate signature error: x',
      txid: 'ab',
    })
    answerWith('{"result":false,"code":"SIGERROR","message":"abcd","txid":"ab"}')
    expect(await native.wallet.broadcastHex({ transaction: '00' })).toMatchObject({
      message: 'abcd',
    })
  })

  test('behavior: identical reads in flight are one call', async () => {
    answerWith()
    const request = { address: keys.alice.hex }
    const [one, two, other] = await Promise.all([
      native.wallet.getAccount(request),
      native.wallet.getAccount({ ...request }),
      native.solidity.getAccount(request),
    ])
    expect(one).toBe(two)
    expect(other).toEqual(one)
    expect(node.requests.total()).toBe(2)
    await native.wallet.getAccount(request)
    expect(node.requests.total()).toBe(3)
  })

  test('behavior: builders and broadcasts are never shared', async () => {
    answerWith()
    const transfer = {
      owner_address: keys.bob.hex,
      to_address: keys.alice.hex,
      amount: 1_000_000,
    }
    await Promise.all([
      native.wallet.createTransaction(transfer),
      native.wallet.createTransaction(transfer),
    ])
    expect(node.requests.total()).toBe(2)
    answerWith('{"result":true}', '{"result":true}')
    const signed = { transaction: '00' }
    await Promise.all([native.wallet.broadcastHex(signed), native.wallet.broadcastHex(signed)])
    expect(node.requests.total()).toBe(2)
  })

  test('behavior: an abort cancels a call that has no other caller', async () => {
    answerWith(new Promise(() => {}))
    const controller = new AbortController()
    const call = native.wallet.getNextMaintenanceTime(undefined, { signal: controller.signal })
    controller.abort(new Error('client gone'))
    await expect(call).rejects.toThrow('client gone')
  })

  test('behavior: calls to a busy node are retried after growing pauses', async () => {
    answerWith(BUSY, BUSY, '{"num":5}')
    expect(await native.wallet.getNextMaintenanceTime()).toEqual({ num: 5 })
    expect(waits).toEqual([100, 200])
  })

  test('error: a broadcast at a busy node is not repeated: a front end may have passed it on', async () => {
    answerWith(BUSY, '{"code":"BANDWITH_ERROR"}')
    await expect(native.wallet.broadcastHex({ transaction: '00' })).rejects.toThrow(NodeBusyError)
    expect(node.requests.total()).toBe(1)
  })

  test('behavior: a call that ran out of CPU time is sent three times, with pauses', async () => {
    const late = `{"result":{"code":"OTHER_ERROR","message":"${CPU}"}}`
    const request = { owner_address: keys.bob.hex, data: '00' }
    answerWith(late, late, '{"result":{"result":true},"constant_result":[""]}')
    expect((await native.wallet.triggerConstantContract(request)).result).toEqual({ result: true })
    expect(waits).toEqual([100, 200])
    answerWith(late, late, late)
    expect((await native.wallet.estimateEnergy(request)).result.message).toContain('CPU timeout')
    expect(node.requests.total()).toBe(3)
  })

  test('error: a node that stays busy', async () => {
    answerWith(BUSY, BUSY, BUSY, BUSY)
    await expect(native.wallet.getNextMaintenanceTime()).rejects.toThrow(NodeBusyError)
    expect(waits).toEqual([100, 200, 400])
  })

  test('error: what the node refuses', async () => {
    const error = await native.wallet
      .createTransaction({ owner_address: keys.bob.hex, to_address: keys.bob.hex, amount: 1 })
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(NodeRefusedError)
    expect(error).toMatchObject({ exception: 'ContractValidateException', code: -32000 })
  })

  test('error: answers of an unknown shape', async () => {
    for (const text of ['5', 'null', '"x"']) {
      answerWith(text)
      await expect(native.wallet.getNodeInfo()).rejects.toMatchObject({ code: -32603 })
    }
    answerWith('{"a":1}')
    await expect(native.wallet.getTransactionInfoByBlockNum({ num: 1 })).rejects.toMatchObject({
      message: 'the upstream node’s answer to gettransactioninfobyblocknum has an unknown format',
    })
    answerWith('{}')
    await expect(
      native.wallet.triggerConstantContract({ owner_address: keys.bob.hex }),
    ).rejects.toMatchObject({ code: -32603 })
  })
})

test('error: a body of a proxy instead of an answer', async () => {
  const front = '{"message":"try again"}'
  answerWith(front, '[]', front, front, front)
  const address = keys.rich.hex
  const value = 'ab'.repeat(32)
  const calls = [
    () => native.wallet.getAccount({ address }),
    () => native.wallet.getAccount({ address }),
    () => native.wallet.getTransactionInfoById({ value }),
    () => native.wallet.getContractInfo({ value: address }),
    () => native.wallet.getBlockByNum({ num: 1 }),
  ]
  for (const call of calls) await expect(call()).rejects.toThrow('has an unknown format')
})

describe('call', () => {
  test('default', async () => {
    const block = { blockID: CHAIN.headHash.slice(2) }
    expect(await native.call('wallet', 'getnowblock')).toMatchObject(block)
    expect(await native.call('walletsolidity', 'GetNowBlock', {})).toMatchObject(block)
    expect(await native.call('wallet', 'gettransactionbyid', { value: '12'.repeat(32) })).toEqual(
      {},
    )
    expect(await native.call('wallet', 'GetBurnNative')).toEqual({ burnTrxAmount: 58584976580 })
  })

  test('args: visible', async () => {
    const { base58 } = keys.bob
    expect(
      await native.call('wallet', 'getaccount', { address: base58, visible: true }),
    ).toMatchObject({ address: base58 })
  })

  test('behavior: the name of an unknown operation is sent unchanged', async () => {
    answerWith('{"a":1}', '{"a":1}')
    const ask = () => native.call('wallet', 'getSomethingNew', { x: 1n })
    expect(await Promise.all([ask(), ask()])).toEqual([{ a: 1 }, { a: 1 }])
    expect(node.requests.paths()).toEqual(['/wallet/getSomethingNew', '/wallet/getSomethingNew'])
  })

  test('error: an operation that does not exist', async () => {
    await expect(native.call('wallet', 'nosuch')).rejects.toThrow(NodeLacksApiError)
    await expect(native.call('wallet', '../admin')).rejects.toThrow(TypeError)
  })
})

test('every labelled transaction that was accepted can be looked up', async () => {
  for (const { id, accepted } of labels.transactions.slice(0, 60)) {
    const found = await native.wallet.getTransactionInfoById({ value: id })
    expect(found?.id).toBe(accepted ? id : undefined)
  }
})
