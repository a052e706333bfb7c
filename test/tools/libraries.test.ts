import { beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { startGateway } from '../support/gateway.ts'
import { openProject, wanted } from './project.ts'

describe.runIf(wanted)('libraries', () => {
  test.for([
    ['ethers5', 5, { rules: { decimals: 18 } }],
    ['web3js', 5, { rules: { decimals: 18 } }],
    ['wagmi', 6, { rules: { decimals: 18 } }],
    ['tronweb', 5, {}],
    ['tronweb', 5, { rules: { profile: 'native' }, mining: { blockTime: 3_000 } }],
  ] as const)(
    'behavior: the project %s passes all of its %i tests on a chain with %j',
    { timeout: 600_000 },
    async ([name, passing, options]) => {
      const project = await openProject(name)
      const dev = await startDevGateway(options)
      try {
        const printed = await project.node(['--test'], { DEV_URL: dev.url })
        expect(printed).toMatch(new RegExp(`^. pass ${passing}$`, 'm'))
        expect(printed).toMatch(/^. fail 0$/m)
      } finally {
        await dev.close()
      }
    },
  )

  describe('in front of a node', () => {
    let node: DevGateway
    let url: string

    beforeAll(async () => {
      node = await startDevGateway({ rules: { profile: 'native' }, mining: { blockTime: 3_000 } })
      const gateway = await startGateway({
        config: {
          upstream: node.url,
          dataDir: 'none',
          predictedAddresses: 'rewrite',
          walletPassthrough: true,
        },
        keys: node.chain.accounts.slice(0, 3).map(({ key }) => key),
      })
      url = gateway.url
      return async () => {
        await gateway.close()
        await node.close()
      }
    })

    test.for([
      ['ethers5', 5, 0],
      ['web3js', 5, 0],
      ['tronweb', 5, 0],
    ] as const)(
      'behavior: the project %s passes %i of its tests and skips %i',
      { timeout: 600_000 },
      async ([name, passing, skipped]) => {
        const project = await openProject(name)
        const printed = await project.node(['--test'], { DEV_URL: url })
        expect(printed).toMatch(new RegExp(`^. pass ${passing}$`, 'm'))
        expect(printed).toMatch(new RegExp(`^. skipped ${skipped}$`, 'm'))
        expect(printed).toMatch(/^. fail 0$/m)
      },
    )

    test('error: a project that counts in 18 decimals says what it needs', async () => {
      const project = await openProject('wagmi')
      await expect(project.node(['--test'], { DEV_URL: url })).rejects.toThrow(
        /this project needs a development chain .*, not ethgate\//,
      )
    })
  })
})
