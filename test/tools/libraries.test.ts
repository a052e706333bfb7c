import { describe, expect, test } from 'vitest'

import { startDevGateway } from '../support/devGateway.ts'
import { openProject, wanted } from './project.ts'

describe.runIf(wanted)('libraries', () => {
  test.for([
    ['ethers5', 5, { decimals: 18 }],
    ['web3js', 5, { decimals: 18 }],
    ['wagmi', 6, { decimals: 18 }],
    ['tronweb', 5, {}],
    ['tronweb', 5, { profile: 'native', blockTime: 3_000 }],
  ] as const)(
    'behavior: the project %s passes all of its %i tests on a chain with %j',
    { timeout: 600_000 },
    async ([name, passing, options]) => {
      const project = await openProject(name)
      const dev = await startDevGateway(options)
      try {
        const printed = await project.node(['--test', 'test/'], { DEV_URL: dev.url })
        expect(printed).toMatch(new RegExp(`^. pass ${passing}$`, 'm'))
        expect(printed).toMatch(/^. fail 0$/m)
      } finally {
        await dev.close()
      }
    },
  )
})
