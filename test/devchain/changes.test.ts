import { type Address, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'

import { startFileDevGateway } from '../support/devGateway.ts'
import { artifacts } from '../support/recordedChain.ts'

const dev = await startFileDevGateway()

const WHO: Address = `0x${'ab'.repeat(20)}`
const number = async () => Number(await dev.rpc('eth_blockNumber'))
const send = (transaction: object) =>
  dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), ...transaction }) as Promise<Hex>

describe('the chain id is changed', () => {
  /** Code that returns CHAINID. */
  const creation = '0x4660005260206000f3'

  test('default: for answers, contracts and signatures; traces of older blocks keep theirs', async () => {
    const before = dev.chain.chainId
    const from = dev.accountOf(0)
    // Stores CHAINID in slot 0.
    const old = await send({ data: '0x46600055' })
    expect(await dev.rpc('anvil_setChainId', 4242)).toBeNull()
    try {
      expect(await dev.rpc('eth_chainId')).toBe('0x1092')
      expect(await dev.rpc('net_version')).toBe('4242')
      expect(await dev.rpc('anvil_nodeInfo')).toMatchObject({ environment: { chainId: 4242 } })
      expect(await dev.rpc('eth_call', { data: creation }, 'latest')).toBe(
        `0x${'1092'.padStart(64, '0')}`,
      )
      const hash = await send({ data: '0x46600055' })
      expect(await dev.rpc('eth_getTransactionByHash', hash)).toMatchObject({ chainId: '0x1092' })
      for (const [transaction, id] of [
        [old, before],
        [hash, 4242],
      ] as const) {
        const [{ stateDiff }] = [
          (await dev.rpc('trace_replayTransaction', transaction, ['stateDiff'])) as {
            stateDiff: Record<Address, { storage: Record<Hex, unknown> }>
          },
        ]
        const { contractAddress } = (await dev.rpc('eth_getTransactionReceipt', transaction)) as {
          contractAddress: Address
        }
        expect(stateDiff[contractAddress]?.storage).toEqual({
          [`0x${'0'.repeat(64)}`]: { '+': `0x${id.toString(16).padStart(64, '0')}` },
        })
      }
      const request = { from, to: WHO, value: '0x1', gas: '0x5208', chainId: before }
      await expect(dev.rpc('eth_sendTransaction', request)).rejects.toMatchObject({
        message: `invalid chain id: have ${before} want 4242`,
      })
    } finally {
      await dev.rpc('anvil_setChainId', before)
    }
  })

  test('error: no chain id', async () => {
    for (const id of [0, '0x20000000000000', 'one'])
      await expect(dev.rpc('anvil_setChainId', id)).rejects.toMatchObject({ code: -32602 })
  })
})

describe('signatures are impersonated', () => {
  const hash = 'ab'.repeat(32)
  const parts = '11'.repeat(64)
  const recovered = (v: string) =>
    dev.rpc('eth_call', {
      to: `0x${'1'.padStart(40, '0')}`,
      data: `0x${hash}${v.padStart(64, '0')}${parts}`,
    })

  test('default: ecrecover finds the account, for this v alone', async () => {
    const before = await recovered('1b')
    expect(await dev.rpc('anvil_impersonateSignature', [`0x${parts}1c`, WHO])).toBeNull()
    expect(await recovered('1c')).toBe(`0x${WHO.slice(2).toLowerCase().padStart(64, '0')}`)
    expect(await recovered('1b')).toBe(before)
  })

  test('error: not 65 bytes, or not a list', async () => {
    for (const params of [[[`0x${parts}`, WHO]], [`0x${parts}1c`, WHO], [[`0x${parts}1c`]]])
      await expect(dev.rpc('anvil_impersonateSignature', ...params)).rejects.toMatchObject({
        code: -32602,
      })
  })
})

describe('a block now and then', () => {
  test('args: milliseconds as on Hardhat; a number below 100 is in seconds, as on anvil', async () => {
    for (const [given, seconds] of [
      [1, 1],
      ['0x63', 99],
      [100, 0.1],
      [2_500, 2.5],
    ] as const) {
      expect(await dev.rpc('evm_setIntervalMining', given)).toBe(true)
      expect(await dev.rpc('anvil_getIntervalMining')).toBe(seconds)
    }
    expect(await dev.rpc('evm_setIntervalMining', 0)).toBe(true)
    expect(await dev.rpc('anvil_getIntervalMining')).toBeNull()
  })

  test('args: a range of milliseconds', async () => {
    const height = await number()
    expect(await dev.rpc('evm_setIntervalMining', [5, 10])).toBe(true)
    await expect.poll(number).toBeGreaterThan(height + 1)
    expect(await dev.rpc('anvil_getIntervalMining')).toBe(0.005)
    expect(await dev.rpc('evm_setIntervalMining', 0)).toBe(true)
    for (const params of [[[10, 5]], [[1]], [-1], []])
      await expect(dev.rpc('evm_setIntervalMining', ...params)).rejects.toMatchObject({
        code: -32602,
      })
  })
})

