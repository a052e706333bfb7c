import { expect, test } from 'vitest'

import { unreachableError } from './failures.ts'

test('behavior: a server that is unreachable for no known reason', () => {
  const { exitCode, message } = unreachableError('http://127.0.0.1:9', undefined)
  expect(exitCode).toBe(4)
  expect(message).toContain('cannot reach http://127.0.0.1:9 (no reason given)')
})
