import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { FilterLimits, FilterStore } from './store.ts'

/** A store under test. `pass` makes the store older by this many milliseconds, without waiting. */
export type TestStore = {
  store: FilterStore
  /** The store after its process has ended and started again. Absent where nothing remains of it. */
  restart?(): Promise<FilterStore>
  pass(milliseconds: number): Promise<void>
  close(): Promise<void>
}

const limits: FilterLimits = {
  ttl: 100_000,
  lease: 30_000,
  perClient: 3,
  total: 5,
  bytesPerClient: 100_000,
  bytesTotal: 150_000,
}
const spec = { kind: 'blocks', view: 'full' } as const

/** The suite that every filter store passes. */
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

    const create = (client = 'a', most?: number) =>
      store.create({ client, most }, { spec, cursor: '1:0x01' })

    test('args: id: the filter that exists stays as it is', async () => {
      expect(await store.create({ client: 'a' }, { spec, cursor: '1:0x01' }, 'mine')).toBe('mine')
      expect(await store.create({ client: 'b' }, { spec, cursor: '2:0x02' }, 'mine')).toBe('mine')
      expect(await store.read('mine')).toEqual({ spec, cursor: '1:0x01' })
      expect(store.usage().filters).toBe(1)
    })

    test('default: reads back the created filter', async () => {
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
      const id = await store.create(
        { client: 'a' },
        {
          ...filter,
          spec: { ...filter.spec, addresses: ['0x01'], topics: [null, ['0x02']] },
        },
      )
      expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
      expect(await store.read(id)).toEqual(filter)
      expect(await store.read('0x00')).toBeUndefined()
    })

    test('behavior: a delivered page moves the cursor once', async () => {
      const id = await create()
      expect(await store.claim(id, 'one', 'nothing')).toEqual({
        cursor: '1:0x01',
        spec,
        state: 'claimed',
      })
      expect(await store.commit(id, 'one', '1:0x01', '2:0x02')).toBe(true)
      expect(await store.commit(id, 'one', '1:0x01', '3:0x03')).toBe(false)
      expect(await store.claim(id, 'two', 'nothing')).toMatchObject({
        cursor: '2:0x02',
        state: 'claimed',
      })
    })

    test('behavior: a page has one owner', async () => {
      const id = await create()
      const claims = await Promise.all(
        ['a', 'b', 'c', 'd'].map((token) => store.claim(id, token, 'nothing')),
      )
      expect(claims.filter((one) => one?.state === 'claimed')).toHaveLength(1)
    })

    test('behavior: a released page can be claimed again', async () => {
      const id = await create()
      await store.claim(id, 'one', 'nothing')
      await store.release(id, 'other')
      expect((await store.claim(id, 'two', 'nothing'))?.state).toBe('busy')
      await store.release(id, 'one')
      expect(await store.claim(id, 'two', 'nothing')).toMatchObject({
        cursor: '1:0x01',
        state: 'claimed',
      })
    })

    test('behavior: the page of a dead replica can be claimed after its lease', async () => {
      const id = await create()
      await store.claim(id, 'dead', 'nothing')
      await opened.pass(limits.lease + 5_000)
      expect((await store.claim(id, 'next', 'nothing'))?.state).toBe('claimed')
      expect(await store.commit(id, 'dead', '1:0x01', '2:0x02')).toBe(false)
      expect(await store.renew(id, 'dead')).toBe(false)
      expect(await store.commit(id, 'next', '1:0x01', '2:0x02')).toBe(true)
    })

    test('behavior: a page can be committed after its lease unless another poll has claimed it', async () => {
      const id = await create()
      await store.claim(id, 'slow', 'nothing')
      await opened.pass(limits.lease + 5_000)
      expect(await store.commit(id, 'slow', '1:0x01', '2:0x02')).toBe(true)
    })

    test('behavior: a lease can be renewed', async () => {
      const id = await create()
      await store.claim(id, 'one', 'nothing')
      await opened.pass(20_000)
      expect(await store.renew(id, 'one')).toBe(true)
      await opened.pass(20_000)
      expect((await store.claim(id, 'two', 'nothing'))?.state).toBe('busy')
    })

    test('behavior: a poll with nothing to deliver takes no lease', async () => {
      const id = await create()
      expect((await store.claim(id, 'one', '1:0x01'))?.state).toBe('idle')
      expect((await store.claim(id, 'two', 'nothing'))?.state).toBe('claimed')
    })

    test('behavior: filters without polls expire, polled ones do not', async () => {
      const [idle, polled] = [await create(), await create()]
      await opened.pass(60_000)
      await store.claim(polled, 'one', '1:0x01')
      await opened.pass(60_000)
      expect(await store.claim(idle, 'one', 'nothing')).toBeUndefined()
      expect(await store.read(idle)).toBeUndefined()
      expect(await store.remove(idle)).toBe(false)
      expect(await store.read(polled)).toBeDefined()
    })

    test('behavior: a filter can be removed once', async () => {
      const id = await create()
      expect(await store.remove(id)).toBe(true)
      expect(await store.remove(id)).toBe(false)
      expect(await store.claim(id, 'one', 'nothing')).toBeUndefined()
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

    test('behavior: limits hold for as long as filters are polled', async () => {
      const ids = [await create('a'), await create('a'), await create('a')]
      // Longer than the lifetime of unused lists of filters.
      for (let turn = 0; turn < 10; turn++) {
        await opened.pass(limits.ttl / 2)
        for (const id of ids) expect((await store.claim(id, 'one', '1:0x01'))?.state).toBe('idle')
      }
      await expect(create('a')).rejects.toMatchObject({ code: -32005 })
    })

    test('error: too many bytes of one client, too many in all', async () => {
      const large = (client: string, addresses: number) =>
        store.create(
          { client },
          {
            spec: {
              addresses: Array.from({ length: addresses }, () => `0x${'01'.repeat(20)}`),
              kind: 'logs',
              scanFrom: 1,
              topics: [],
              view: 'full',
            },
            cursor: '1:0x01',
          },
        )
      const first = await large('a', 2_000)
      await expect(large('a', 500)).rejects.toMatchObject({
        code: -32005,
        message: `exceed max filter bytes of one client: ${limits.bytesPerClient}`,
      })
      expect(store.usage().isFull).toBe(false)
      await large('b', 1_000)
      await expect(large('c', 1_000)).rejects.toMatchObject({
        code: -32005,
        message: `exceed max filter bytes of all clients: ${limits.bytesTotal}, try again later`,
      })
      const { bytes, filters, isFull } = store.usage()
      expect({ filters, isFull }).toEqual({ filters: 2, isFull: true })
      expect(bytes).toBeGreaterThan(3_000 * 45)
      expect(bytes).toBeLessThan(3_000 * 46 + 2_000)
      await store.remove(first)
      expect(store.usage()).toMatchObject({ filters: 1, isFull: false })
      await large('a', 1_000)
      expect(store.usage()).toMatchObject({ filters: 2, isFull: false })
    })

    test('behavior: any sequence of calls, as long as none is in flight', async () => {
      const restart = opened.restart ? (['restart'] as const) : []
      const step = fc.record({
        id: fc.constantFrom('x', 'y'),
        kind: fc.constantFrom(
          'create',
          'claim',
          'claim',
          'commit',
          'release',
          'renew',
          'pass',
          'remove',
          ...restart,
        ),
        token: fc.constantFrom('a', 'b'),
        // No sum of these is the lifetime or the lease.
        time: fc.constantFrom(21_000, 43_000, 64_000),
      })
      type Expected = { cursor: string; until: number; lease?: { token: string; until: number } }
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
          const expected = new Map<string, Expected>()
          let now = 0
          let moves = 0
          const run = async ({ id, kind, time, token }: (typeof steps)[number]) => {
            const found = expected.get(id)
            const one = found && found.until > now ? found : undefined
            const isHeld = one?.lease?.token === token
            const until = now + limits.ttl
            const [from, to] = [one?.cursor ?? '', `${++moves}:0x`]
            let answer: unknown
            let wanted: unknown
            if (kind === 'pass') {
              now += time
              return opened.pass(time)
            }
            if (kind === 'restart') {
              for (const each of expected.values()) delete each.lease
              store = (await opened.restart?.()) ?? store
            } else if (kind === 'create') {
              await store.create({ client: 'a' }, { spec, cursor: to }, id)
              if (!one) expected.set(id, { cursor: to, until })
            } else if (kind === 'claim') {
              const isBusy = one?.lease && one.lease.until > now
              answer = (await store.claim(id, token, 'nothing'))?.state
              wanted = one && (isBusy ? 'busy' : 'claimed')
              const lease = isBusy ? one.lease : { token, until: now + limits.lease }
              if (one) Object.assign(one, { until, lease })
            } else if (kind === 'commit') {
              answer = await store.commit(id, token, from, to)
              wanted = isHeld
              if (isHeld) expected.set(id, { cursor: to, until: one.until })
            } else if (kind === 'renew') {
              answer = await store.renew(id, token)
              wanted = isHeld
              if (isHeld) Object.assign(one, { until, lease: { token, until: now + limits.lease } })
            } else if (kind === 'release') {
              await store.release(id, token)
              if (isHeld) delete one.lease
            } else {
              answer = await store.remove(id)
              wanted = one !== undefined
              expected.delete(id)
            }
            const after = expected.get(id)
            const isThere = after && after.until > now
            const cursor = (await store.read(id))?.cursor
            expect([answer, cursor]).toEqual([wanted, isThere ? after.cursor : undefined])
          }
          for (const id of ['x', 'y']) await store.remove(id)
          for (const one of steps) await run(one)
        }),
        { numRuns: 100 },
      )
    })

    test('behavior: expired filters do not count', async () => {
      for (let count = 0; count < 3; count++) await create('a')
      await opened.pass(limits.ttl + 5_000)
      const id = await create('a')
      expect(store.usage().filters).toBe(1)
      await store.remove(id)
      expect(store.usage()).toMatchObject({ filters: 0, bytes: 0 })
    })
  })
}
