import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { parseTransaction } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ethgate } from '../support/cli.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'

const run = promisify(execFile)
const cwd = fileURLToPath(new URL('cast', import.meta.url))

/** The command of docs/sending.md. */
const [, command = ''] =
  /```sh\n(cast send [^\n]*)\n```/.exec(
    readFileSync(new URL('../../docs/sending.md', import.meta.url), 'utf8'),
  ) ?? []

// Installing takes minutes, so this runs where it is asked for: `npm run test:tools`.
describe.runIf(process.env['TEST_TOOLS'])('cast', () => {
  let dev: DevGateway

  beforeAll(async () => {
    dev = await startDevGateway()
    if (!existsSync(`${cwd}/node_modules`))
      await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd })
  }, 600_000)

  afterAll(() => dev.close())

  test('behavior: the command of docs/sending.md sends one coin, with the energy price as base fee', async () => {
    const env = {
      ...process.env,
      MANAGED_KEY: dev.keyOf(0),
      PATH: `${cwd}/node_modules/.bin:${process.env['PATH']}`,
    }
    const receiver = /0x[0-9a-fA-F]{40}\b/.exec(command)?.[0]
    const before = (await dev.rpc('eth_getBalance', receiver, 'latest')) as string
    const here = command.replace('http://127.0.0.1:8545', dev.url)
    const { stdout } = await run('bash', ['-c', `${here} --json`], { cwd, env })
    const receipt = JSON.parse(stdout) as { status: string; type: string }
    expect(receipt).toMatchObject({ status: '0x1', type: '0x2' })
    const after = (await dev.rpc('eth_getBalance', receiver, 'latest')) as string
    expect(BigInt(after) - BigInt(before)).toBe(1_000_000n)
  }, 120_000)

  test('behavior: it offers twice the base fee and a tip of one, and pays the base fee', async () => {
    const key = dev.keyOf(0)
    const receiver = dev.accountOf(1)
    const args = ['mktx', '--rpc-url', dev.url, '--private-key', key, receiver, '--value', '1']
    const { stdout } = await run(`${cwd}/node_modules/.bin/cast`, args, { cwd })
    const raw = stdout.trim() as `0x02${string}`
    const price = BigInt((await dev.rpc('eth_gasPrice')) as string)
    expect(parseTransaction(raw)).toMatchObject({
      type: 'eip1559',
      maxFeePerGas: 2n * price + 1n,
      maxPriorityFeePerGas: 1n,
    })
    const hash = await dev.rpc('eth_sendRawTransaction', raw)
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      effectiveGasPrice: `0x${price.toString(16)}`,
      status: '0x1',
    })
  }, 120_000)

  describe('ethgate and cast print the same', () => {
    const TOKEN = fileURLToPath(new URL('../../docs/examples/Token.json', import.meta.url))
    const from = () => dev.accountOf(0)
    const to = () => dev.accountOf(1)
    let token = ''
    let hash = ''

    const ours = async (...words: string[]) => {
      const { code, stderr, stdout } = await ethgate(words, { env: { ETH_RPC_URL: dev.url } })
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
      return stdout.trimEnd()
    }
    const cast = async (...words: string[]) => {
      const env = { ...process.env, ETH_RPC_URL: dev.url, NO_COLOR: '1' }
      return (await run(`${cwd}/node_modules/.bin/cast`, words, { cwd, env })).stdout.trimEnd()
    }

    beforeAll(async () => {
      const created = await ours('send', '--create', TOKEN, '100000', '--from', from())
      token = (JSON.parse(created) as { contractAddress: string }).contractAddress
      const transfer = [token, 'transfer(address,uint256)', to(), '7', '--from', from()]
      hash = (JSON.parse(await ours('send', ...transfer)) as { hash: string }).hash
    })

    test('behavior: words with the same arguments', async () => {
      const transfer = ['transfer(address,uint256)', to(), '5']
      const lines = [
        ['block-number'],
        ['chain-id'],
        ['gas-price'],
        ['balance', from()],
        ['balance', from(), '--block', '1'],
        ['nonce', from()],
        ['code', token],
        ['code', to()],
        ['storage', token, '0'],
        ['block', 'latest', '-f', 'hash'],
        ['block', '1', '-f', 'timestamp'],
        ['tx', hash, 'to'],
        ['tx', hash, 'from'],
        ['tx', hash, 'value'],
        ['tx', hash, 'nonce'],
        ['receipt', hash, 'gasUsed'],
        ['receipt', hash, 'blockNumber'],
        ['receipt', hash, 'transactionHash'],
        ['call', token, 'balanceOf(address)', to()],
        ['call', token, 'balanceOf(address)(uint256)', to()],
        ['estimate', token, ...transfer, '--from', from()],
        ['sig', 'transfer(address,uint256)'],
        ['keccak', 'hello'],
        ['keccak', '0x1234'],
      ]
      for (const line of lines)
        expect([line, await ours(...line)]).toEqual([line, await cast(...line)])
    }, 120_000)

    test('behavior: a terminal shows decoded values as cast does', async () => {
      for (const line of [
        ['call', token, 'name()(string)'],
        ['call', token, 'balanceOf(address)(uint256)', from()],
      ])
        expect(await ours(...line, '--table')).toBe(await cast(...line))
      const data = await ours('encode', 'abi', 'f(uint256,(string,bool)[])', '100000', '[(a,true)]')
      const signature = 'f()(uint256,(string,bool)[])'
      expect(await ours('decode', 'abi', signature, data, '--table')).toBe(
        await cast('decode-abi', signature, data),
      )
    }, 60_000)

    test('behavior: words with another name', async () => {
      const transfer = 'transfer(address,uint256)'
      const call = [transfer, to(), '5']
      const data = await cast('calldata', ...call)
      const values = ['f(uint256,string,(bool,bytes)[])', '1', 'hello', '[(true,0x12)]']
      const event = 'Transfer(address,address,uint256)'
      const pairs = [
        [
          ['encode', 'calldata', ...call],
          ['calldata', ...call],
        ],
        [
          ['encode', 'abi', ...values],
          ['abi-encode', ...values],
        ],
        [
          ['decode', 'calldata', transfer, data],
          ['decode-calldata', transfer, data],
        ],
        [
          ['keccak', event],
          ['sig-event', event],
        ],
        [
          ['to-unit', '1.5coin', 'wei'],
          ['to-wei', '1.5'],
        ],
        [
          ['to-unit', '1.5coin', 'gwei'],
          ['to-unit', '1.5ether', 'gwei'],
        ],
        [
          ['to-unit', '1.5coin'],
          ['parse-units', '1.5', '6'],
        ],
        [
          ['address', token, '-f', 'eth'],
          ['to-check-sum-address', token],
        ],
      ] as const
      for (const [our, their] of pairs)
        expect([our, await ours(...our)]).toEqual([our, await cast(...their)])
      // cast asks a server on the internet for the signature of a selector.
      expect(await cast('sig', await ours('4byte', data.slice(0, 10)))).toBe(data.slice(0, 10))
    }, 120_000)

    test('behavior: the differences that docs/cli.md lists', async () => {
      expect(await ours('receipt', hash, 'status')).toBe('1')
      expect(await cast('receipt', hash, 'status')).toBe('true')
      expect(await ours('from-unit', '1500000')).toBe('1.5')
      expect(await cast('format-units', '1500000', '6')).toBe('1.500000')
      expect(await ours('rpc', 'eth_chainId')).toMatch(/^0x/)
      expect(await cast('rpc', 'eth_chainId')).toMatch(/^"0x/)
      expect(await ours('call', token, 'name()(string)')).toBe('Test Dollar')
      expect(await cast('call', token, 'name()(string)')).toBe('"Test Dollar"')
    }, 60_000)

    test('behavior: JSON has every member that cast prints', async () => {
      for (const line of [
        ['block', 'latest'],
        ['block', '2', '--full'],
        ['tx', hash],
        ['receipt', hash],
        ['logs', '--from-block', '0', '--to-block', 'latest'],
      ]) {
        const text = await ethgate([...line, '--json'], { env: { ETH_RPC_URL: dev.url } })
        const our = JSON.parse(
          line[0] === 'logs' ? `[${text.stdout.trim().replaceAll('\n', ',')}]` : text.stdout,
        ) as unknown
        expect(our).toMatchObject(withoutNull(JSON.parse(await cast(...line, '--json'))) as object)
      }
    }, 60_000)
  })
})

/** cast adds members of other chains with null. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNull(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([name, item]) => [name, withoutNull(item)]),
  )
}
