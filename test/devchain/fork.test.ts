import { getContractAddress, type Hex, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, describe, expect, test } from 'vitest'

import { signHash } from '../../src/native/protobuf/signature.ts'
import type { DevGateway } from '../support/devGateway.ts'
import { coins, height, NOBODY, WHO, startForkedChain } from '../support/forkedChain.ts'
import { artifacts } from '../support/recordedChain.ts'

const { balanceOf, deployment, owner, point, real, startFork, token, transfer } =
  await startForkedChain()

afterAll(() => real.close())

describe('what was before the fork', () => {
  test('default: state as of the fork block, whatever the real chain did since', async () => {
    const fork = await startFork()
    expect(await height(fork)).toBe(point)
    expect(await fork.rpc('eth_chainId')).toBe(await real.rpc('eth_chainId'))
    expect(await coins(fork, WHO)).toBe(100_000_000)
    expect(await balanceOf(fork, WHO)).toBe(7n)
    expect(await fork.rpc('eth_getCode', token)).toBe(await real.rpc('eth_getCode', token))
    const at = `0x${point.toString(16)}`
    expect(await fork.rpc('eth_getTransactionCount', owner)).toBe(
      await real.rpc('eth_getTransactionCount', owner, at),
    )
    expect(await coins(real, WHO)).toBe(100_000_001)
  })

  test('default: blocks, transactions, receipts and logs are read through', async () => {
    const fork = await startFork()
    for (const call of [
      ['eth_getBlockByNumber', `0x${point.toString(16)}`, true],
      ['eth_getBlockByNumber', '0x0', false],
      ['eth_getTransactionByHash', deployment],
      ['eth_getTransactionReceipt', deployment],
      ['eth_getLogs', { fromBlock: '0x0', toBlock: `0x${point.toString(16)}`, address: token }],
    ] as const) {
      const [method, ...params] = call
      const [seen, told] = [await fork.rpc(method, ...params), await real.rpc(method, ...params)]
      // In the process of a dev chain its blocks are measured without their signatures.
      expect({ ...(seen as object), size: 0 }).toEqual({ ...(told as object), size: 0 })
    }
    const body = { startNum: point - 1, endNum: point + 2, visible: false }
    await fork.rpc('evm_mine')
    const { block } = (await fork.native('/wallet/getblockbylimitnext', body)) as {
      block: { blockID: string }[]
    }
    const own = fork.chain.ledger.block(point + 1)?.id
    expect(block.map(({ blockID }) => blockID).slice(2)).toEqual([own])
    expect(block).toHaveLength(3)
  })

  test('behavior: a history of fees ends with the price of the block after it, not of the next one', async () => {
    const fork = await startFork()
    await fork.rpc('hardhat_setNextBlockBaseFeePerGas', '0x7b')
    const history = ['0x1', numberToHex(point - 2), []] as const
    expect(await fork.rpc('eth_feeHistory', ...history)).toEqual(
      await real.rpc('eth_feeHistory', ...history),
    )
    expect(await fork.rpc('eth_feeHistory', '0x1', 'latest', [])).toMatchObject({
      baseFeePerGas: [expect.anything(), '0x7b'],
    })
  })

  test('behavior: transactions of the real chain after the fork block are unknown', async () => {
    const later = await transfer(real, owner, NOBODY, 1n)
    const fork = await startFork()
    expect(await fork.rpc('eth_getTransactionReceipt', later)).toBeNull()
    expect(await fork.rpc('eth_getTransactionByHash', later)).toBeNull()
    expect(await balanceOf(fork, NOBODY)).toBe(0n)
  })

  test('behavior: a contract that the real chain made later can be made here too, with the coins at its address', async () => {
    const from = real.accountOf(1)
    const address = getContractAddress({ from, nonce: 1n }).toLowerCase()
    await real.rpc('eth_sendTransaction', { from, to: address, value: '0x5' })
    const number = await height(real)
    const data = `0x${artifacts.Token.bytecode.replace('0x', '')}${'0'.repeat(64)}`
    const made = await real.rpc('eth_sendTransaction', { from, data })
    expect(await real.rpc('eth_getTransactionReceipt', made)).toMatchObject({
      contractAddress: address,
    })
    const fork = await startFork({ number })
    await fork.rpc('hardhat_impersonateAccount', from)
    const again = await fork.rpc('eth_sendTransaction', { from, data })
    expect(await fork.rpc('eth_getTransactionReceipt', again)).toMatchObject({
      contractAddress: address,
      status: '0x1',
    })
    expect(await coins(fork, address as Hex)).toBe(5)
  })

  test('behavior: a contract that the real chain destroyed later is here, with its coins', async () => {
    const from = real.accountOf(2)
    // SELFDESTRUCT to the caller.
    const data = '0x6133ff6000526002601ef3'
    const made = await real.rpc('eth_sendTransaction', { from, data, value: '0x5' })
    const { contractAddress: to } = (await real.rpc('eth_getTransactionReceipt', made)) as {
      contractAddress: Hex
    }
    const number = await height(real)
    await real.rpc('eth_sendTransaction', { from, to, gas: '0x186a0' })
    expect(await real.rpc('eth_getCode', to, 'latest')).toBe('0x')
    const fork = await startFork({ number })
    expect(await fork.rpc('eth_getCode', to, 'latest')).toBe('0x33ff')
    expect(await coins(fork, to)).toBe(5)
    const paid = await fork.rpc('eth_sendTransaction', {
      from: fork.accountOf(0),
      to,
      gas: '0x186a0',
    })
    expect(await fork.rpc('eth_getTransactionReceipt', paid)).toMatchObject({ status: '0x1' })
    expect(await coins(fork, to)).toBe(0)
  })

  test('behavior: a delegation of an account (EIP-7702) is that of the fork block', async () => {
    const account = privateKeyToAccount(real.keyOf(3))
    const address: Hex = `0x${'e2'.repeat(20)}`
    const chainId = Number(await real.rpc('eth_chainId'))
    const { r, s, yParity } = await account.signAuthorization({ address, chainId, nonce: 0 })
    const authorization = { address, chainId: numberToHex(chainId), nonce: '0x0', r, s }
    await real.rpc('eth_sendTransaction', {
      from: real.accountOf(0),
      to: NOBODY,
      authorizationList: [{ ...authorization, yParity: numberToHex(yParity ?? 0) }],
    })
    const fork = await startFork({ number: await height(real) })
    await coins(fork, account.address)
    expect(await fork.rpc('eth_getCode', account.address, 'latest')).toBe(
      `0xef0100${address.slice(2)}`,
    )
  })

  test('error: transactions before the fork are not available', async () => {
    const fork = await startFork()
    for (const [method, param] of [
      ['debug_traceTransaction', deployment],
      ['trace_transaction', deployment],
      ['trace_block', `0x${point.toString(16)}`],
      ['eth_getRawTransactionByHash', deployment],
      ['ots_getContractCreator', token],
    ] as const)
      await expect(fork.rpc(method, param)).rejects.toMatchObject({
        code: -32000,
        message: expect.stringContaining('the fork'),
      })
  })

  test('behavior: state at earlier blocks, where the node keeps it', async () => {
    const fork = await startFork()
    const before = `0x${(point - 2).toString(16)}`
    expect(await balanceOf(fork, WHO, before)).toBe(0n)
    expect(await balanceOf(fork, owner, before)).toBe(await balanceOf(real, owner, before))
    expect(await coins(fork, WHO, before)).toBe(0)
    await transfer(fork, await account(fork), WHO, 0n)
    expect(await balanceOf(fork, WHO, before)).toBe(0n)
  })
})

