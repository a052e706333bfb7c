import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { HELD_PLACES, type HeldPlace } from '../../src/lib/heldBytes.ts'

/** The files that take the bytes of each place from the budget. */
const TAKEN_IN: Record<HeldPlace, string[]> = {
  answers: ['src/http/unsent.ts'],
  bodies: ['src/http/body.ts', 'src/http/charge.ts'],
  filters: ['src/chain/filters/memory.ts'],
  frames: ['src/http/ws.ts'],
  simulations: ['src/devchain/simulator/simulator.ts'],
  subscriptions: ['src/chain/subscriptions/memory.ts'],
  'unpacked bodies': ['src/http/body.ts'],
}

test('default: the files that take each place', () => {
  const files = execFileSync('git', ['ls-files', 'src/*.ts', 'src/*.tsx'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !file.endsWith('.test.ts'))
  const found: Record<string, string[]> = Object.fromEntries(
    HELD_PLACES.map((place) => [place, []]),
  )
  for (const file of files)
    for (const [, place = ''] of readFileSync(file, 'utf8').matchAll(/\.hold\([^)]*?'([\w ]+)'\)/g))
      if (!found[place]?.includes(file)) found[place]?.push(file)
  expect(found).toEqual(TAKEN_IN)
})
