import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import { openFileFilterStore } from './file.ts'
import { describeFilterStore } from './store.contract.ts'

const temporary = () => mkdtemp(join(tmpdir(), 'ethgate-filters-'))

describeFilterStore('openFileFilterStore', async (limits) => {
  const folder = await temporary()
  let time = 0
  const open = () =>
    openFileFilterStore({ ...limits, folder, genesis: '0x01', name: 'cursors', now: () => time })
  let opened = await open()
  return {
    store: opened.store,
    async restart() {
      await opened.close()
      opened = await open()
      return opened.store
    },
    async pass(milliseconds) {
      time += milliseconds
    },
    async close() {
      await opened.close()
      await rm(folder, { recursive: true })
    },
  }
})

describe('openFileFilterStore', () => {
  let folder: string
  beforeEach(async () => {
    folder = await temporary()
    onTestFinished(() => rm(folder, { force: true, recursive: true }))
  })
  const file = () => join(folder, 'cursors.jsonl')
  const open = (genesis = '0x01', now = 0) =>
    openFileFilterStore({
      bytesPerClient: 100_000,
      bytesTotal: 100_000,
      folder,
      genesis,
      lease: 1_000,
      name: 'cursors',
      now: () => now,
      perClient: 10,
      total: 10,
      ttl: 1_000,
    })
  const filter = { cursor: '1:0x01', spec: { kind: 'blocks', view: 'full' } } as const

  async function fill() {
    const opened = await open()
    const { store } = opened
    const [kept, removed] = ['kept', 'removed']
    await store.create({ client: 'a' }, filter, kept)
    await store.create({ client: 'a' }, filter, removed)
    await store.claim(kept, 'token', '')
    await store.commit(kept, 'token', '1:0x01', '2:0x02')
    await store.remove(removed)
    await opened.close()
  }

  test('behavior: reads what an earlier process wrote, without a line that was cut short', async () => {
    await fill()
    await appendFile(file(), '{"id":"kept","cur')
    const opened = await open()
    const { store } = opened
    expect(await store.read('kept')).toEqual({ ...filter, cursor: '2:0x02' })
    expect(await store.read('removed')).toBeUndefined()
    await expect(open()).rejects.toMatchObject({ code: -32603 })
    await opened.close()
  })

  test('behavior: a filter that is polled, but does not move, outlives a restart', async () => {
    const first = await open()
    await first.store.create({ client: 'a' }, filter, 'kept')
    await first.close()
    const second = await open('0x01', 900)
    await second.store.claim('kept', 'token', filter.cursor)
    await second.close()
    const third = await open('0x01', 1_500)
    expect(await third.store.read('kept')).toEqual(filter)
    await third.close()
  })

  test('behavior: an expired filter is gone', async () => {
    await fill()
    const opened = await open('0x01', 1_001)
    const { store } = opened
    expect(await store.read('kept')).toBeUndefined()
    await opened.close()
  })

  test('error: another chain, or an unreadable line; the file stays as it is', async () => {
    await fill()
    await expect(open('0x02')).rejects.toMatchObject({ code: -32603 })
    const text = `${await readFile(file(), 'utf8')}nonsense\n`
    await writeFile(file(), text)
    await expect(open()).rejects.toMatchObject({ code: -32603 })
    expect(await readFile(file(), 'utf8')).toBe(text)
  })
})
