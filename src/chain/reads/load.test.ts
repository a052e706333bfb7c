import { describe, expect, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { createReplayNative } from '../../../test/support/native.ts'
import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { createNodeClient } from '../../native/client.ts'
import { loadBlock } from './load.ts'

describe('the recorded chain', () => {
  test('default', async () => {
    const { native, node } = await createReplayNative()
    expect(await loadBlock(native, { number: 131 })).toEqual(recordedBlock(131))
    expect(node.requests.paths()).toEqual([
      '/wallet/getblockbynum',
      '/wallet/gettransactioninfobyblocknum',
    ])
  })

  test('args: cheap calls: a block and its outcomes are asked for at the same time', async () => {
    const { native, node } = await createReplayNative()
    for (const number of [131, 150, 0])
      expect(await loadBlock(native, { number }, undefined, { isCheap: true })).toEqual(
        recordedBlock(number),
      )
    expect(await loadBlock(native, { number: 224 }, undefined, { isCheap: true })).toBeUndefined()
    expect(node.requests.count('/wallet/gettransactioninfobyblocknum')).toBe(3)
  })

  test('error: the outcomes of the same transactions in a block of another branch', async () => {
    const { native, node } = await createReplayNative({
      intercept({ path }) {
        if (!path.endsWith('gettransactioninfobyblocknum')) return undefined
        const infos = recordedBlock(131).infos.map((info) => ({ ...info, blockTimeStamp: 1 }))
        return { status: 200, text: JSON.stringify(infos) }
      },
    })
    await expect(loadBlock(native, { number: 131 })).rejects.toMatchObject({ code: -32603 })
    expect(node.requests.count('/wallet/gettransactioninfobyblocknum')).toBe(3)
  })

  test('args: hash', async () => {
    const { native } = await createReplayNative()
    const { block } = recordedBlock(131)
    expect(await loadBlock(native, { hash: `0x${block.blockID}` })).toEqual(recordedBlock(131))
  })

  test('behavior: an empty block and genesis take one call', async () => {
    const { native, node } = await createReplayNative()
    expect((await loadBlock(native, { number: 150 }))?.infos).toEqual([])
    expect((await loadBlock(native, { number: 0 }))?.infos).toEqual([])
    expect(node.requests.total()).toBe(2)
  })

  test('behavior: a block that the node does not know', async () => {
    const { native } = await createReplayNative()
    expect(await loadBlock(native, { number: 224 })).toBeUndefined()
    expect(await loadBlock(native, { hash: `0x${'ab'.repeat(32)}` })).toBeUndefined()
  })

  test('error: the node keeps no outcomes', async () => {
    const { native } = await createReplayNative({
      intercept: ({ path }) =>
        path.endsWith('gettransactioninfobyblocknum') ? { text: '[]' } : undefined,
    })
    await expect(loadBlock(native, { number: 131 })).rejects.toMatchObject({ code: -32603 })
  })

  test('error: another block than requested', async () => {
    const { block } = recordedBlock(150)
    const { native } = await createReplayNative({
      intercept: ({ path }) =>
        path.includes('getblockby') ? { text: JSON.stringify(block) } : undefined,
    })
    expect(await loadBlock(native, { number: 150 })).toMatchObject({ infos: [] })
    for (const ref of [{ number: 151 }, { hash: `0x${'ab'.repeat(32)}` }] as const)
      await expect(loadBlock(native, ref)).rejects.toThrow('another block')
  })

  test('error: a block without its transactions', async () => {
    const { transactions, ...bare } = recordedBlock(131).block
    const cut = transactions?.map(({ txID }) => ({ txID }))
    for (const block of [bare, { ...bare, transactions: cut }]) {
      const { native } = await createReplayNative({
        intercept: ({ path }) =>
          path.includes('getblockby') ? { text: JSON.stringify(block) } : undefined,
      })
      await expect(loadBlock(native, { number: 131 })).rejects.toThrow(
        /without its transactions|unknown format/,
      )
    }
  })

  test('error: the node fails', async () => {
    const { native } = await createReplayNative({
      intercept: ({ path }) =>
        path.endsWith('gettransactioninfobyblocknum') ? { status: 500, text: 'no' } : undefined,
    })
    await expect(loadBlock(native, { number: 131 })).rejects.toMatchObject({ code: -32603 })
  })
})

test('behavior: a reorg between the two calls', async () => {
  const chain = createScriptedChain()
  chain.mine({ logs: [[]] })
  let branch: { hash: string }[] = []
  const native = createNodeClient({
    transport: {
      async send(path, body) {
        const answer = await chain.transport.send(path, body, { idempotent: true })
        if (path.endsWith('getblockbynum') && branch.length === 0)
          branch = chain.reorg(1, [{ logs: [[], []] }])
        return answer
      },
      async close() {},
    },
  })
  const loaded = await loadBlock(native, { number: 1 })
  expect(`0x${loaded?.block.blockID}`).toBe(branch[0]?.hash)
  expect(loaded?.infos).toHaveLength(2)
})
