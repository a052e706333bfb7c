import { expect, test } from 'vitest'

import { explainInHeaders } from './headers.ts'
import { createCallRecorder } from './recorder.ts'

test('behavior: headers say how many calls and ranges of blocks they leave out', async () => {
  const recorder = createCallRecorder()
  const { headers } = await explainInHeaders(
    async () => {
      for (let number = 0; number < 23; number++) {
        recorder.call('/wallet/getblock')?.end(200)
        const source = number % 2 === 0 ? 'index' : 'memory'
        recorder.logs([{ from: number, to: number, source }])
      }
    },
    { call: {}, head: () => undefined, limits: { headers: async () => ({}) }, recorder },
  )
  for (const name of ['x-ethgate-calls', 'x-ethgate-logs']) {
    expect(headers[name]?.split(', ')).toHaveLength(21)
    expect(headers[name]).toMatch(/, and 3 more$/)
  }
})
