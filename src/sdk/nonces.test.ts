import { describe, expect, test } from 'vitest'

import { createNonces } from './nonces.ts'

const from = '0xA1'

/** A gateway with these counts, whose solidified block has this time in seconds. */
function gateway({ mined = 0, next = 0, receipt = false, time = 0 } = {}) {
  return async (method: string, params: readonly unknown[]) => {
    if (method === 'eth_getTransactionCount') return params[1] === 'latest' ? mined : next
    if (method === 'eth_getBlockByNumber') return { timestamp: `0x${time.toString(16)}` }
    return receipt ? {} : null
  }
}

/** Builds another transaction each time. */
function builder(expiration = 60_000) {
  let built = 0
  return async () => ({ native: `${++built}`, id: `0x${built}` as const, expiration })
}

describe('keep', () => {
  test('default: the same transaction gets the same bytes, also in parallel', async () => {
    const nonces = createNonces({ now: () => 0 })
    const build = builder()
    const wanted = { from, intent: 'a', nonce: 0 }
    const all = await Promise.all([1, 2, 3].map(() => nonces.keep(gateway(), wanted, build)))
    expect(all.map(({ native }) => native)).toEqual(['1', '1', '1'])
    // Another spelling of the account.
    expect(await nonces.keep(gateway(), { ...wanted, from: '0xa1' }, build)).toEqual(all[0])
  })

  test('error: another transaction with the nonce, also in parallel and asked again', async () => {
    const nonces = createNonces({ now: () => 0 })
    const build = builder()
    const ask = (intent: string) => nonces.keep(gateway(), { from, intent, nonce: 0 }, build)
    const settled = await Promise.allSettled([ask('a'), ask('b'), ask('c'), ask('a')])
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    await expect(ask('b')).rejects.toThrow(
      'replacement transaction underpriced: transaction 0x1 has nonce 0, and this chain cannot replace it',
    )
  })

  test('error: a nonce that the gateway has used', async () => {
    const nonces = createNonces()
    const request = gateway({ mined: 1, next: 2 })
    const ask = (nonce: number) => nonces.keep(request, { from, intent: 'a', nonce }, builder())
    await expect(ask(0)).rejects.toThrow('nonce too low: next nonce 2, tx nonce 0')
    await expect(ask(1)).rejects.toThrow('replacement transaction underpriced')
    // Those before it may be on their way.
    await expect(ask(5)).resolves.toBeDefined()
  })

  test('behavior: a failed build leaves the nonce free', async () => {
    const nonces = createNonces({ now: () => 0 })
    const fails = async () => Promise.reject(new Error('down'))
    const ask = (build: ReturnType<typeof builder>) =>
      nonces.keep(gateway(), { from, intent: 'a', nonce: 0 }, build)
    await expect(ask(fails)).rejects.toThrow('down')
    await expect(ask(builder())).resolves.toMatchObject({ native: '1' })
  })

  test('behavior: a transaction that can no longer be mined gives the nonce back', async () => {
    let time = 0
    const nonces = createNonces({ now: () => time })
    const build = builder(60_000)
    const ask = (intent: string, at: Parameters<typeof gateway>[0]) =>
      nonces.keep(gateway(at), { from, intent, nonce: 0 }, build)
    await ask('a', {})
    time = 70_000
    await expect(ask('b', { time: 60 })).rejects.toThrow('underpriced')
    await expect(ask('b', { time: 70, receipt: true })).rejects.toThrow('underpriced')
    await expect(ask('b', { time: 70 })).resolves.toMatchObject({ native: '2' })
  })
})

test('free: a refused transaction gives its nonce back', async () => {
  const nonces = createNonces({ now: () => 0 })
  const build = builder()
  const ask = (intent: string) => nonces.keep(gateway(), { from, intent, nonce: 0 }, build)
  const { id } = await ask('a')
  await nonces.free(id)
  await expect(ask('b')).resolves.toMatchObject({ native: '2' })
})
