import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { net_version } from './net_version.ts'

test('default', async () => {
  expect(await callMethod(net_version, await createReplayContext(), [])).toBe('2991466444')
})
