import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { web3_clientVersion } from './web3_clientVersion.ts'

test('default', async () => {
  const version = await callMethod(web3_clientVersion, await createReplayContext(), [])
  expect(version).toMatch(/^ethgate\/v\d+\.\d+\.\d+(?:-[\w.+-]+)?\/java-tron\/v4\.8\.0$/)
})
