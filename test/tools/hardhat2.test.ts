import { describe, expect, test } from 'vitest'

import { startDevGateway } from '../support/devGateway.ts'
import { openProject, wanted } from './project.ts'

/** Ignition's create2 strategy deploys the factory that it needs on chains of this id only. */
const HARDHAT_CHAIN = 31_337

describe.runIf(wanted)('Hardhat 2', () => {
  test.for([
    ['hardhat2', 10],
    ['hardhat-upgrades', 6],
    ['hardhat-ignition', 2],
  ] as const)(
    'behavior: the project %s passes unchanged, all of its %i tests',
    { timeout: 600_000 },
    async ([name, passing]) => {
      const project = await openProject(name)
      const dev = await startDevGateway({ rules: { decimals: 18, chainId: HARDHAT_CHAIN } })
      try {
        const hardhat = 'node_modules/hardhat/internal/cli/bootstrap.js'
        const env = { DEV_URL: dev.url }
        const printed = await project.node([hardhat, 'test', '--network', 'dev'], env)
        expect(printed).toMatch(new RegExp(`^ +${passing} passing`, 'm'))
        expect(printed).not.toContain('failing')
      } finally {
        await dev.close()
      }
    },
  )
})
