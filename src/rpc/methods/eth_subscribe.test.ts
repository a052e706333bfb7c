import { expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { log, logBlocks, startWatchedChain } from '../../../test/support/watchedChain.ts'

async function start() {
  const { chain, gateway } = await startWatchedChain({ blocks: logBlocks(1) })
  return { chain, gateway, socket: await gateway.socket() }
}

test('default: notifications after the answer', async () => {
  const { chain, socket } = await start()
  const id = await socket.rpc<string>('eth_subscribe', 'newHeads')
  const { hash } = chain.mine()
  await until(() => expect(socket.of(id)).toEqual([expect.objectContaining({ hash })]))
})

test('args: resumeFrom', async () => {
  const { socket } = await start()
  const resume = { resumeFrom: '0x1' }
  for (const params of [
    ['logs', {}, resume],
    ['newHeads', resume],
    ['newHeads', null, resume],
  ]) {
    const id = await socket.rpc<string>('eth_subscribe', ...params)
    await until(() => expect(socket.of(id)).toHaveLength(1))
  }
})

test('error: options that would have no effect', async () => {
  const { socket } = await start()
  const resume = { resumeFrom: '0x1' }
  for (const params of [
    ['logs', {}, { resumefrom: '0x1' }],
    ['newHeads', null, { fromBlock: '0x1' }],
    ['syncing', resume],
    ['newPendingTransactions', false, resume],
    ['transactionStatus', `0x${'1'.repeat(64)}`, resume],
  ])
    await expect(socket.rpc('eth_subscribe', ...params)).rejects.toMatchObject({ code: -32602 })
})

test('behavior: transactionStatus tells each change, through a reorg, until the block is solidified', async () => {
  const { chain, socket } = await start()
  const transaction = 'ab'.repeat(32)
  const mine = () => chain.mine({ logs: [[log]], ids: [transaction] })
  const id = await socket.rpc<string>('eth_subscribe', 'transactionStatus', `0x${transaction}`)
  const told = (...states: object[]) => until(() => expect(socket.of(id)).toMatchObject(states))
  const unknown = { state: 'unknown' }
  await told(unknown)
  chain.pending.push(transaction)
  chain.mine()
  const pending = { state: 'pending' }
  await told(unknown, pending)
  chain.pending.pop()
  const { hash } = mine()
  const mined = { state: 'mined', block: { hash, confirmations: '0x1', solidified: false } }
  await told(unknown, pending, mined)
  chain.reorg(1, [{}, {}])
  const removed = { state: 'removed', removedFrom: { hash } }
  await told(unknown, pending, mined, removed)
  const { number } = mine()
  const again = { state: 'mined', removedFrom: { hash } }
  await told(unknown, pending, mined, removed, again)
  chain.solidify(number)
  chain.mine()
  const final = { state: 'mined', block: { solidified: true } }
  await told(unknown, pending, mined, removed, again, final)
  const asked = chain.calls.get('/wallet/gettransactioninfobyid')
  const heads = await socket.rpc<string>('eth_subscribe', 'newHeads')
  chain.mine()
  await until(() => expect(socket.of(heads)).toHaveLength(1))
  expect(chain.calls.get('/wallet/gettransactioninfobyid')).toBe(asked)
  expect(await socket.rpc('eth_unsubscribe', id)).toBe(true)
})

test('error: transactionStatus without a hash', async () => {
  const { socket } = await start()
  for (const params of [[], [{}], ['0x12']])
    await expect(socket.rpc('eth_subscribe', 'transactionStatus', ...params)).rejects.toMatchObject(
      { code: -32602 },
    )
})

test('error: a hash for another kind, which would subscribe to all logs', async () => {
  const { socket } = await start()
  for (const kind of ['logs', 'newHeads'])
    await expect(socket.rpc('eth_subscribe', kind, `0x${'1'.repeat(64)}`)).rejects.toMatchObject({
      code: -32602,
    })
})

test('error: an unknown kind, and HTTP', async () => {
  const { gateway, socket } = await start()
  await expect(socket.rpc('eth_subscribe', 'heads')).rejects.toMatchObject({ code: -32602 })
  await expect(gateway.rpc('eth_subscribe', 'newHeads')).rejects.toMatchObject({ code: -32601 })
})
