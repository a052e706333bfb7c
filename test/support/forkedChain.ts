import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { onTestFinished } from 'vitest'

import { connectFork } from '../../src/devchain/index.ts'
import { type DevGateway, startDevGateway } from './devGateway.ts'
import { artifacts } from './recordedChain.ts'

const abi = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address who) view returns (uint256)',
])

/** An account with tokens and coins on the forked chain. */
export const WHO: Hex = `0x${'ab'.repeat(20)}`
/** An account without tokens and coins. */
export const NOBODY: Hex = `0x${'cd'.repeat(20)}`

/** The number of the newest block. */
export const height = async (chain: DevGateway) => Number(await chain.rpc('eth_blockNumber'))

/** The balance of an account, sun. */
export const coins = async (chain: DevGateway, who: Hex, block: unknown = 'latest') =>
  Number(await chain.rpc('eth_getBalance', who, block))

/** A chain with a token, and forks of it at a block after which it has gone on. Its accounts are others than those of the fork. */
export async function startForkedChain() {
  const real = await startDevGateway({
    accounts: {
      mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
    },
  })
  const owner: Hex = real.accountOf(0)
  const supply = 1_000n.toString(16).padStart(64, '0')
  const data = `0x${artifacts.Token.bytecode.replace('0x', '')}${supply}`
  const deployment = (await real.rpc('eth_sendTransaction', { from: owner, data })) as Hex
  const { contractAddress: token } = (await real.rpc('eth_getTransactionReceipt', deployment)) as {
    contractAddress: Hex
  }

  const transfer = (chain: DevGateway, from: Hex, to: Hex, value: bigint) =>
    chain.rpc('eth_sendTransaction', {
      from,
      to: token,
      data: encodeFunctionData({ abi, functionName: 'transfer', args: [to, value] }),
    }) as Promise<Hex>
  const balanceOf = async (chain: DevGateway, who: Hex, block: unknown = 'latest') => {
    const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [who] })
    return BigInt((await chain.rpc('eth_call', { to: token, data }, block)) as Hex)
  }

  await transfer(real, owner, WHO, 7n)
  await real.rpc('eth_sendTransaction', { from: owner, to: WHO, value: '0x5f5e100' })
  const point = await height(real)
  await transfer(real, owner, WHO, 100n)
  await real.rpc('eth_sendTransaction', { from: owner, to: WHO, value: '0x1' })

  /** A chain that goes on from the real one; it ends with the test. */
  const startFork = async (options: Partial<connectFork.Options> = {}): Promise<DevGateway> => {
    const fork = await connectFork({ url: real.url, number: point, cache: 'off', ...options })
    const chain = await startDevGateway({ fork })
    onTestFinished(() => chain.close())
    return chain
  }

  return {
    real,
    /** The block that is forked. */
    point,
    token,
    owner,
    /** The hash of the transaction that deployed the token. */
    deployment,
    transfer,
    /** Tokens of an account. */
    balanceOf,
    startFork,
  }
}