describe('blocks are replaced', () => {
  test('anvil_reorg: as many new blocks, with the transactions that are given', async () => {
    await dev.rpc('anvil_mine', 3)
    const gone = await send({ to: WHO, value: '0x5' })
    const height = await number()
    const old = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as { hash: Hex }
    const filter = await dev.rpc('eth_newBlockFilter')
    const transaction = { from: dev.accountOf(0), to: WHO, value: '0x7' }
    expect(await dev.rpc('anvil_reorg', 3, [[transaction, 1]])).toBeNull()
    expect(await number()).toBe(height)
    const fresh = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as { hash: Hex }
    expect(fresh.hash).not.toBe(old.hash)
    expect(await dev.rpc('eth_getTransactionReceipt', gone)).toBeNull()
    expect(await dev.rpc('eth_getBalance', WHO, 'latest')).toBe('0x7')
    expect(
      await dev.rpc('eth_getBlockTransactionCountByNumber', `0x${(height - 1).toString(16)}`),
    ).toBe('0x1')
    expect(((await dev.rpc('eth_getFilterChanges', filter)) as Hex[]).at(-1)).toBe(fresh.hash)
  })

  test('anvil_reorg: a signed transaction', async () => {
    await dev.rpc('anvil_mine', 1)
    const request = { from: dev.accountOf(1), to: WHO, value: '0x3', gas: '0x5208', nonce: '0x0' }
    const raw = (await dev.rpc('eth_signTransaction', request)) as Hex
    await dev.rpc('anvil_reorg', 1, [[raw, 0]])
    expect(await dev.rpc('eth_getBalance', WHO, 'latest')).toBe('0x3')
  })

  test('behavior: a transaction that another client sends meanwhile is mined', async () => {
    await dev.rpc('anvil_mine', 2)
    const height = await number()
    const transaction = { from: dev.accountOf(0), to: WHO, value: '0x1' }
    const other = { from: dev.accountOf(2), to: WHO, value: '0x1', gas: '0x5208' }
    const raw = (await dev.rpc('eth_signTransaction', other)) as Hex
    // The first change of the chain is the removal of the old blocks.
    let sent: Promise<unknown> | undefined
    const end = dev.chain.onBlock(() => void (sent ??= dev.rpc('eth_sendRawTransaction', raw)))
    await dev.rpc('anvil_reorg', 2, [
      [transaction, 0],
      [transaction, 1],
    ])
    end()
    const hash = await sent
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect(await dev.rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    expect(await dev.rpc('hardhat_getAutomine')).toBe(true)
    expect(await number()).toBeGreaterThanOrEqual(height)
  })

  test('error: deeper than the chain, or a block beyond the branch', async () => {
    const transaction = { from: dev.accountOf(0), to: WHO }
    await expect(dev.rpc('anvil_reorg', 100, [])).rejects.toMatchObject({ code: -32602 })
    await expect(dev.rpc('anvil_rollback', 100)).rejects.toMatchObject({ code: -32602 })
    await expect(dev.rpc('anvil_reorg', 1, [[transaction, 1]])).rejects.toMatchObject({
      code: -32602,
    })
  })

  test('error: a transaction that the new branch refuses does not make it shorter', async () => {
    await dev.rpc('anvil_mine', 3)
    const height = await number()
    const mined = { from: dev.accountOf(0), to: WHO, value: '0x1' }
    const tooMuch = { ...mined, gas: '0x5208', value: `0x${(10n ** 17n).toString(16)}` }
    const before = BigInt((await dev.rpc('eth_getBalance', WHO, 'latest')) as Hex)
    const pairs = [
      [tooMuch, 0],
      [mined, 1],
    ]
    await expect(dev.rpc('anvil_reorg', 3, pairs)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('insufficient funds'),
    })
    expect(await number()).toBe(height)
    expect(BigInt((await dev.rpc('eth_getBalance', WHO, 'latest')) as Hex)).toBe(before + 1n)
  })

  test('error: a transaction that cannot be sent removes no block', async () => {
    const height = await number()
    for (const transaction of ['0xf8', { from: WHO, to: WHO }])
      await expect(dev.rpc('anvil_reorg', 1, [[transaction, 0]])).rejects.toMatchObject({
        code: -32000,
      })
    expect(await number()).toBe(height)
  })
})

describe('tokens', () => {
  const { abi, bytecode } = artifacts.Token

  async function deploy(): Promise<Address> {
    const data = encodeDeployData({ abi, bytecode: `0x${bytecode.replace('0x', '')}`, args: [1n] })
    const hash = await send({ data })
    const receipt = (await dev.rpc('eth_getTransactionReceipt', hash)) as {
      contractAddress: Address
      status: Hex
    }
    expect(receipt.status).toBe('0x1')
    return receipt.contractAddress
  }

  const call = async (to: Address, functionName: string, args: unknown[]) =>
    BigInt(
      (await dev.rpc('eth_call', {
        to,
        data: encodeFunctionData({ abi, functionName, args }),
      })) as Hex,
    )

  test('default: a balance and an allowance, without a block', async () => {
    const token = await deploy()
    const height = await number()
    expect(await dev.rpc('anvil_dealERC20', WHO, token, '0x4d2')).toBeNull()
    expect(await call(token, 'balanceOf', [WHO])).toBe(1234n)
    expect(await dev.rpc('anvil_setERC20Balance', WHO, token, '0x0')).toBeNull()
    expect(await call(token, 'balanceOf', [WHO])).toBe(0n)
    expect(
      await dev.rpc('anvil_setERC20Allowance', dev.accountOf(0), WHO, token, `0x${'f'.repeat(64)}`),
    ).toBeNull()
    expect(await call(token, 'allowance', [dev.accountOf(0), WHO])).toBe(2n ** 256n - 1n)
    expect(await number()).toBe(height)
  })

  test('error: the address is not a token', async () => {
    await expect(dev.rpc('anvil_dealERC20', dev.accountOf(0), WHO, '0x1')).rejects.toMatchObject({
      code: -32603,
      message: `no storage slot of ${WHO} holds the balance`,
    })
  })
})
