import { AsyncLocalStorage } from 'node:async_hooks'

import type { TestContext } from 'vitest'

/** The running test, also where several run at the same time. `currentTest.ts` sets it. */
export const currentTest = new AsyncLocalStorage<Pick<TestContext, 'onTestFinished'>>()

/** Runs `end` after the test that called it. Unlike `onTestFinished` it finds that test also among several that run at the same time. */
export function atEnd(end: () => unknown): void {
  const test = currentTest.getStore()
  if (!test) throw new Error('no test is running')
  test.onTestFinished(async () => {
    await end()
  })
}
