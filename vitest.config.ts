import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    typecheck: { enabled: false },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores are the size of the machines that run this suite.
    maxWorkers: 2,
  },
})
