import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { unsupported } from './unsupported.ts'

test('error: each is -32601 with a reason', async () => {
  const context = await createReplayContext()
  for (const [name, method] of Object.entries(unsupported))
    expect(() => callMethod(method, context, [])).toThrow(
      expect.objectContaining({
        code: -32601,
        message: `the method ${name} does not exist/is not available: ${method.summary}`,
      }),
    )
})
