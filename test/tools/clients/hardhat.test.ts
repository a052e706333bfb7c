import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../../support/devGateway.ts'
import { artifacts } from '../../support/recordedChain.ts'

const modules = fileURLToPath(new URL('./node_modules', import.meta.url))

let dev: DevGateway
let folder: string

beforeAll(async () => {
  dev = await startDevGateway()
  folder = await mkdtemp(join(tmpdir(), 'ethgate-hardhat-'))
  await symlink(modules, join(folder, 'node_modules'))
  const accounts = dev.chain.accounts.slice(0, 2).map(({ key }) => `0x${key}`)
  await writeFile(
    join(folder, 'hardhat.config.js'),
    `module.exports = {
  solidity: '0.8.26',
  networks: { dev: { url: ${JSON.stringify(dev.url)}, chainId: ${dev.chain.chainId}, accounts: ${JSON.stringify(accounts)} } },
}`,
  )
  await writeFile(
    join(folder, 'deploy.js'),
    `const hre = require('hardhat')
async function main() {
  const { provider } = hre.network
  const [from] = await provider.request({ method: 'eth_accounts' })
  const data = ${JSON.stringify(`0x${artifacts.Kitchen.bytecode.replace('0x', '')}`)}
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, data }] })
  let receipt = null
  while (receipt === null) receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  const code = await provider.request({ method: 'eth_getCode', params: [receipt.contractAddress, 'latest'] })
  console.log(JSON.stringify({ from, hash, status: receipt.status, of: receipt.transactionHash, code: code.length }))
}
main().catch((error) => { console.error(error); process.exitCode = 1 })
`,
  )
})

afterAll(async () => {
  await dev.close()
  await rm(folder, { recursive: true, force: true })
})

test('default: hardhat deploys with the keys of its network', async () => {
  const run = spawn(
    process.execPath,
    [
      join(modules, 'hardhat/internal/cli/bootstrap.js'),
      'run',
      '--no-compile',
      '--network',
      'dev',
      'deploy.js',
    ],
    { cwd: folder, env: { ...process.env, CI: 'true', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' } },
  )
  let out = ''
  let problems = ''
  run.stdout.on('data', (chunk) => (out += String(chunk)))
  run.stderr.on('data', (chunk) => (problems += String(chunk)))
  const [code] = (await once(run, 'close')) as [number]
  expect({ code, problems }).toMatchObject({ code: 0 })
  const deployed = JSON.parse(out.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>
  expect(deployed).toMatchObject({
    from: dev.accountOf(0),
    status: '0x1',
    of: deployed['hash'],
  })
  expect(deployed['code']).toBeGreaterThan(1_000)
})
