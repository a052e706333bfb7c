import { expect, test } from 'vitest'

import { createReplayContext } from '../../test/context.ts'
import { keys } from '../../test/recordedChain.ts'
import { callMethod } from '../jsonrpc/method.ts'
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
  ['0xdf', '/wallet/getaccount'],
  // Within the window behind the head: wallets name the number that they last saw.
  ['0xcf', '/wallet/getaccount'],
  [{ blockNumber: '0xdf' }, '/wallet/getaccount'],
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

test('behavior: the solid view reads the solidified state', async () => {
  const context = await createReplayContext({ view: 'solid' })
  expect(await callMethod(eth_getBalance, context, [keys.rich.eth, 'latest'])).toBe(RICH)
  expect(context.node.requests.paths()).toEqual(['/walletsolidity/getaccount'])
})

test('error: a block that does not exist', async () => {
  const context = await createReplayContext()
  await expect(
    callMethod(eth_getBalance, context, [keys.rich.eth, '0xffff']),
  ).rejects.toMatchObject({ code: -32_000, message: 'header not found' })
})

test('error: no address', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(eth_getBalance, context, ['x'])).toThrowErrorMatchingInlineSnapshot(
    `[InvalidParamsError: invalid argument 0: expected a 20-byte hex or a base58 address, got "x"]`,
  )
})
