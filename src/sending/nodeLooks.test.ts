import type { Hash } from 'viem'
import { expect, test } from 'vitest'

import { createStop } from '../lib/stopSignal.ts'
import { createNodeClient } from '../native/client.ts'
import { NodeUnreachableError } from '../native/errors.ts'
import { createNodeLooks } from './nodeLooks.ts'

const hash = `0x${'5a'.repeat(32)}` as const

/** Looks at nodes that have nothing; those of `broken` fail. `asked`: whose meter pays for each call. */
function open(names: string[], broken: string[] = []) {
  const asked: [name: string, path: string, meter: unknown][] = []
  const nodes = names.map((name) => ({
    name,
    native: createNodeClient({
      transport: {
        async send(path, _, { meter }) {
          asked.push([name, path, meter])
          if (broken.includes(name)) throw new NodeUnreachableError()
          return { status: 200, text: '{}' }
        },
        close: async () => {},
      },
    }),
  }))
  const latest: { hash: Hash } = { hash: `0x${'01'.repeat(32)}` }
  const head = { latest: () => latest }
  return { asked, latest, look: createNodeLooks(head as never, () => nodes) }
}

test('default: the caller pays for each call, and the answer is used again', async () => {
  const { asked, look } = open(['a', 'b'])
  const meter = { cost: 0, charged: 0 }
  const [first, second] = [{ meter, signal: createStop() }, { signal: createStop() }]
  const [one, two] = await Promise.all([look(hash, first), look(hash, second)])
  expect(one.map(({ name }) => name)).toEqual(['a', 'b'])
  expect(two).toBe(one)
  expect(await look(hash, second)).toBe(one)
  expect(asked).toHaveLength(4)
  expect(asked.every(([, , paying]) => paying === meter)).toBe(true)
})

test('behavior: nodes are asked again after a block', async () => {
  const { asked, latest, look } = open(['a'])
  await look(hash, {})
  latest.hash = `0x${'02'.repeat(32)}`
  await look(hash, {})
  expect(asked).toHaveLength(4)
})

test('behavior: a caller that leaves does not end the look of another one', async () => {
  const { look } = open(['a'])
  const leaving = new AbortController()
  const left = look(hash, leaving)
  const stayed = look(hash, new AbortController())
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  expect(await stayed).toHaveLength(1)
})

test('error: a node that fails is named with the reason', async () => {
  const { look } = open(['a', 'b'], ['b'])
  const looks = await look(hash, new AbortController())
  expect(looks.map(({ fault, name }) => [name, fault])).toEqual([
    ['a', undefined],
    ['b', 'the upstream node is unreachable'],
  ])
})
