import { appendFile, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { createContracts, createdContract } from './contracts.ts'
import { createFileSentStore, type FileSentStore } from './fileSentStore.ts'
import { describeSentStore } from './sentStore.contract.ts'

const genesis = `0x${'9e'.repeat(32)}`
const from = `0x${'a1'.repeat(20)}` as const
const alias = `0x${'f0'.repeat(32)}` as const
const id = (n: number) => `0x${n.toString(16).padStart(64, '0')}` as const

let folder: string
let file: string
const open: FileSentStore[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ethgate-sent-'))
  file = join(folder, 'state', 'sent.jsonl')
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()))
  await rm(folder, { recursive: true })
})

async function openStore(options: Partial<createFileSentStore.Options> = {}) {
  const store = createFileSentStore({ file, genesis, ...options })
  await store.open()
  open.push(store)
  return store
}

const sent = (n: number, more: object = {}) => ({
  id: id(n),
  from,
  expiration: 1_000 + n,
  hex: 'aa',
  ...more,
})

describe('createFileSentStore', () => {
  describeSentStore(async () => {
    const store = await openStore()
    return { a: store, b: store }
  })

  test('behavior: another process reads every answered change from the file', async () => {
    const store = await openStore()
    await Promise.all([1, 2, 3].map((n) => store.reserve(sent(n, n === 2 ? { alias } : {}))))
    await store.change(id(3), { event: 'final' })
    await store.change(id(1), { event: 'expired' })
    await store.addContract(id(2))
    // The first process closes nothing, as if it was killed.
    const next = await openStore()
    expect(await next.counts(from)).toEqual({ mined: 0, next: 0 })
    expect(await next.reserve(sent(9, { alias }))).toEqual({ outcome: 'known', id: id(2) })
    expect(await next.find(alias)).toMatchObject({ hex: 'aa', nonce: 1 })
    expect(await next.reserve(sent(9, { nonce: 2 }))).toEqual({ outcome: 'low', next: 0 })
    expect(await next.contracts(0)).toEqual({
      contracts: [createdContract(id(2), from, 1)],
      next: 1,
    })
  })

  test('behavior: an incomplete last line is dropped', async () => {
    const store = await openStore()
    await store.reserve(sent(1))
    await appendFile(file, '{"fact":"sent","sent":{"id":"0x')
    const next = await openStore()
    expect(await next.counts(from)).toEqual({ mined: 0, next: 1 })
    await next.reserve(sent(2))
    expect(await (await openStore()).counts(from)).toEqual({ mined: 0, next: 2 })
  })

  test('behavior: the file does not grow without limit and keeps the nonces', async () => {
    const store = await openStore({ compactBytes: 2_000 })
    for (let n = 0; n < 60; n++) {
      await store.reserve(sent(n, { hex: 'aa'.repeat(200) }))
      await store.change(id(n), { event: 'expired' })
    }
    await store.reserve(sent(99))
    await store.change(id(99), { event: 'final' })
    // The endings stay, without the signed bytes.
    expect((await stat(file)).size).toBeLessThan(20_000)
    expect(await (await openStore()).counts(from)).toEqual({ mined: 1, next: 1 })
  })

  test('behavior: contracts are read on after a failed write, when the file has fewer of them', async () => {
    const store = await openStore({ compactBytes: 1 })
    const contracts = createContracts(store)
    for (const n of [1, 2, 3]) {
      await store.reserve(sent(n))
      await store.addContract(id(n))
    }
    for (const n of [1, 2]) await store.change(id(n), { event: 'expired' })
    await contracts.refresh()
    const state = join(folder, 'state')
    await rename(state, join(folder, 'away'))
    // So long that the file is rewritten.
    const long = sent(4, { hex: 'aa'.repeat(10_000) })
    await expect(store.reserve(long)).rejects.toMatchObject({ code: -32603 })
    await rename(join(folder, 'away'), state)
    const { nonce } = (await store.reserve(sent(5))) as { nonce: number }
    await store.addContract(id(5))
    await contracts.refresh()
    const { actual, predicted } = createdContract(id(5), from, nonce)
    expect(contracts.resolve(predicted)).toBe(actual)
  })

  test('behavior: an id that was refused and sent again is there after every restart', async () => {
    const store = await openStore()
    await store.reserve(sent(1, { alias }))
    await store.change(id(1), {
      event: 'refused',
      why: { state: 'refused', nodes: [], reason: 'no' },
    })
    await store.reserve(sent(1, { alias }))
    for (const _ of [1, 2, 3])
      expect(await (await openStore()).find(alias)).toMatchObject({ id: id(1), state: 'pending' })
  })

  test('behavior: states and broadcasts are there after a restart', async () => {
    const store = await openStore()
    const block = { number: 7, hash: id(70) }
    for (const n of [1, 2, 3]) await store.reserve(sent(n))
    await store.reserve({ ...sent(4), intent: 'to pay' })
    await store.change(id(1), { event: 'broadcast' })
    await store.change(id(2), { event: 'seen', block })
    await store.change(id(3), { event: 'seen', block })
    await store.change(id(3), { event: 'final', block })
    for (const _ of [1, 2]) {
      const next = await openStore()
      expect(await next.find(id(1))).toMatchObject({ state: 'pending', broadcasts: 2, hex: 'aa' })
      expect(await next.find(id(2))).toMatchObject({ state: 'mined', block, hex: 'aa' })
      expect(await next.find(id(3))).toMatchObject({ state: 'final', block })
      expect(await next.find(id(4))).toMatchObject({ broadcasts: 0, hex: 'aa', intent: 'to pay' })
      expect(await next.counts(from)).toEqual({ mined: 0, next: 4 })
    }
  })

  test('behavior: a file of an earlier version', async () => {
    await openStore()
    const old = [
      { fact: 'nonces', from, mined: 5, above: [] },
      { fact: 'sent', sent: { ...sent(1), alias, nonce: 5 }, until: Date.now() + 1e9 },
      { fact: 'sent', sent: { ...sent(2), nonce: 6 }, until: Date.now() + 1e9 },
      { fact: 'mined', id: id(2) },
    ]
    await appendFile(file, old.map((fact) => `${JSON.stringify(fact)}\n`).join(''))
    const store = await openStore()
    expect(await store.counts(from)).toEqual({ mined: 5, next: 7 })
    // It may have been broadcast more than once.
    expect(await store.find(alias)).toMatchObject({ state: 'pending', broadcasts: 2 })
    expect(await store.find(id(2))).toMatchObject({ state: 'final' })
  })

  test('behavior: only its owner may read the file', async () => {
    await openStore()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('error: an unreadable line in the middle', async () => {
    const store = await openStore()
    await store.reserve(sent(1))
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('"fact":"sent"', '"fact":"s'))
    await expect(openStore()).rejects.toThrow(/line 2 is not readable/)
  })

  test('error: the file of another chain', async () => {
    await openStore()
    await expect(openStore({ genesis: '0x00' })).rejects.toThrow(/belongs to another chain/)
    await writeFile(file, '{}\n')
    await expect(openStore()).rejects.toThrow(/is not a file of sent transactions/)
  })

  test('error: a file that was cut within its first line; it is not changed', async () => {
    await openStore()
    const cut = (await readFile(file, 'utf8')).slice(0, 20)
    await writeFile(file, cut)
    await expect(openStore()).rejects.toThrow(/is not a file of sent transactions/)
    expect(await readFile(file, 'utf8')).toBe(cut)
  })

  test('error: a disk that refuses writes', async () => {
    await expect(openStore({ file: '/dev/null/sent.jsonl' })).rejects.toThrow(/EEXIST|ENOTDIR/)
  })
})
