import { defineConfig } from 'vitest/config'

// Tests of the page in a real browser: `npm run test:browser`.
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    setupFiles: ['test/support/timeLeft.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
})