const account = async (chain: DevGateway) => ((await chain.rpc('eth_accounts')) as [Hex])[0]

describe('what the fork does itself', () => {
  test('error: no balance in a block that the chain does not have, though it has one at its height', async () => {
    const fork = await startFork()
    const number = numberToHex(point - 1)
    const { hash } = (await fork.rpc('eth_getBlockByNumber', number, false)) as { hash: Hex }
    expect(await fork.rpc('eth_getBalance', WHO, hash)).toBe(
      await fork.rpc('eth_getBalance', WHO, number),
    )
    const other = `${hash.slice(0, -4)}${hash.endsWith('0000') ? '1111' : '0000'}`
    for (const method of ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'])
      await expect(fork.rpc(method, WHO, { blockHash: other })).rejects.toMatchObject({
        code: -32000,
        message: 'header not found',
      })
  })

  test('default: an impersonated account moves its tokens, here alone', async () => {
    const fork = await startFork()
    const time = async (block: string) =>
      Number(
        ((await fork.rpc('eth_getBlockByNumber', block, false)) as { timestamp: Hex }).timestamp,
      )
    await fork.rpc('hardhat_impersonateAccount', WHO)
    const hash = await transfer(fork, WHO, NOBODY, 3n)
    expect(await fork.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      blockNumber: `0x${(point + 1).toString(16)}`,
    })
    expect(await time('latest')).toBeGreaterThan(await time(`0x${point.toString(16)}`))
    expect([await balanceOf(fork, WHO), await balanceOf(fork, NOBODY)]).toEqual([4n, 3n])
    expect(await balanceOf(fork, WHO, `0x${point.toString(16)}`)).toBe(7n)
    expect(await balanceOf(real, WHO)).toBe(107n)
  })

  test('default: Otterscan finds what happened since the fork', async () => {
    const fork = await startFork()
    await fork.rpc('hardhat_impersonateAccount', WHO)
    const hash = await transfer(fork, WHO, NOBODY, 1n)
    for (const [direction, block] of [
      ['Before', 0],
      ['After', 0],
      ['After', point],
    ] as const)
      expect(await fork.rpc(`ots_searchTransactions${direction}`, WHO, block, 5)).toMatchObject({
        txs: [{ hash }],
      })
    expect(await fork.rpc('ots_getTransactionBySenderAndNonce', WHO, 0)).toBe(hash)
    expect(await fork.rpc('ots_getTransactionBySenderAndNonce', WHO, 1)).toBeNull()
    expect(await fork.rpc('ots_getContractCreator', WHO)).toBeNull()
  })

  test('default: anvil_reorg and dealERC20 work on a fork', async () => {
    const fork = await startFork()
    await fork.rpc('anvil_dealERC20', NOBODY, token, '0x2a')
    expect(await balanceOf(fork, NOBODY)).toBe(42n)
    await expect(fork.rpc('anvil_rollback', 1)).rejects.toMatchObject({ code: -32602 })
    await fork.rpc('anvil_mine', 2)
    await fork.rpc('anvil_reorg', 2, [])
    expect(await height(fork)).toBe(point + 2)
  })

  test('default: the accounts of the dev chain have their coins', async () => {
    const fork = await startFork()
    expect(await coins(fork, await account(fork))).toBe(10_000_000_000)
  })

  test('behavior: snapshots, reverts and resets go back to state that was read', async () => {
    const fork = await startFork()
    await fork.rpc('hardhat_impersonateAccount', WHO)
    const snapshot = await fork.rpc('evm_snapshot')
    await transfer(fork, WHO, NOBODY, 3n)
    await fork.rpc('hardhat_setBalance', NOBODY, '0x9')
    await fork.rpc('evm_revert', snapshot)
    expect([await balanceOf(fork, WHO), await coins(fork, NOBODY)]).toEqual([7n, 0])
    await transfer(fork, WHO, NOBODY, 2n)
    const reset = (forking: object) => fork.rpc('hardhat_reset', { forking })
    await expect(reset({ jsonRpcUrl: 'http://127.0.0.1:1' })).rejects.toThrow('another node')
    await expect(reset({ blockNumber: 1 })).rejects.toThrow(`at block ${point}`)
    await reset({ jsonRpcUrl: real.url, blockNumber: point })
    expect([await balanceOf(fork, WHO), await height(fork)]).toEqual([7n, point])
    expect(await fork.rpc('hardhat_metadata')).toMatchObject({
      forkedNetwork: { forkBlockNumber: point },
    })
  })

  test('behavior: a contract sees the hashes of blocks before the fork', async () => {
    const fork = await startFork()
    // Returns the hash of the block at the number in the call data.
    const code = '0x6000354060005260206000f3'
    const number = point - 2
    const data = `0x${number.toString(16).padStart(64, '0')}`
    const { hash } = (await real.rpc(
      'eth_getBlockByNumber',
      `0x${number.toString(16)}`,
      false,
    )) as {
      hash: Hex
    }
    expect(await fork.rpc('eth_call', { to: NOBODY, data }, 'latest', { [NOBODY]: { code } })).toBe(
      hash,
    )
  })

  test('behavior: native transactions refer to blocks before the fork', async () => {
    const fork = await startFork()
    const built = await fork.native('/wallet/createtransaction', {
      owner_address: `41${owner.slice(2)}`,
      to_address: `41${NOBODY.slice(2)}`,
      amount: 5,
    })
    const key = real.chain.accounts[0]?.key
    const signature = [signHash(built['txID'] as string, key as string)]
    expect(
      await fork.native('/wallet/broadcasttransaction', { ...built, signature }),
    ).toMatchObject({ result: true })
    expect(await coins(fork, NOBODY)).toBe(5)
  })
})
