import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ethers } from 'ethers'

import { compile } from '../compile.mjs'

const { Coin, Vault } = compile()
const provider = new ethers.providers.JsonRpcProvider(process.env.DEV_URL)
provider.pollingInterval = 50
const signer = provider.getSigner(0)
const other = provider.getSigner(1)
const key = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'

async function deploy({ abi, bytecode }, by, ...args) {
  const contract = await new ethers.ContractFactory(abi, bytecode, by).deploy(...args)
  return contract.deployed()
}

test('a contract is deployed where it was predicted, sent to and read', async () => {
  const from = await signer.getAddress()
  const nonce = await signer.getTransactionCount()
  const coin = await deploy(Coin, signer, 1000)
  assert.equal(coin.address, ethers.utils.getContractAddress({ from, nonce }))
  const vault = await deploy(Vault, signer, coin.address, { value: 5 })
  await (await coin.approve(vault.address, 10)).wait()
  const receipt = await (await vault.deposit(10)).wait()
  assert.equal(receipt.status, 1)
  assert.equal(receipt.events.at(-1).event, 'Deposited')
  assert.equal(receipt.events.at(-1).args.amount.toNumber(), 10)
  assert.equal((await vault.deposits(from)).toNumber(), 10)
  const found = await vault.queryFilter(vault.filters.Deposited(from))
  assert.equal(found.length, 1)
  const [number, text, list] = await vault.several()
  assert.deepEqual([number.toNumber(), text, list.length], [7, 'seven', 2])
})

test('a wallet signs for itself: legacy and with a maximal fee', async () => {
  const wallet = new ethers.Wallet(key, provider)
  const to = await other.getAddress()
  const before = await provider.getBalance(to)
  await (await wallet.sendTransaction({ to, value: 7 })).wait()
  const gasPrice = await provider.getGasPrice()
  await (await wallet.sendTransaction({ to, value: 7, gasPrice, type: 0 })).wait()
  assert.equal((await provider.getBalance(to)).sub(before).toNumber(), 14)
  const coin = await deploy(Coin, wallet, 10)
  assert.equal((await coin.balanceOf(wallet.address)).toNumber(), 10)
})

test('reverts are told with their reason, in calls, estimates and transactions', async () => {
  const coin = await deploy(Coin, signer, 1)
  const vault = await deploy(Vault, signer, coin.address)
  await assert.rejects(vault.drain(), /still locked/)
  await assert.rejects(vault.withdraw(), ({ errorArgs, errorName }) => {
    assert.equal(errorName, 'Locked')
    return errorArgs[0].toNumber() === 42
  })
  await assert.rejects(coin.connect(other).transfer(await signer.getAddress(), 1), {
    code: 'UNPREDICTABLE_GAS_LIMIT',
  })
  // ethers 5 learns of a failure from the receipt when the transaction was signed and has a limit.
  const wallet = new ethers.Wallet(key, provider)
  const sent = await coin.connect(wallet).transfer(wallet.address, 1, { gasLimit: 100_000 })
  await assert.rejects(sent.wait(), { code: 'CALL_EXCEPTION' })
})

test('events and blocks are watched', async () => {
  const coin = await deploy(Coin, signer, 100)
  const to = await other.getAddress()
  const seen = new Promise((resolve) => {
    coin.once(coin.filters.Transfer(null, to), (from, to, value) =>
      resolve({ from, to, value: value.toNumber() }),
    )
  })
  const block = new Promise((resolve) => {
    provider.once('block', resolve)
  })
  await (await coin.transfer(to, 3)).wait()
  assert.deepEqual(await seen, { from: await signer.getAddress(), to, value: 3 })
  assert.equal(typeof (await block), 'number')
  provider.removeAllListeners()
})

test('messages and typed data are signed by the chain', async () => {
  const address = await signer.getAddress()
  const signature = await signer.signMessage('hello')
  assert.equal(ethers.utils.verifyMessage('hello', signature), address)
  const domain = { name: 'Coin', version: '1', chainId: (await provider.getNetwork()).chainId }
  const types = { Mail: [{ name: 'text', type: 'string' }] }
  const typed = await signer._signTypedData(domain, types, { text: 'hi' })
  assert.equal(ethers.utils.verifyTypedData(domain, types, { text: 'hi' }, typed), address)
})
