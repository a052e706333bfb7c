import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../devGateway.ts'

const run = promisify(execFile)
const cwd = fileURLToPath(new URL('hardhat2', import.meta.url))

// Installing and compiling take minutes, so this runs where it is asked for: `npm run test:tools`.
describe.runIf(process.env['TEST_TOOLS'])('Hardhat 2', () => {
  let dev: DevGateway

  beforeAll(async () => {
    dev = await startDevGateway({ decimals: 18 })
    if (!existsSync(`${cwd}/node_modules`))
      await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd })
  }, 600_000)

  afterAll(() => dev.close())

  test('behavior: a project with OpenZeppelin contracts passes unchanged', async () => {
    const env = { ...process.env, DEV_URL: dev.url }
    const hardhat = 'node_modules/hardhat/internal/cli/bootstrap.js'
    const args = [hardhat, 'test', '--network', 'dev']
    const { stdout } = await run(process.execPath, args, { cwd, env })
    expect(stdout).toMatch(/^ +10 passing/m)
    expect(stdout).not.toContain('failing')
  }, 600_000)
})
