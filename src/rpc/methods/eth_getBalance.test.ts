import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { keys } from '../../../test/support/recordedChain.ts'
import { eth_getBalance } from './eth_getBalance.ts'

const RICH = '0x5801cee0f6d022'

test('default', async () => {
  expect(await callMethod(eth_getBalance, await createReplayContext(), [keys.rich.eth])).toBe(RICH)
})

test.each([['base58'], ['hex']] as const)('args: %s address', async (form) => {
  const context = await createReplayContext()
  expect(await callMethod(eth_getBalance, context, [keys.rich[form], 'latest'])).toBe(RICH)
})

test.each([
  ['latest', '/wallet/getaccount'],
  ['pending', '/wallet/getaccount'],
  ['safe', '/walletsolidity/getaccount'],
  ['finalized', '/walletsolidity/getaccount'],
  ['0xdf', '/wallet/getaccountbalance'],
  ['0xcf', '/wallet/getaccountbalance'],
  [{ blockNumber: '0xdf' }, '/wallet/getaccountbalance'],
])('args: block %j', async (ref, path) => {
  const context = await createReplayContext()
  expect(await callMethod(eth_getBalance, context, [keys.rich.eth, ref])).toBe(RICH)
  expect(context.node.requests.paths()).toContain(path)
})

test.each([['0x1'], ['earliest']])('args: past block %s', async (ref) => {
  expect(await callMethod(eth_getBalance, await createReplayContext(), [keys.rich.eth, ref])).toBe(
    '0x58d15e17628000',
  )
})

test('behavior: the balance at a recent block is exact if the node keeps balances', async () => {
  const context = await createReplayContext({
    intercept: ({ path }) =>
      path === '/wallet/getaccountbalance'
        ? { text: '{"balance":7,"block_identifier":{"number":200}}' }
        : undefined,
  })
  expect(await callMethod(eth_getBalance, context, [keys.rich.eth, '0xde'])).toBe('0x7')
  expect(await callMethod(eth_getBalance, context, [keys.rich.eth, 'latest'])).toBe(RICH)
})

test('behavior: the balance at a recent block is the newest one if the node keeps none', async () => {
  const context = await createReplayContext({
    intercept({ body, path }) {
      const { block_identifier } = JSON.parse(body) as { block_identifier?: unknown }
      if (path === '/wallet/getaccountbalance')
        return { text: JSON.stringify({ balance: 0, block_identifier }) }
      const unknown =
        '{"Error":"class org.example.ItemNotFoundException : This block does not exist"}'
      return path === '/wallet/getblockbalance' ? { text: unknown } : undefined
    },
  })
  for (const ref of ['0xde', '0xdd'])
    expect(await callMethod(eth_getBalance, context, [keys.rich.eth, ref])).toBe(RICH)
  expect(context.node.requests.count('/wallet/getaccountbalance')).toBe(1)
})

test('behavior: the solid view reads the solidified state', async () => {
  const context = await createReplayContext({ view: 'solid' })
  expect(await callMethod(eth_getBalance, context, [keys.rich.eth, 'latest'])).toBe(RICH)
  expect(context.node.requests.paths()).toEqual(['/walletsolidity/getaccount'])
})

test('error: a block that does not exist', async () => {
  const context = await createReplayContext()
  await expect(
    callMethod(eth_getBalance, context, [keys.rich.eth, '0xffff']),
  ).rejects.toMatchObject({ code: -32000, message: 'header not found' })
})

test('error: no address', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(eth_getBalance, context, ['x'])).toThrowErrorMatchingInlineSnapshot(
    `[InvalidParamsError: invalid argument 0: expected a 20-byte hex or a base58 address, got "x"]`,
  )
})
