import { readFileSync } from 'node:fs'

import type { Hex } from 'viem'
import { concatHex, encodeErrorResult, encodeFunctionData, parseAbi, size, toHex } from 'viem/utils'
import { afterEach, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../../../../test/support/devGateway.ts'
import { createTerminal } from './terminal.ts'

/** A contract that passes the data of every call on to the console. */
const PRINTER = '0x76365f5f375f5f365f6a636f6e736f6c652e6c6f675afa005f5260176009f3'

/** Creation code that reverts with the reason "no way". */
const FAILING = `0x6064600a5f3960645ffd08c379a0${'20'.padStart(64, '0')}${'6'.padStart(64, '0')}${Buffer.from('no way').toString('hex').padEnd(64, '0')}`

/** Creation code that reverts with the error 0x01020304. */
const CUSTOM = '0x630102030460e01b5f5260045ffd'

const log = encodeFunctionData({
  abi: parseAbi(['function log(string, uint256)']),
  args: ['the answer is %d\nof all', 42n],
})

let dev: DevGateway
let text = ''
let close: () => void

async function start(options: Partial<createTerminal.Options> = {}): Promise<void> {
  text = ''
  dev = await startDevGateway(
    { time: { seed: 'terminal' }, rules: { decimals: 18 } },
    {},
    (chain) => {
      const write = (more: string) => void (text += more)
      const defaults = { chain, color: false, decimals: 18, verbose: false, write } as const
      const terminal = createTerminal({ ...defaults, ...options })
      close = () => terminal.close()
      return terminal
    },
  )
}

afterEach(() => dev.close())

const printed = () => {
  close()
  return text.trim()
}

test('default: shows calls, transactions, blocks, what contracts print and why they fail, as the docs say', async () => {
  await start()
  const [from, to] = (await dev.rpc('eth_accounts')) as string[]
  for (let count = 0; count < 3; count++) await dev.rpc('eth_blockNumber')
  const hash = await dev.rpc('eth_sendTransaction', { from, data: PRINTER })
  const receipt = await dev.rpc('eth_getTransactionReceipt', hash)
  const { contractAddress } = receipt as { contractAddress: string }
  await dev.rpc('eth_sendTransaction', { from, to: contractAddress, data: log })
  await dev.rpc('eth_call', { from, to: contractAddress, data: log }, 'latest')
  const failing = { from, data: FAILING, gas: '0x10000' }
  await expect(dev.rpc('eth_sendTransaction', failing)).rejects.toThrow('no way')
  await expect(dev.rpc('eth_estimateGas', { from, data: CUSTOM })).rejects.toThrow('reverted')
  await dev.rpc('eth_sendTransaction', { from, to, value: '0x14d1120d7b160000' })
  await dev.rpc('hardhat_mine', '0x64')
  await expect(dev.rpc('eth_nothing')).rejects.toThrow('does not exist')
  const output = printed()
  expect(output.match(/^eth_blockNumber.*$/gm)).toEqual(['eth_blockNumber', 'eth_blockNumber (3)'])
  const docs = readFileSync(new URL('../../../../docs/devchain.md', import.meta.url), 'utf8')
  const shown =
    /## What the terminal shows[^]*?```\n([^]*?)\n```/.exec(docs)?.[1]?.split('\n…\n') ?? []
  expect(shown.length).toBeGreaterThan(1)
  for (const part of shown) expect(output).toContain(part)
})

test('behavior: the data of a revert is decoded', async () => {
  await start()
  const [from] = (await dev.rpc('eth_accounts')) as string[]
  /** Creation code that reverts with data of at most 255 bytes. */
  const reverting = (data: string) =>
    `0x60${(data.length / 2).toString(16).padStart(2, '0')}80600a5f395ffd00${data}`
  for (const data of [
    '',
    'ab',
    `4e487b71${'11'.padStart(64, '0')}`,
    `cf479181${'2'.padStart(64, '0')}`,
  ])
    await expect(dev.rpc('eth_call', { from, data: reverting(data) })).rejects.toThrow('reverted')
  expect(printed().match(/Error: .*/g)).toEqual([
    'Error: Transaction reverted without a reason string',
    'Error: VM Exception while processing transaction: reverted with an unrecognized custom error (return data: 0xab)',
    'Error: VM Exception while processing transaction: reverted with panic code 0x11 (Arithmetic operation overflowed outside of an unchecked block)',
    `Error: VM Exception while processing transaction: reverted with an unrecognized custom error (return data: 0xcf479181${'2'.padStart(64, '0')})`,
  ])
})

test('behavior: transactions that waited are shown with the block that takes them', async () => {
  await start()
  const [from, to] = (await dev.rpc('eth_accounts')) as string[]
  await dev.rpc('evm_setAutomine', false)
  const first = await dev.rpc('eth_sendTransaction', { from, to, value: '0x7' })
  await dev.rpc('eth_sendTransaction', { from, to, value: '0x8' })
  await dev.rpc('evm_mine')
  const output = printed()
  expect(output).toContain(`Transaction ${String(first)} waits in the pool`)
  const mined = output.slice(output.indexOf('evm_mine'))
  expect(mined).toContain('  Mined Block #1:')
  expect(mined.match(/Value: +\d wei/g)).toEqual([
    'Value:            7 wei',
    'Value:            8 wei',
  ])
})

test('behavior: prints blocks that no call made, and does not print removed blocks again', async () => {
  await start()
  await dev.native('/wallet/getnowblock')
  await dev.chain.mine()
  expect(printed()).toBe('Mined empty block #1')
  text = ''
  const snapshot = await dev.rpc('evm_snapshot')
  await dev.rpc('hardhat_mine', '0x5')
  await dev.rpc('evm_revert', snapshot)
  await dev.rpc('evm_mine')
  expect(printed()).toMatch(/#2 to #6\n\nevm_revert\nevm_mine\n +Mined empty block #2$/)
})

test('args: hardhat_setLoggingEnabled switches it off and on', async () => {
  await start()
  await dev.rpc('hardhat_setLoggingEnabled', false)
  await dev.rpc('eth_blockNumber')
  await dev.rpc('evm_mine')
  await dev.rpc('hardhat_setLoggingEnabled', true)
  await dev.rpc('eth_chainId')
  expect(printed().split('\n')).toEqual(['hardhat_setLoggingEnabled', 'eth_chainId'])
})

test('args: verbose shows params and answers, colours set failures apart', async () => {
  await start({ color: true, verbose: true })
  await dev.rpc('eth_blockNumber')
  await expect(dev.rpc('eth_getBalance', 'nobody')).rejects.toThrow('invalid argument 0')
  const output = printed()
  expect(output).toContain('\u001b[32meth_blockNumber\u001b[0m\n  Params: []\n  Answer: "0x0"\n')
  expect(output).toContain('\u001b[31meth_getBalance\u001b[0m\n  Error: invalid argument 0')
})

test('behavior: escape sequences of contracts and clients do not reach the terminal', async () => {
  await start({ verbose: true })
  const [from, to] = (await dev.rpc('eth_accounts')) as [Hex, Hex]
  const escape = '\u001B]0;owned\u0007\u009B2J\r'
  const reason = encodeErrorResult({
    abi: parseAbi(['error Error(string)']),
    errorName: 'Error',
    args: [`${escape}\nnext`],
  })
  const reverting = concatHex(['0x60', toHex(size(reason)), '0x80600a5f395ffd00', reason])
  await expect(dev.rpc('eth_call', { from, data: reverting })).rejects.toThrow('reverted')
  await expect(
    dev.rpc('eth_sendTransaction', { from, data: reverting, gas: '0x20000' }),
  ).rejects.toThrow('reverted')
  const contract = await dev.rpc('eth_sendTransaction', { from, data: PRINTER })
  const receipt = await dev.rpc('eth_getTransactionReceipt', contract)
  const { contractAddress } = receipt as { contractAddress: Hex }
  const data = encodeFunctionData({
    abi: parseAbi(['function log(string)']),
    args: [`${escape}\nsecond line`],
  })
  await dev.rpc('eth_call', { from, to: contractAddress, data }, 'latest')
  await expect(dev.rpc(`eth_${escape}`, to)).rejects.toThrow('does not exist')
  const output = printed()
  expect(output).toContain(String.raw`\u001b]0;owned\u0007\u009b2J\u000d`)
  expect(output).toContain('second line')
  expect(output).not.toMatch(/(?!\n)\p{Cc}/u)
})
