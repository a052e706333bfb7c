import { expect, test } from 'vitest'

import { startFileDevGateway } from '../support/devGateway.ts'

const dev = await startFileDevGateway()

test.each([
  'ethgate_countLogs',
  'ethgate_feeQuote',
  'ethgate_getLogs',
  'ethgate_getTransactions',
  'ethgate_openCursor',
])('error: %s names a member that it does not know', async (method) => {
  await expect(dev.rpc(method, { fromBlok: '0x0' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('fromBlok') as string,
  })
})
