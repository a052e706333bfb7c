import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { FilterLimits, FilterStore } from './store.ts'

/** A store under test. `pass` lets time go by: for real where the store has a clock of its own. */
export type TestStore = {
  store: FilterStore
  pass(milliseconds: number): Promise<void>
  close(): Promise<void>
}

const limits: FilterLimits = { ttl: 1_000, lease: 300, perClient: 3, total: 5 }
const spec = { kind: 'blocks', view: 'full' } as const

/** What every filter store must do. */
export function describeFilterStore(
  name: string,
  open: (limits: FilterLimits) => Promise<TestStore>,
  skip = false,
): void {
  describe.skipIf(skip)(`${name} as a store`, () => {
    let store: FilterStore
    let opened: TestStore

    beforeEach(async () => {
      opened = await open(limits)
      store = opened.store
    })
    afterEach(() => opened.close())

    const create = (client = 'a') => store.create(client, { spec, cursor: '1:0x01' })

    test('default: what was created is read back', async () => {
      const filter = {
        spec: {
          kind: 'logs',
          view: 'solid',
          addresses: ['0x01'],
          topics: [null, ['0x02']],
          from: 1,
          scanFrom: 1,
        },
        cursor: '5:0x05',
      } as const
      const id = await store.create('a', {
        ...filter,
        spec: { ...filter.spec, addresses: ['0x01'], topics: [null, ['0x02']] },
      })
      expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
      expect(await store.read(id)).toEqual(filter)
      expect(await store.read('0x00')).toBeUndefined()
    })

    test('behavior: a delivered page moves the cursor once', async () => {
      const id = await create()
      expect(await store.take(id, 'one', 'nothing')).toEqual({
        cursor: '1:0x01',
        spec,
        state: 'taken',
      })
      expect(await store.move(id, 'one', '1:0x01', '2:0x02')).toBe(true)
      expect(await store.move(id, 'one', '1:0x01', '3:0x03')).toBe(false)
      expect(await store.take(id, 'two', 'nothing')).toMatchObject({
        cursor: '2:0x02',
        state: 'taken',
      })
    })

    test('behavior: a page has one owner', async () => {
      const id = await create()
      const taken = await Promise.all(
        ['a', 'b', 'c', 'd'].map((token) => store.take(id, token, 'nothing')),
      )
      expect(taken.filter((one) => one?.state === 'taken')).toHaveLength(1)
    })

    test('behavior: an undelivered page is there again', async () => {
      const id = await create()
      await store.take(id, 'one', 'nothing')
      await store.release(id, 'other')
      expect((await store.take(id, 'two', 'nothing'))?.state).toBe('busy')
      await store.release(id, 'one')
      expect(await store.take(id, 'two', 'nothing')).toMatchObject({
        cursor: '1:0x01',
        state: 'taken',
      })
    })

    test('behavior: the page of a dead replica is free after the lease', async () => {
      const id = await create()
      await store.take(id, 'dead', 'nothing')
      await opened.pass(limits.lease + 50)
      expect((await store.take(id, 'next', 'nothing'))?.state).toBe('taken')
      expect(await store.move(id, 'dead', '1:0x01', '2:0x02')).toBe(false)
      expect(await store.extend(id, 'dead')).toBe(false)
      expect(await store.move(id, 'next', '1:0x01', '2:0x02')).toBe(true)
    })

    test('behavior: a page that was slow to leave counts unless another poll took it', async () => {
      const id = await create()
      await store.take(id, 'slow', 'nothing')
      await opened.pass(limits.lease + 50)
      expect(await store.move(id, 'slow', '1:0x01', '2:0x02')).toBe(true)
    })

    test('behavior: a lease can be renewed', async () => {
      const id = await create()
      await store.take(id, 'one', 'nothing')
      await opened.pass(200)
      expect(await store.extend(id, 'one')).toBe(true)
      await opened.pass(200)
      expect((await store.take(id, 'two', 'nothing'))?.state).toBe('busy')
    })

    test('behavior: nothing to deliver takes no lease', async () => {
      const id = await create()
      expect((await store.take(id, 'one', '1:0x01'))?.state).toBe('idle')
      expect((await store.take(id, 'two', 'nothing'))?.state).toBe('taken')
    })

    test('behavior: idle filters expire, polls refresh', async () => {
      const [idle, polled] = [await create(), await create()]
      await opened.pass(600)
      await store.take(polled, 'one', '1:0x01')
      await opened.pass(600)
      expect(await store.take(idle, 'one', 'nothing')).toBeUndefined()
      expect(await store.read(idle)).toBeUndefined()
      expect(await store.remove(idle)).toBe(false)
      expect(await store.read(polled)).toBeDefined()
    })

    test('behavior: removed once', async () => {
      const id = await create()
      expect(await store.remove(id)).toBe(true)
      expect(await store.remove(id)).toBe(false)
      expect(await store.take(id, 'one', 'nothing')).toBeUndefined()
    })

    test('error: too many of one client, too many in all', async () => {
      const first = await create('a')
      await create('a')
      await create('a')
      await expect(create('a')).rejects.toMatchObject({ code: -32005 })
      await create('b')
      await create('b')
      await expect(create('c')).rejects.toMatchObject({ code: -32005 })
      await store.remove(first)
      expect(await create('a')).toMatch(/^0x/)
    })

    test('behavior: expired filters do not count', async () => {
      for (let count = 0; count < 3; count++) await create('a')
      await opened.pass(limits.ttl + 50)
      expect(await create('a')).toMatch(/^0x/)
    })
  })
}
