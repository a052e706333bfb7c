import {
  type BaseContract,
  ContractFactory,
  type ContractTransactionResponse,
  JsonRpcProvider,
  Wallet,
} from 'ethers'
import { afterEach, expect, test } from 'vitest'

import { createDevChain } from '../../src/devchain/index.ts'
import type { PredictedAddresses } from '../../src/sending/contracts.ts'
import { startGateway } from '../support/gateway.ts'
import { artifacts } from '../support/recordedChain.ts'

/** ethers passes on the address that it predicted for a contract, where the chain has none. */

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

type Token = BaseContract & {
  balanceOf(account: string): Promise<bigint>
  transfer(to: string, value: bigint): Promise<ContractTransactionResponse>
}

/** Two contracts that an ethers wallet with a managed key deployed through a gateway. */
async function open(predictedAddresses: PredictedAddresses) {
  const chain = await createDevChain({ mining: { blockTime: 0 } })
  await chain.start()
  const [account] = chain.accounts
  const { gateway, url } = await startGateway({
    config: { predictedAddresses },
    keys: [account?.key ?? ''],
    transport: chain.transport,
  })
  const { head } = await gateway.ready
  chain.onBlock(() => head.pollNow())
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 50 })
  ends.push(
    () => chain.close(),
    () => gateway.stop(),
    async () => provider.destroy(),
  )
  const wallet = new Wallet(account?.key ?? '', provider)
  const deploy = async () => {
    const factory = new ContractFactory(
      artifacts.Token.abi as never,
      artifacts.Token.bytecode,
      wallet,
    )
    const contract = (await factory.deploy(1_000n)) as Token
    const receipt = await contract.deploymentTransaction()?.wait()
    return {
      contract,
      predicted: contract.target as string,
      actual: receipt?.contractAddress ?? '',
    }
  }
  const token = await deploy()
  const vault = await deploy()
  return { provider, token, vault }
}

/** The gateway’s message, which ethers keeps beside its own. */
const messageOf = (refused: Promise<unknown>) =>
  refused.then(
    () => 'not refused',
    (error: { error?: Error; info?: { error?: Error } }) =>
      (error.info?.error ?? error.error ?? (error as Error)).message,
  )

test('default: refused before anything is sent, with both addresses', async () => {
  const { token, vault } = await open('refuse')
  expect(vault.predicted).not.toBe(vault.actual)
  for (const refused of [
    () => token.contract.transfer(vault.predicted, 7n),
    () => token.contract.balanceOf(vault.predicted),
    () =>
      token.contract.queryFilter(
        token.contract.filters['Transfer']?.(null, vault.predicted) as never,
      ),
  ])
    expect(await messageOf(refused())).toMatch(
      new RegExp(`contains ${vault.predicted}, .* for the contract at ${vault.actual}`, 'i'),
    )
  const sent = await (await token.contract.transfer(vault.actual, 7n)).wait()
  expect(sent?.status).toBe(1)
})

test('args: rewritten in call data, and listed in the receipt', async () => {
  const { provider, token, vault } = await open('rewrite')
  const sent = await (await token.contract.transfer(vault.predicted, 7n)).wait()
  expect(sent?.status).toBe(1)
  expect(await token.contract.balanceOf(vault.actual)).toBe(7n)
  const receipt = (await provider.send('eth_getTransactionReceipt', [sent?.hash])) as object
  expect(receipt).toMatchObject({
    predictedAddresses: [
      { actual: vault.actual.toLowerCase(), predicted: vault.predicted.toLowerCase() },
    ],
    transactionHash: sent?.hash,
  })
})
