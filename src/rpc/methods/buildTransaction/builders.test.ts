import { expect, test } from 'vitest'

import { keys } from '../../../../test/support/recordedChain.ts'
import { memoOf } from './builders.ts'
import { buildRequest } from './request.ts'

const memo = (more: object) => memoOf(buildRequest({ from: keys.bob.eth, ...more }))

test('default: omits an empty memo and the owner permission', () => {
  expect(memo({})).toEqual({ data: '' })
})

test('args: a memo is hex, and text where the request is visible', () => {
  expect(memo({ extraData: '0x6869' })).toEqual({ data: '6869', extra_data: '6869' })
  expect(memo({ extraData: 'hé', visible: true })).toEqual({
    data: '68c3a9',
    extra_data: '68c3a9',
  })
})

test('args: permissionId', () => {
  expect(memo({ permissionId: 2 })).toEqual({ data: '', Permission_id: 2 })
})
