import type { Address, Hash, Hex } from 'viem'
import { encodeDeployData, encodeFunctionData, getAddress } from 'viem/utils'

import { signTransaction } from '../../src/native/protobuf/signature.ts'
import type { EncodableTransaction } from '../../src/native/protobuf/transaction.ts'
import { artifacts } from './recordedChain.ts'

/** A dev chain to fill: how to call it, and its funded accounts. */
export type Target = {
  rpc: (method: string, ...params: unknown[]) => Promise<unknown>
  native: (path: string, body?: unknown) => Promise<Record<string, unknown>>
  accountOf: (index: number) => Address
  keyOf: (index: number) => Hex
}

/** What a page can be opened with. */
export type Activity = {
  token: Address
  kitchen: Address
  proxy: Address
  transfer: Hash
  deployment: Hash
  failedDeployment: Hash
  customError: Hash
  manyLogs: Hash
  calls: Hash
  stake: Hash
  vote: Hash
  permissions: Hash
  memo: Hash
}

/** The slot of EIP-1967 with the address of an implementation. */
const SLOT = '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

/** Code that creates a proxy: it stores the address in the slot, and every call is delegated to it. */
const proxyOf = (implementation: Address): Hex =>
  `0x73${implementation.slice(2)}7f${SLOT}556043604360003960436000f3366000600037600060003660007f${SLOT}545af43d600060003e603e573d6000fd5b3d6000f3`

/** A name that is HTML, and more of it: the page must show it as text. */
export const HOSTILE = '<img src=x onerror=alert(1)>'

/** Fills a dev chain with all kinds of transactions. */
export async function makeActivity({ accountOf, keyOf, native, rpc }: Target): Promise<Activity> {
  const alice = accountOf(0)
  const bob = accountOf(1)

  async function send(fields: object): Promise<{ hash: Hash; contract: Address }> {
    // The dev chain answers a reverted transaction with an error that has its hash.
    const hash = await rpc('eth_sendTransaction', { from: alice, gas: '0x989680', ...fields }).then(
      (answer) => answer as Hash,
      (error: { data?: { txHash?: Hash } }) => {
        if (error.data?.txHash) return error.data.txHash
        throw error
      },
    )
    const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Address }
    return { hash, contract: receipt.contractAddress }
  }

  async function operate(path: string, body: object, index = 0): Promise<Hash> {
    const owner_address = `41${accountOf(index).slice(2)}`
    const built = await native(`/wallet/${path}`, { owner_address, ...body })
    if (typeof built['txID'] !== 'string') throw new Error(`${path}: ${JSON.stringify(built)}`)
    const signed = signTransaction(built as EncodableTransaction, keyOf(index).slice(2))
    const sent = await native('/wallet/broadcasttransaction', signed)
    if (sent['result'] !== true) throw new Error(`${path}: ${JSON.stringify(sent)}`)
    return `0x${signed.txID}`
  }

  const { Kitchen, Token } = artifacts
  const deploy = (name: 'Token' | 'Kitchen' | 'BadCtor', args: unknown[]) =>
    encodeDeployData({
      abi: artifacts[name].abi,
      bytecode: `0x${artifacts[name].bytecode.replace('0x', '')}`,
      ...(args.length > 0 && { args }),
    } as never)
  const cook = (functionName: string, ...args: unknown[]) =>
    encodeFunctionData({ abi: Kitchen.abi, functionName, args })
  const hexOf = (text: string) => Buffer.from(text).toString('hex')

  await operate('updateaccount', { account_name: hexOf('alice') })
  await operate('updateaccount', { account_name: hexOf(HOSTILE) }, 2)
  const created = await send({ data: deploy('Token', [1_000_000_000_000n]) })
  const token = created.contract
  const moved = await send({
    to: token,
    data: encodeFunctionData({
      abi: Token.abi,
      functionName: 'transfer',
      args: [bob, 250_000_000n],
    }),
  })
  const { contract: kitchen } = await send({ data: deploy('Kitchen', []) })
  const memo = await operate('createtransaction', {
    to_address: `41${bob.slice(2)}`,
    amount: 12_500_000,
    extra_data: hexOf('For the coffee'),
  })
  const stake = await operate('freezebalancev2', {
    frozen_balance: 100_000_000,
    resource: 'ENERGY',
  })
  await operate('delegateresource', {
    receiver_address: `41${bob.slice(2)}`,
    balance: 10_000_000,
    resource: 'ENERGY',
  })
  const { witnesses } = (await native('/wallet/listwitnesses')) as {
    witnesses: { address: string }[]
  }
  const vote = await operate('votewitnessaccount', {
    votes: witnesses.slice(0, 2).map(({ address }, index) => ({
      vote_address: address,
      vote_count: 60 - 30 * index,
    })),
  })
  await operate('createassetissue', {
    name: hexOf('Coupon'),
    abbr: hexOf('CPN'),
    total_supply: 1_000_000,
    precision: 2,
    num: 1,
    trx_num: 1,
    start_time: Date.now() + 86_400_000,
    end_time: Date.now() + 172_800_000,
    url: hexOf('http://coupon.invalid'),
    description: hexOf('A coupon'),
  })
  const permissions = await operate(
    'accountpermissionupdate',
    {
      owner: {
        type: 0,
        permission_name: 'owner',
        threshold: 1,
        keys: [{ address: `41${accountOf(3).slice(2)}`, weight: 1 }],
      },
      actives: [
        {
          type: 2,
          permission_name: 'two of three',
          threshold: 2,
          operations: '7fff1fc0033e0300000000000000000000000000000000000000000000000000',
          keys: [3, 4, 5].map((index) => ({
            address: `41${accountOf(index).slice(2)}`,
            weight: 1,
          })),
        },
      ],
    },
    3,
  )
  const customError = await send({ to: kitchen, data: cook('rCustom') })
  await send({ to: kitchen, data: cook('rString') })
  await send({ to: kitchen, data: cook('rPanic') })
  const failedDeployment = await send({ data: deploy('BadCtor', []) })
  const calls = await send({ to: kitchen, data: cook('make', 7n), value: '0x5' })
  for (let count = 0; count < 5; count++)
    await send({ to: kitchen, data: cook('events', BigInt(count)) })
  const recipients = Array.from({ length: 40 }, (_, index) =>
    getAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`),
  )
  const manyLogs = await send({
    to: token,
    data: encodeFunctionData({ abi: Token.abi, functionName: 'batch', args: [recipients, 5n] }),
  })
  const { contract: proxy } = await send({ data: proxyOf(token) })
  await send({ to: bob, value: '0xf4240' })
  return {
    token,
    kitchen,
    proxy,
    transfer: moved.hash,
    deployment: created.hash,
    failedDeployment: failedDeployment.hash,
    customError: customError.hash,
    manyLogs: manyLogs.hash,
    calls: calls.hash,
    stake,
    vote,
    permissions,
    memo,
  }
}
