import { createWalletClient, custom, recoverMessageAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'

import { recoverSigners } from '../native/protobuf/signature.ts'
import { decodeTransaction, rawDataFromJson } from '../native/protobuf/transaction.ts'
import { NativeSigner } from './ethers.ts'
import { defineNativeChain, getFeeQuote, toNativeAccount } from './viem.ts'

const key = '0x15b6c40dce4ca2053f2a6b4297e63cdc1a57e0415d5a8baf976b060c8701d2e3'
const hex = '41ab9d99702700d5cb9e1309374606fe24a4fdf8ba'
const to = `0x${'b2'.repeat(20)}` as const
const chain = defineNativeChain({ id: 1, url: 'http://127.0.0.1:1' })

/** A gateway that fills nothing in itself. */
function createClient(account = toNativeAccount(key)) {
  const sent: `0x${string}`[] = []
  const type = 'TransferContract'
  const value = { owner_address: hex, to_address: `41${to.slice(2)}`, amount: 5 }
  const type_url = `type.googleapis.com/protocol.${type}`
  const answers: Record<string, unknown> = {
    buildTransaction: {
      transaction: {
        raw_data_hex: rawDataFromJson({
          contract: [{ type, parameter: { value, type_url } }],
          expiration: Date.now() + 60_000,
        }).toString('hex'),
      },
    },
    eth_chainId: '0x1',
    eth_sendRawTransaction: `0x${'00'.repeat(32)}`,
  }
  const transport = custom({
    async request({ method, params }: { method: string; params?: [`0x${string}`] }) {
      if (method === 'eth_sendRawTransaction') sent.push(params?.[0] ?? '0x')
      return answers[method]
    },
  })
  return { sent, wallet: createWalletClient({ account, chain, transport }) }
}

const request = { gas: 21_000n, gasPrice: 210n, nonce: 0, to, type: 'legacy', value: 5n } as const

test('default: transactions of a wallet client are signed natively', async () => {
  const { sent, wallet } = createClient()
  await wallet.sendTransaction(request)
  const transaction = decodeTransaction(sent[0] ?? '')
  expect(recoverSigners(transaction)).toEqual([hex])
  expect(transaction.raw_data.contract?.[0]?.type).toBe('TransferContract')
})

test('behavior: single parameters are prepared, without native bytes', async () => {
  const { wallet } = createClient()
  const { gas: _, ...rest } = request
  const prepared = await wallet.prepareTransactionRequest({ ...rest, parameters: ['nonce'] })
  expect(prepared).toMatchObject({ nonce: 0, to })
  expect(prepared).not.toHaveProperty('native')
})

test('behavior: an ordinary account stays one of Ethereum', async () => {
  const { sent, wallet } = createClient(privateKeyToAccount(key) as never)
  await wallet.sendTransaction(request)
  expect(sent[0]).toMatch(/^0xf8/)
})

test('behavior: messages are signed as in Ethereum', async () => {
  const account = toNativeAccount(key)
  const signature = await account.signMessage({ message: 'hello' })
  expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(account.address)
})

test('error: a request that was not prepared for the chain', async () => {
  await expect(toNativeAccount(key).signTransaction({ ...request, chainId: 1 })).rejects.toThrow(
    'defineNativeChain',
  )
})

test('default: a quote has amounts as numbers', async () => {
  const asked: unknown[] = []
  const quoted = {
    energy: Object.fromEntries(
      ['total', 'factor', 'fromCreator', 'fromSender', 'burned', 'price'].map((name) => [
        name,
        '0x2',
      ]),
    ),
    bandwidth: { points: '0x10', paidBy: 'free' },
    fee: { total: '0x4', energy: '0x4', bandwidth: '0x0', account: '0x0' },
    coins: '0.000004',
    feeLimit: '0x5',
    reason: 'why',
  }
  const transport = custom({
    async request(given: { method: string; params?: unknown }) {
      asked.push(given)
      return quoted
    },
  })
  const call = { from: to, to, data: '0x01', value: 16n } as const
  const quote = await getFeeQuote(createWalletClient({ chain, transport }), call)
  expect(asked).toEqual([
    { method: 'ethgate_feeQuote', params: [{ from: to, to, data: '0x01', value: '0x10' }] },
  ])
  expect(quote).toMatchObject({
    energy: { total: 2n, price: 2n },
    bandwidth: { points: 16n, paidBy: 'free' },
    fee: { total: 4n },
    feeLimit: 5n,
  })
  const provider = {
    getNetwork: async () => ({ chainId: 1n }),
    resolveName: async () => null,
    send: async () => quoted,
  }
  const signer = new NativeSigner(key, provider as never)
  expect(await signer.feeQuote({ to, data: '0x01', value: 16n })).toEqual(quote)
})
