import { describe, expect, test } from 'vitest'

import { createScriptedView } from '../../../test/support/scriptedChainView.ts'
import type { BlockRef } from '../../codec/blockRef.ts'

/** A chain of 101 blocks. The first 81 are solidified. */
function setup({ view = 'full' }: { view?: 'full' | 'solid' } = {}) {
  const solid = 80
  const scripts = Array.from({ length: 100 }, () => ({}))
  const { chain, hash } = createScriptedView({ config: { stateWindow: 10 }, scripts, solid, view })
  const at = async (ref: BlockRef) => {
    const source = await chain.state(ref)
    return source.at === 'historic' ? source.block : source.at
  }
  return { at, hash }
}

test('default', async () => {
  const { at, hash } = setup()
  const refs: BlockRef[] = [
    'latest',
    'pending',
    'safe',
    'finalized',
    100,
    90,
    80,
    89,
    'earliest',
    0,
  ]
  expect(await Promise.all(refs.map(at))).toEqual([
    'latest',
    'latest',
    'solid',
    'solid',
    'latest',
    'latest',
    'solid',
    { hash: hash(89), number: 89 },
    { hash: hash(0), number: 0 },
    { hash: hash(0), number: 0 },
  ])
})

test('args: hash', async () => {
  const { at, hash } = setup()
  expect(await at({ blockHash: hash(95) })).toBe('latest')
  expect(await at({ blockHash: hash(80) })).toBe('solid')
  expect(await at({ blockHash: hash(50) })).toEqual({ hash: hash(50), number: 50 })
})

describe('the solid view', () => {
  test('behavior: the solidified state is the newest', async () => {
    const { at, hash } = setup({ view: 'solid' })
    const refs: BlockRef[] = ['latest', 'pending', 'finalized', 80, 70, 69]
    expect(await Promise.all(refs.map(at))).toEqual([
      'solid',
      'solid',
      'solid',
      'solid',
      'solid',
      { hash: hash(69), number: 69 },
    ])
  })

  test('error: blocks above it', async () => {
    const { at } = setup({ view: 'solid' })
    await expect(at(81)).rejects.toMatchObject({ code: -32000, message: 'header not found' })
  })
})

test('error: no such block', async () => {
  const { at } = setup()
  await expect(at(101)).rejects.toMatchObject({ code: -32000, message: 'header not found' })
  await expect(at({ blockHash: `0x${'00'.repeat(32)}` })).rejects.toMatchObject({
    code: -32000,
    message: 'header for hash not found',
  })
})
