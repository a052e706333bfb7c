import { expect, onTestFinished, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { silentLog } from '../../gateway/log.ts'
import { createDeliveries } from './deliveries.ts'

const page = { token: 'one', from: '1:0x01', to: '2:0x02' }

/** A store whose commits return or throw the given results, in order. */
function create(outcomes: (boolean | Error)[]) {
  const commits: string[] = []
  const deliveries = createDeliveries({
    log: silentLog,
    store: {
      async commit(id, token, from, to) {
        commits.push([id, token, from, to].join(' '))
        const outcome = outcomes.shift() ?? true
        if (typeof outcome !== 'boolean') throw outcome
        return outcome
      },
    },
  })
  onTestFinished(() => deliveries.stop())
  return { commits, deliveries }
}

test('default: committed at once', async () => {
  const { commits, deliveries } = create([])
  deliveries.commit('0xa', page)
  await deliveries.attempted('0xa')
  expect(commits).toEqual(['0xa one 1:0x01 2:0x02'])
  expect(deliveries.cursorOf('0xa', '1:0x01')).toBe('1:0x01')
})

test('behavior: a cursor that the store does not accept is kept and committed again', async () => {
  const { commits, deliveries } = create([new Error('READONLY'), new Error('READONLY')])
  deliveries.commit('0xa', page)
  await deliveries.attempted('0xa')
  expect(deliveries.cursorOf('0xa', '1:0x01')).toBe('2:0x02')
  expect(deliveries.cursorOf('0xb', '1:0x01')).toBe('1:0x01')
  await until(() => expect(commits).toHaveLength(3))
  await until(() => expect(deliveries.cursorOf('0xa', '1:0x01')).toBe('1:0x01'))
})

test('behavior: when another poll has claimed the page, the cursor is kept and not committed again', async () => {
  const { commits, deliveries } = create([false])
  deliveries.commit('0xa', page)
  await deliveries.attempted('0xa')
  expect(deliveries.cursorOf('0xa', '1:0x01')).toBe('2:0x02')
  expect(commits).toHaveLength(1)
  // The other poll has moved the cursor.
  expect(deliveries.cursorOf('0xa', '5:0x05')).toBe('5:0x05')
  expect(deliveries.cursorOf('0xa', '1:0x01')).toBe('1:0x01')
})
