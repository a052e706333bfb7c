import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Engine, View } from './engine.ts'

const text = (value: string) => Buffer.from(value)
const entry = (key: string, value = key) => ({ key: text(key), value: text(value) })

/** The behavior that every engine must have. */
export function testEngine({
  close,
  open,
}: {
  open: () => Promise<Engine>
  close: () => Promise<void>
}): void {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
  })
  afterAll(async () => {
    await engine?.close()
    await close()
  })

  const values = (keys: string[]) =>
    engine.read(async (view) =>
      (await view.get('facts', keys.map(text))).map((value) => value?.toString()),
    )
  const clear = () =>
    engine.write((batch) =>
      batch.deleteRange('facts', { from: text(''), to: Buffer.alloc(40, 255) }),
    )

  test('default: reads many keys in the order of asking', async () => {
    await clear()
    await engine.write((batch) => batch.put('facts', [entry('b'), entry('a'), entry('c')]))
    expect(await values(['c', 'x', 'a'])).toEqual(['c', undefined, 'a'])
    expect(await values([])).toEqual([])
  })

  test('behavior: put replaces', async () => {
    await clear()
    await engine.write((batch) => batch.put('facts', [entry('a', '1')]))
    await engine.write((batch) => batch.put('facts', [entry('a', '2')]))
    expect(await values(['a'])).toEqual(['2'])
  })

  test('behavior: many rows are inserted, keys of any bytes, values of any length', async () => {
    await clear()
    const entries = Array.from({ length: 3_000 }, (_, index) => ({
      key: Buffer.from([0, 255, index >> 8, index & 255]),
      value: Buffer.alloc(index % 7 === 0 ? 20_000 : index % 5, index & 255),
    }))
    await engine.write((batch) => batch.insert('facts', entries))
    const found = await engine.read((view) =>
      view.range('facts', { from: Buffer.from([0]), to: Buffer.from([1]) }),
    )
    expect(found.length).toBe(entries.length)
    expect(found.every(({ key }, index) => key.equals(entries[index]?.key as Buffer))).toBe(true)
    expect(found.every(({ value }, index) => value.equals(entries[index]?.value as Buffer))).toBe(
      true,
    )
  })

  test('behavior: each value is visited, also long ones, those that are missing, and what was just written', async () => {
    await clear()
    const lengths = [3, 20_000, 0, 100_000, 1]
    const keys = lengths.map((length) => text(`length ${length}`))
    const entries = lengths.map((length, index) => ({
      key: keys[index] as Buffer,
      value: Buffer.alloc(length, length & 255),
    }))
    const visited = async (view: View) => {
      const values: (string | undefined)[] = []
      await view.each('facts', [...keys, text('missing')], (value, index) => {
        values[index] = value?.toString('latin1', 0, value.length)
      })
      return values
    }
    const expected = [...entries.map(({ value }) => value.toString('latin1')), undefined]
    const within = await engine.write(async (batch) => {
      await batch.insert(
        'facts',
        entries.toSorted((a, b) => a.key.compare(b.key)),
      )
      return visited(batch)
    })
    expect(within).toEqual(expected)
    expect(await engine.read(visited)).toEqual(expected)
  })

  test('behavior: a range is in the order of bytes, its end left out, and may be limited', async () => {
    await clear()
    await engine.write((batch) =>
      batch.put(
        'facts',
        ['aa', 'b', 'a', 'ab', 'c'].map((key) => entry(key)),
      ),
    )
    const keys = (from: string, to: string, limit?: number) =>
      engine.read(async (view) =>
        (
          await view.range('facts', {
            from: text(from),
            to: text(to),
            ...(limit !== undefined && { limit }),
          })
        ).map(({ key }) => key.toString()),
      )
    expect(await keys('a', 'c')).toEqual(['a', 'aa', 'ab', 'b'])
    expect(await keys('aa', 'z', 2)).toEqual(['aa', 'ab'])
    expect(await keys('x', 'z')).toEqual([])
  })

  test('behavior: a transaction reads what it wrote and deleted', async () => {
    await clear()
    const seen = await engine.write(async (batch) => {
      await batch.put('facts', [entry('a'), entry('b'), entry('c'), entry('d')])
      await batch.delete('facts', [text('b')])
      await batch.deleteRange('facts', { from: text('c'), to: text('d') })
      return (await batch.get('facts', ['a', 'b', 'c', 'd'].map(text))).map((value) =>
        value?.toString(),
      )
    })
    expect(seen).toEqual(['a', undefined, undefined, 'd'])
    expect(await values(['a', 'b', 'c', 'd'])).toEqual(seen)
  })

  test('error: a transaction that fails has no effect', async () => {
    await clear()
    await engine.write((batch) => batch.put('facts', [entry('a')]))
    const failing = engine.write(async (batch) => {
      await batch.put('facts', [entry('a', 'other'), entry('b')])
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await values(['a', 'b'])).toEqual(['a', undefined])
  })

  test('behavior: reads see one moment while others write', async () => {
    await clear()
    await engine.write((batch) => batch.put('facts', [entry('a', 'before'), entry('b', 'before')]))
    const seen = await engine.read(async (view) => {
      const [first] = await view.get('facts', [text('a')])
      await engine.write((batch) =>
        batch.put('facts', [entry('a', 'after'), entry('b', 'after'), entry('c')]),
      )
      const rest = await view.get('facts', ['b', 'c'].map(text))
      return [first, ...rest].map((value) => value?.toString())
    })
    expect(seen).toEqual(['before', 'before', undefined])
    expect(await values(['a'])).toEqual(['after'])
  })

  test('behavior: writers run one after another', async () => {
    await clear()
    await engine.write((batch) => batch.put('facts', [entry('n', '0')]))
    const add = () =>
      engine.write(async (batch) => {
        const [value] = await batch.get('facts', [text('n')])
        await batch.put('facts', [entry('n', String(Number(value) + 1))])
      })
    await Promise.all(Array.from({ length: 20 }, add))
    expect(await values(['n'])).toEqual(['20'])
  })

  test('behavior: reports its size', async () => {
    expect(await engine.size()).toBeGreaterThan(0)
  })
}
