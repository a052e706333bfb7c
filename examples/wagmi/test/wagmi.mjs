import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import {
  connect,
  createConfig,
  deployContract,
  disconnect,
  estimateGas,
  getAccount,
  getBalance,
  getBlockNumber,
  getChainId,
  getTransactionReceipt,
  http,
  mock,
  readContract,
  readContracts,
  sendTransaction,
  signMessage,
  simulateContract,
  verifyMessage,
  waitForTransactionReceipt,
  watchContractEvent,
  writeContract,
} from '@wagmi/core'
import { createClient, defineChain, parseEther } from 'viem'
import { getChainId as chainIdOf } from 'viem/actions'

import { compile } from '../compile.mjs'

const { Shop } = compile()
const url = process.env.DEV_URL
const client = createClient({ transport: http(url) })
const version = await client.request({ method: 'web3_clientVersion' })
if (!version.startsWith('anvil'))
  throw new Error(
    `this project needs a development chain (ethgate dev --decimals 18), not ${version}`,
  )
const id = await chainIdOf(client)
const chain = defineChain({
  id,
  name: 'Dev',
  nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
  rpcUrls: { default: { http: [url] } },
})
const accounts = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
]
const config = createConfig({
  chains: [chain],
  connectors: [mock({ accounts, features: { defaultConnected: false } })],
  transports: { [id]: http(url) },
  pollingInterval: 50,
})
const [connector] = config.connectors
await connect(config, { connector })
after(() => disconnect(config))

async function deployShop() {
  const args = [parseEther('0.5')]
  const hash = await deployContract(config, { ...Shop, args })
  const { contractAddress } = await waitForTransactionReceipt(config, { hash })
  return { address: contractAddress, abi: Shop.abi }
}

test('a wallet is connected', async () => {
  assert.deepEqual(getAccount(config).addresses, accounts)
  assert.equal(getChainId(config), id)
  const { value } = await getBalance(config, { address: accounts[1] })
  assert.ok(value > parseEther('1000'))
})

test('coins are sent, their gas estimated', async () => {
  const to = accounts[1]
  assert.ok((await estimateGas(config, { to, value: 7n })) >= 21_000n)
  const hash = await sendTransaction(config, { to, value: 7n })
  const receipt = await waitForTransactionReceipt(config, { hash })
  assert.equal(receipt.status, 'success')
  assert.equal((await getTransactionReceipt(config, { hash })).transactionHash, hash)
  assert.ok((await getBlockNumber(config)) >= receipt.blockNumber)
})

test('a contract is deployed, simulated, written and read', async () => {
  const shop = await deployShop()
  const value = parseEther('0.5')
  const call = { ...shop, functionName: 'buy', args: [7n], value }
  const { request } = await simulateContract(config, call)
  const hash = await writeContract(config, request)
  const { logs, status } = await waitForTransactionReceipt(config, { hash })
  assert.equal(status, 'success')
  assert.equal(logs.length, 1)
  const owner = { ...shop, functionName: 'ownerOf', args: [7n] }
  assert.equal(await readContract(config, owner), accounts[0])
  const price = { ...shop, functionName: 'price' }
  const [first, second] = await readContracts(config, { contracts: [owner, price] })
  assert.deepEqual([first.result, second.result], [accounts[0], value])
})

test('reverts are told with their arguments', async () => {
  const shop = await deployShop()
  const call = { ...shop, functionName: 'buy', args: [1n], value: 1n }
  await assert.rejects(simulateContract(config, call), /TooLittle\(uint256 paid, uint256 price\)/)
  await assert.rejects(writeContract(config, call), /TooLittle/)
})

test('events are watched', async () => {
  const shop = await deployShop()
  const seen = resolvers()
  const unwatch = watchContractEvent(config, {
    ...shop,
    eventName: 'Bought',
    onLogs: (logs) => seen.resolve(logs),
    onError: (error) => seen.reject(error),
  })
  // The filter is made in the background.
  await new Promise((resolve) => setTimeout(resolve, 300))
  await writeContract(config, { ...shop, functionName: 'buy', args: [9n], value: parseEther('1') })
  const [log] = await seen.promise
  assert.equal(log.args.item, 9n)
  unwatch()
})

test('messages are signed by the chain', async () => {
  const message = 'hello'
  const signature = await signMessage(config, { message })
  assert.ok(await verifyMessage(config, { address: accounts[0], message, signature }))
})

function resolvers() {
  const made = {}
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}
