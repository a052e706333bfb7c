import { describe, expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { recordedNative } from '../../../test/support/node.ts'
import { labels } from '../../../test/support/recordedChain.ts'
import { weiMethods } from '../wei/methods.ts'
import { debug_traceTransaction } from './debug_traceTransaction.ts'

const CALLS = { tracer: 'callTracer' }
const KITCHEN = '0x8233a7f16c9f522f26006ab000e1df7a6ae68662'
const BOB = '0x42194febc0f076d4151747569ae87374b41f4a09'
const HEIR = '0x44257cd2acc97cf143c167dcadd5e5e2e1396c5e'

const hashOf = (wanted: string) => {
  const id = labels.transactions.find(({ label }) => label === wanted)?.id
  if (!id) throw new Error(`there is no transaction "${wanted}"`)
  return `0x${id}` as const
}
const trace = async (label: string, options: object = CALLS) =>
  callMethod(debug_traceTransaction, await createReplayContext(), [hashOf(label), options])

test('default: a call, with the creation inside', async () => {
  expect(await trace('make child with value')).toEqual({
    from: BOB,
    gas: '0x989680',
    gasUsed: '0x20864',
    to: KITCHEN,
    input: `0x516517ab${'9'.padStart(64, '0')}`,
    output: '0x000000000000000000000000098276dd072e52faa22f626b41387d7c080fac8d',
    value: '0x37',
    type: 'CALL',
    calls: [
      {
        from: KITCHEN,
        to: '0x098276dd072e52faa22f626b41387d7c080fac8d',
        value: '0x37',
        type: 'CREATE',
      },
    ],
  })
})

test.each([
  [
    'sendTo internal transfer',
    { calls: [{ from: KITCHEN, to: HEIR, value: '0x2d', type: 'CALL' }] },
  ],
  // The inner call failed and was caught.
  [
    'tryFail',
    {
      calls: [
        { from: KITCHEN, to: KITCHEN, error: 'execution failed', value: '0x0', type: 'CALL' },
      ],
    },
  ],
  // The whole transaction failed.
  [
    'multi inner fail',
    { error: 'execution reverted', calls: [{ from: KITCHEN, value: '0x0', type: 'CALL' }] },
  ],
  ['selfdestruct child', { calls: [{ to: HEIR, value: '0x3e8', type: 'SELFDESTRUCT' }] }],
])('default: %s', async (label, expected) => {
  expect(await trace(label)).toMatchObject(expected)
})

test('args: onlyTopCall, and amounts at /wei', async () => {
  const tracerConfig = { onlyTopCall: true }
  const top = await trace('make child with value', { ...CALLS, tracerConfig })
  expect(top).not.toHaveProperty('calls')
  const wei = weiMethods({ debug_traceTransaction })['debug_traceTransaction']
  const params = [hashOf('make child with value'), CALLS]
  const traced = await callMethod(wei as never, await createReplayContext(), params)
  const value = '0x3205af767000'
  expect(traced).toMatchObject({ value, calls: [{ value }] })
})

test('error: other tracers, logs, and a transaction that is in no block', async () => {
  await expect(trace('tryFail', {})).rejects.toMatchObject({ code: -32602 })
  await expect(trace('tryFail', { tracer: 'prestateTracer' })).rejects.toMatchObject({
    message: expect.stringContaining('the only supported tracer is'),
  })
  const withLog = { ...CALLS, tracerConfig: { withLog: true } }
  await expect(trace('tryFail', withLog)).rejects.toMatchObject({
    message: expect.stringContaining('read the receipt'),
  })
})

describe('a node that does not save internal transactions', () => {
  const forgetful = () =>
    createReplayContext({
      intercept({ body, path }) {
        if (!path.includes('gettransactioninfoby')) return undefined
        const text = recordedNative(path, JSON.parse(body))
        return { text: text.replaceAll('"internal_transactions"', '"not_saved"') }
      },
    })
  const ask = async (label: string) =>
    callMethod(debug_traceTransaction, await forgetful(), [hashOf(label), CALLS])

  test('error: a log of another contract proves inner calls, and the error names the setting', async () => {
    await expect(ask('multi ok')).rejects.toMatchObject({
      code: -32000,
      message:
        'the upstream node does not record internal transactions: set vm.saveInternalTx = true in its configuration',
    })
  })

  test('error: a call without a trace of calls, where no block around shows any', async () => {
    await expect(ask('tryFail')).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/unknown whether it records them: set vm\.saveInternalTx/),
    })
  })

  test('behavior: a transfer has no inner calls, with any settings of the node', async () => {
    expect(await ask('multisig transfer')).toMatchObject({ type: 'CALL', input: '0x' })
  })
})

test('behavior: a call without inner calls is accepted when a nearby block shows that the node records them', async () => {
  const context = await createReplayContext()
  const set = hashOf('kitchen set')
  const traced = await callMethod(debug_traceTransaction, context, [set, CALLS])
  expect(traced).not.toHaveProperty('calls')
  const asked = context.node.requests.count('/wallet/gettransactioninfobyblocknum')
  expect(asked).toBeGreaterThan(0)
  // Once is enough.
  await callMethod(debug_traceTransaction, context, [hashOf('sendTo fails'), CALLS])
  expect(context.node.requests.count('/wallet/gettransactioninfobyblocknum') - asked).toBeLessThan(
    3,
  )
})
