import { expect, test } from 'vitest'

import { createPlaces } from './places.ts'

const SIGNAL = new AbortController().signal

test('default: one caller has half of the places, and a quarter of those that wait', async () => {
  const places = createPlaces()
  const running: string[] = []
  const ask = (owner: string, { signal } = new AbortController()) =>
    places.take({ owner, signal, weight: 1 }).then((place) => {
      running.push(owner)
      return place
    })
  const own = Array.from({ length: 16 }, () => ask('a'))
  await expect(ask('a')).rejects.toMatchObject({ code: -32005 })
  await ask('b')
  expect(running).toEqual(['a', 'a', 'a', 'a', 'b'])
  places.give((await own[0]) as number, 'a')
  await own[4]
  expect(running).toEqual(['a', 'a', 'a', 'a', 'b', 'a'])
  expect(places.isEmpty()).toBe(false)
})

test('behavior: one that leaves while it waits gives its place in the queue back', async () => {
  const places = createPlaces()
  const taken = await Promise.all(
    Array.from({ length: 4 }, () => places.take({ owner: 'a', signal: SIGNAL, weight: 1 })),
  )
  const leaving = new AbortController()
  const left = places.take({ owner: 'a', signal: leaving.signal, weight: 1 })
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  for (const place of taken) places.give(place, 'a')
  expect(places.isEmpty()).toBe(true)
})
