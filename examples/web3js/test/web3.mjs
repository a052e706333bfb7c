import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { Web3 } from 'web3'

import { compile } from '../compile.mjs'

// web3.js with its defaults, over HTTP and a WebSocket.
const { Coin, Vault } = compile()
const web3 = new Web3(process.env.DEV_URL)
const socket = new Web3(process.env.DEV_URL.replace('http', 'ws'))
const key = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const [from, other] = await web3.eth.getAccounts()

after(() => socket.provider.disconnect())

async function deploy({ abi, bytecode }, args, options = { from }) {
  const contract = new web3.eth.Contract(abi)
  return contract.deploy({ data: bytecode, arguments: args }).send(options)
}

test('a contract is deployed, sent to and read', async () => {
  const coin = await deploy(Coin, [1000n])
  const vault = await deploy(Vault, [coin.options.address], { from, value: '5' })
  await coin.methods.approve(vault.options.address, 10n).send({ from })
  const receipt = await vault.methods.deposit(10n).send({ from })
  assert.equal(receipt.status, 1n)
  assert.equal(receipt.events.Deposited.returnValues.amount, 10n)
  assert.equal(await vault.methods.deposits(from).call(), 10n)
  const events = await vault.getPastEvents('Deposited', { fromBlock: 0 })
  assert.equal(events[0].returnValues.from, web3.utils.toChecksumAddress(from))
  assert.ok((await vault.methods.several().estimateGas()) > 0n)
  const { number, text } = await vault.methods.several().call()
  assert.deepEqual([number, text], [7n, 'seven'])
})

test('a local account sends, deploys and writes', async () => {
  const { address } = web3.eth.accounts.wallet.add(key)[0]
  const before = await web3.eth.getBalance(other)
  const receipt = await web3.eth.sendTransaction({ from: address, to: other, value: '7' })
  assert.equal(receipt.status, 1n)
  assert.equal(await web3.eth.getBalance(other), before + 7n)
  const coin = await deploy(Coin, [10n], { from: address })
  await coin.methods.transfer(other, 4n).send({ from: address })
  assert.equal(await coin.methods.balanceOf(other).call(), 4n)
  const gasPrice = await web3.eth.getGasPrice()
  const legacy = { from: address, to: other, value: 1, gasPrice, type: 0 }
  assert.equal((await web3.eth.sendTransaction(legacy)).status, 1n)
  web3.eth.accounts.wallet.clear()
})

test('a transaction that is signed apart is sent', async () => {
  const account = web3.eth.accounts.privateKeyToAccount(key)
  const transaction = {
    from: account.address,
    to: other,
    value: 3,
    gas: 21_000,
    maxFeePerGas: (await web3.eth.getBlock()).baseFeePerGas * 2n,
    maxPriorityFeePerGas: 0,
    nonce: await web3.eth.getTransactionCount(account.address),
    chainId: await web3.eth.getChainId(),
  }
  const { rawTransaction } = await account.signTransaction(transaction)
  const { blockNumber, transactionHash } = await web3.eth.sendSignedTransaction(rawTransaction)
  assert.equal((await web3.eth.getTransaction(transactionHash)).blockNumber, blockNumber)
})

test('reverts are told', async () => {
  const coin = await deploy(Coin, [1n])
  const vault = await deploy(Vault, [coin.options.address])
  await assert.rejects(vault.methods.drain().call(), ({ cause }) =>
    /still locked/.test(cause.message),
  )
  await assert.rejects(vault.methods.withdraw().call(), ({ cause }) =>
    cause.data.startsWith(web3.utils.keccak256('Locked(uint256)').slice(0, 10)),
  )
  await assert.rejects(coin.methods.transfer(from, 1n).send({ from: other }), ({ cause }) =>
    cause.data.startsWith('0xe450d38c'),
  )
})

test('blocks and logs come over a WebSocket', async () => {
  const coin = await deploy(Coin, [100n])
  const watched = new socket.eth.Contract(Coin.abi, coin.options.address)
  const logs = watched.events.Transfer()
  const seen = new Promise((resolve, reject) => {
    logs.on('data', resolve)
    logs.on('error', reject)
  })
  await new Promise((resolve) => logs.on('connected', resolve))
  const heads = await socket.eth.subscribe('newBlockHeaders')
  const head = new Promise((resolve) => heads.on('data', resolve))
  await coin.methods.transfer(other, 3n).send({ from })
  assert.equal((await seen).returnValues.value, 3n)
  assert.ok((await head).number > 0n)
  await heads.unsubscribe()
  await logs.unsubscribe()
})
