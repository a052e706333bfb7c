import { configDefaults, defineConfig } from 'vitest/config'

import { isLong } from './test/support/long.ts'
import { LONG, LONGER } from './test/support/longTests.ts'
import { SlowestFirst } from './test/support/sequencer.ts'

// The workers inherit these. Otherwise glibc keeps freed memory: in several arenas of each process, and large blocks on the heap.
process.env['MALLOC_ARENA_MAX'] = '1'
process.env['MALLOC_MMAP_THRESHOLD_'] = '131072'
process.env['MALLOC_TRIM_THRESHOLD_'] = '131072'

export default defineConfig({
  test: {
    include: isLong ? [...LONG, ...LONGER] : ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // These need a browser, `npm run test:browser`, or clients, `npm run test:tools`, or time, `npm run test:long`.
    exclude: [
      ...configDefaults.exclude,
      'test/browser/**',
      ...(process.env['TEST_TOOLS'] ? [] : ['test/tools/clients/**']),
      ...(isLong ? [] : LONG.filter((file) => !process.argv.includes(file))),
    ],
    typecheck: { enabled: false },
    globalSetup: ['test/support/globalSetup.ts'],
    setupFiles: [
      'test/support/currentTest.ts',
      'test/support/stateFolder.ts',
      'test/support/timeLeft.ts',
    ],
    // Files share the modules of their worker: loading them anew for each file took most of the time.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    // Long: what a test waits for is a condition, and a busy machine may take its time.
    testTimeout: 300_000,
    // Tests that run side by side mostly wait.
    maxConcurrency: 12,
    hookTimeout: 300_000,
    expect: { poll: { interval: 20, timeout: 90_000 } },
    // No load balancer looks at the gateways that tests start.
    env: { ETHGATE_DRAIN_DELAY: '0' },
    // Two more than the cores of the machines that run this suite: many tests wait.
    maxWorkers: 4,
    // Megabytes. A worker of `npm test` uses about 250 at its end. Without limits V8 lets the heap grow to several times that before it
    // collects. Some long tests need more.
    execArgv: [`--max-old-space-size=${isLong ? 1_536 : 384}`, '--max-semi-space-size=8'],
  },
})
