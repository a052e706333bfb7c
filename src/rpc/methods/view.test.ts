import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { defineMethod } from '../method.ts'
import { address } from '../params/params.ts'
import { methods } from './index.ts'
import { methodsOf } from './view.ts'

const ofHead = Object.keys(methods).filter((name) => methods[name as keyof typeof methods].fullOnly)

test('default: the full view has every method as it is', () => {
  expect(methodsOf('full')).toEqual(methods)
})

test('behavior: the solidified view has the same names', () => {
  expect(Object.keys(methodsOf('solid'))).toEqual(Object.keys(methods))
})

test('behavior: the solidified view refuses what only makes sense at the head, whatever the params', async () => {
  const context = await createReplayContext({ view: 'solid' })
  const solid = methodsOf('solid')
  expect(ofHead).toContain('eth_signTransaction')
  for (const name of ofHead)
    for (const params of [[], ['junk']])
      await expect(async () => callMethod(solid[name]!, context, params)).rejects.toMatchObject({
        code: -32601,
        message: expect.stringContaining('not available on the solidified view'),
      })
})

test('behavior: the solidified view has all others as they are', () => {
  const solid = methodsOf('solid')
  const others = Object.entries(methods).filter(([name]) => !ofHead.includes(name))
  expect(others.length).toBeGreaterThan(ofHead.length)
  for (const [name, method] of others) expect(solid[name]).toBe(method)
})

test('args: methods of an embedder are added, and replace those of the same name', async () => {
  const own = defineMethod({ params: [], summary: 'a test', handler: () => 'own' })
  const sending = defineMethod({
    params: [address],
    summary: 'a test',
    fullOnly: true,
    handler: () => 'sent',
  })
  const more = { eth_chainId: own, test_own: own, test_send: sending }
  const context = await createReplayContext()
  const [full, solid] = [methodsOf('full', more), methodsOf('solid', more)]
  for (const table of [full, solid])
    for (const name of ['eth_chainId', 'test_own'])
      expect(callMethod(table[name]!, context, [])).toBe('own')
  expect(full['test_send']).toBe(sending)
  expect(() => callMethod(solid['test_send']!, context, [])).toThrow('test_send')
  expect(methodsOf('full')).not.toHaveProperty('test_own')
})
