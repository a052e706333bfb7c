import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { openProject, type Project, wanted } from './project.ts'

// Forge and cast come as packages with a program inside; the compiler is the JavaScript build, behind solc.mjs.
describe.runIf(wanted)('Foundry', () => {
  let dev: DevGateway
  let project: Project
  let from: string
  let other: string
  let key: string

  beforeAll(async () => {
    dev = await startDevGateway({ rules: { decimals: 18 } })
    project = await openProject('foundry')
    const [first, second] = dev.chain.accounts
    from = `0x${first?.address.slice(2)}`
    other = `0x${second?.address.slice(2)}`
    key = `0x${first?.key}`
    await project.run('forge', ['build'])
  }, 600_000)

  afterAll(() => dev.close())

  const forge = (command: string, ...args: string[]) =>
    project.run('forge', [command, '--rpc-url', dev.url, ...args])
  const cast = async (...args: string[]) =>
    (await project.run('cast', args, { ETH_RPC_URL: dev.url })).trim()
  const json = async (...args: string[]) =>
    JSON.parse(await cast(...args, '--json')) as Record<string, unknown>

  async function create(contract: string, ...args: string[]): Promise<string> {
    const printed = await forge('create', contract, '--broadcast', '--private-key', key, ...args)
    return /Deployed to: (0x[\da-fA-F]{40})/.exec(printed)?.[1] as string
  }

  test('behavior: forge script deploys contracts that name each other, a proxy and one with a salt', async () => {
    const script = 'script/Deploy.s.sol:Deploy'
    const printed = await forge('script', script, '--broadcast', '--private-key', key)
    expect(printed).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL')
    const chainId = await cast('chain-id')
    const path = `broadcast/Deploy.s.sol/${chainId}/run-latest.json`
    const { readFileSync } = await import('node:fs')
    const { receipts, transactions } = JSON.parse(
      readFileSync(`${project.cwd}/${path}`, 'utf8'),
    ) as Broadcast
    expect(receipts.map(({ status }) => status)).toEqual(transactions.map(() => '0x1'))
    const at = (name: string): string =>
      transactions.find(
        ({ contractName, transactionType }) =>
          contractName === name && transactionType.startsWith('CREATE'),
      )?.contractAddress ?? ''
    expect(await cast('call', at('Shop'), 'ownerOf(uint256)(address)', '7')).toBe(
      await cast('to-check-sum-address', from),
    )
    expect(await cast('call', at('Coin'), 'balanceOf(address)(uint256)', from)).toMatch(/^1000000/)
    expect(await cast('call', at('Proxy'), 'number()(uint256)')).toBe('42')
    const salted = transactions.find(({ transactionType }) => transactionType === 'CREATE2')
    expect(await cast('call', salted?.contractAddress as string, 'number()(uint256)')).toBe('1')
  }, 120_000)

  test('behavior: forge create deploys with a key and unlocked', async () => {
    const coin = await create('src/Shop.sol:Coin', '--constructor-args', other)
    expect(await cast('call', coin, 'totalSupply()(uint256)')).toMatch(/^1000000000000000000000/)
    const args = ['--broadcast', '--unlocked', '--from', other]
    const unlocked = await forge('create', 'src/Shop.sol:Counter', ...args)
    expect(unlocked).toMatch(/Deployed to: 0x/)
  }, 120_000)

  test('behavior: cast and forge ask for sources, ABIs and the state of a verification', async () => {
    await project.run('forge', ['build', '--build-info', '--force'])
    const built = await startDevGateway({
      rules: { decimals: 18 },
      artifacts: `${project.cwd}/out`,
    })
    onTestFinished(() => built.close())
    const signed = ['--rpc-url', built.url, '--broadcast', '--private-key', key]
    const coin = 'src/Shop.sol:Coin'
    const printed = await project.run('forge', [
      'create',
      coin,
      ...signed,
      '--constructor-args',
      from,
    ])
    const address = /Deployed to: (0x[\da-fA-F]{40})/.exec(printed)?.[1] as string
    const chain = String(Number(await built.rpc('eth_chainId')))
    const explorer = `dev = { key = "any", chain = ${chain}, url = "${built.url}/api" }`
    appendFileSync(`${project.cwd}/foundry.toml`, `\n[etherscan]\n${explorer}\n`)
    // Foundry keeps answers about an address for a day in the home folder.
    const home = mkdtempSync(join(tmpdir(), 'ethgate-home-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const ask = (program: string, ...args: string[]) =>
      project.run(program, args, { ETH_RPC_URL: built.url, HOME: home })
    const urls = ['--explorer-api-url', `${built.url}/api`, '--explorer-url', built.url]
    const source = await ask('cast', 'source', address, ...urls, '--etherscan-api-key', 'any')
    expect(source).toContain('contract Coin is ERC20')
    const shown = await ask('cast', 'interface', address, '--chain', chain)
    expect(shown).toMatch(
      /interface Coin \{[^]*function balanceOf\(address account\) external view/,
    )
    const code = await ask('cast', 'creation-code', address, '--without-args')
    const { input } = (await built.rpc(
      'eth_getTransactionByHash',
      await creationOf(built, address),
    )) as {
      input: string
    }
    expect(input.startsWith(code.trim())).toBe(true)
    const args = await ask('cast', 'constructor-args', address)
    expect(args).toContain(from.slice(2))
    const verifier = ['--verifier', 'etherscan', '--verifier-url', `${built.url}/api`]
    const state = ['verify-check', address.slice(2), ...verifier, '--etherscan-api-key', 'any']
    expect(await ask('forge', ...state)).toContain('Contract successfully verified')
    const other = ['verify-check', from.slice(2), ...verifier, '--etherscan-api-key', 'any']
    const refused = await ask('forge', ...other).catch((error: Error) => error.message)
    expect(refused).toContain('Fail - Unable to verify')
  }, 300_000)

  test('behavior: cast sends, reads receipts and logs, calls, estimates, shows reverts', async () => {
    const coin = await create('src/Shop.sol:Coin', '--constructor-args', from)
    const transfer = [coin, 'transfer(address,uint256)', other]
    const { status, transactionHash } = await json('send', ...transfer, '5', '--private-key', key)
    expect(status).toBe('0x1')
    expect(await json('receipt', transactionHash as string)).toMatchObject({
      from,
      transactionHash,
    })
    expect(await json('tx', transactionHash as string)).toMatchObject({ hash: transactionHash })
    const event = 'Transfer(address indexed,address indexed,uint256)'
    expect(await json('logs', '--address', coin, '--from-block', '0', event)).toHaveLength(2)
    expect(await cast('call', coin, 'balanceOf(address)(uint256)', other)).toBe('5')
    expect(Number(await cast('estimate', ...transfer, '5', '--from', from))).toBeGreaterThan(21_000)
    expect(await cast('nonce', other)).toMatch(/^\d+$/)
    const back = [coin, 'transfer(address,uint256)', from]
    expect(await cast('send', ...back, '5', '--unlocked', '--from', other)).toMatch(/status +1/)
    const poor = cast('send', ...back, '7', '--unlocked', '--from', other)
    const told = await poor.catch((error: Error) => error.message)
    expect(told).toContain('ERC20InsufficientBalance')
  }, 120_000)

  test('behavior: cast creates access lists and delegates accounts', async () => {
    const coin = await create('src/Shop.sol:Coin', '--constructor-args', from)
    const transfer = [coin, 'transfer(address,uint256)', other, '5']
    expect(await cast('access-list', ...transfer, '--from', from)).toContain(coin)
    const listed = await json('send', ...transfer, '--private-key', key, '--access-list')
    expect(listed['status']).toBe('0x1')
    const hash = listed['transactionHash'] as string
    expect(await json('tx', hash)).toMatchObject({
      accessList: [{ address: coin.toLowerCase() }],
    })
    const sent = await json('send', other, '--auth', coin, '--private-key', key)
    expect(sent).toMatchObject({ status: '0x1', type: '0x4' })
    expect(await cast('code', from)).toBe(`0xef0100${coin.slice(2).toLowerCase()}`)
  }, 120_000)
})

const creationOf = async (dev: DevGateway, address: string) =>
  ((await dev.rpc('ots_getContractCreator', address)) as { hash: string }).hash

type Broadcast = {
  receipts: { status: string }[]
  transactions: { contractName: string | null; contractAddress: string; transactionType: string }[]
}
