import { type BaseContract, ContractFactory, JsonRpcProvider } from 'ethers'
import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { NativeSigner } from '../../../src/sdk/ethers.ts'
import { type DevGateway, startDevGateway } from '../../support/devGateway.ts'
import { artifacts } from '../../support/recordedChain.ts'
import { deployToken } from './nativeToken.ts'

let dev: DevGateway
let native: TronWeb
let owner: string
let other: string

beforeAll(async () => {
  dev = await startDevGateway()
  native = new TronWeb({ fullHost: dev.url, privateKey: dev.chain.accounts[0]?.key ?? '' })
  owner = native.defaultAddress.base58 as string
  other = native.address.fromHex(dev.chain.accounts[1]?.address ?? '')
})

afterAll(() => dev.close())

describe('the native client library', () => {
  test('default: sends coins and reads them back', async () => {
    const before = await native.trx.getUnconfirmedBalance(other)
    const { result, txid } = await native.trx.sendTransaction(other, 1_234_567)
    expect(result).toBe(true)
    expect(await native.trx.getUnconfirmedBalance(other)).toBe(before + 1_234_567)
    expect(await native.trx.getUnconfirmedTransactionInfo(txid)).toMatchObject({ id: txid })
    // Solidified once most producers have built on it.
    expect(await native.trx.getBalance(other)).toBe(before)
    await dev.rpc('anvil_mine', '0x4')
    expect(await native.trx.getBalance(other)).toBe(before + 1_234_567)
    const transaction = await native.trx.getTransaction(txid)
    expect(transaction).toMatchObject({ txID: txid, ret: [{ contractRet: 'SUCCESS' }] })
  })

  test('behavior: deploys a contract, calls it and reads its state', async () => {
    const contract = await deployToken(native, owner)
    const read: unknown = await contract.methods['balanceOf']?.(owner).call()
    expect(read).toBe(1_000_000n)
    const txid = (await contract.methods['transfer']?.(other, 77).send({
      feeLimit: 100_000_000,
    })) as string
    const info = await native.trx.getUnconfirmedTransactionInfo(txid)
    expect(info).toMatchObject({ receipt: { result: 'SUCCESS' } })
    expect(await contract.methods['balanceOf']?.(other).call()).toBe(77n)
    await dev.rpc('anvil_mine', '0x4')
    expect(await native.trx.getTransactionInfo(txid)).toMatchObject({ id: txid })
  })

  test('behavior: stakes, delegates, votes and issues a token', async () => {
    const send = async (built: Promise<Parameters<typeof native.trx.sign>[0]>) => {
      const signed = await native.trx.sign(await built)
      return native.trx.sendRawTransaction(
        signed as Parameters<typeof native.trx.sendRawTransaction>[0],
      )
    }
    const builder = native.transactionBuilder
    expect((await send(builder.freezeBalanceV2(2_000_000_000, 'ENERGY'))).result).toBe(true)
    expect((await send(builder.delegateResource(500_000_000, other, 'ENERGY'))).result).toBe(true)
    const [witness] = await native.trx.listSuperRepresentatives()
    expect(witness).toBeDefined()
    const vote = builder.vote({ [witness?.address ?? '']: 3 }, owner)
    expect((await send(vote)).result).toBe(true)
    expect(await native.trx.getAccountResources(other)).toMatchObject({
      EnergyLimit: expect.any(Number) as number,
    })
    const account = await native.trx.getUnconfirmedAccount(owner)
    expect(account).toMatchObject({ votes: [{ vote_count: 3 }] })
  })

  test('behavior: several keys sign for one account', async () => {
    const shared = dev.chain.accounts[5]
    const keys = [2, 3].map((index) => dev.chain.accounts[index])
    const client = new TronWeb({ fullHost: dev.url, privateKey: shared?.key ?? '' })
    const address = client.defaultAddress.hex as string
    const permission = {
      type: 2 as const,
      permission_name: 'two of two',
      threshold: 2,
      operations: '7fff1fc0033e0000000000000000000000000000000000000000000000000000',
      keys: keys.map((key) => ({ address: key?.address ?? '', weight: 1 })),
    }
    const update = await client.transactionBuilder.updateAccountPermissions(
      address,
      { type: 0, permission_name: 'owner', threshold: 1, keys: [{ address, weight: 1 }] },
      undefined,
      [permission],
    )
    const updated = await client.trx.sendRawTransaction(await client.trx.sign(update))
    expect(updated.result).toBe(true)
    const built = await client.transactionBuilder.sendTrx(other, 5, address, { permissionId: 2 })
    const once = await client.trx.multiSign(built, keys[0]?.key ?? '', 2)
    const refused = await client.trx.sendRawTransaction(once)
    expect(refused).toMatchObject({ code: 'SIGERROR' })
    const twice = await client.trx.multiSign(once, keys[1]?.key ?? '', 2)
    expect((await client.trx.sendRawTransaction(twice)).result).toBe(true)
  })
})

describe('the signer for ethers', () => {
  test('behavior: contracts of two chains with the same predicted address are told apart', async () => {
    const other = await startDevGateway()
    onTestFinished(() => other.close())
    const { Token } = artifacts
    const bytecode = `0x${Token.bytecode.replace(/^0x/, '')}`
    const deployed = await Promise.all(
      [dev, other].map(async (node) => {
        const provider = new JsonRpcProvider(node.url, undefined, { cacheTimeout: -1 })
        onTestFinished(() => provider.destroy())
        const signer = new NativeSigner(node.keyOf(4), provider)
        const contract = await new ContractFactory(Token.abi as never, bytecode, signer).deploy(5n)
        return (await contract.waitForDeployment()) as BaseContract & {
          totalSupply(): Promise<bigint>
        }
      }),
    )
    expect(await deployed[0]?.getAddress()).toBe(await deployed[1]?.getAddress())
    for (const contract of deployed) expect(await contract.totalSupply()).toBe(5n)
  })
})
