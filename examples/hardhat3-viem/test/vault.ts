import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { network } from 'hardhat'
import { getContractAddress, parseEther } from 'viem'

const { networkHelpers, viem } = await network.create('dev')
const client = await viem.getPublicClient()
const [owner, alice, bob] = await viem.getWalletClients()

const DAY = 86_400

async function fixture() {
  const coin = await viem.deployContract('Coin', [1000n])
  const until = BigInt((await networkHelpers.time.latest()) + DAY)
  const vault = await viem.deployContract('Vault', [coin.address, until], {
    value: parseEther('1'),
  })
  return { coin, until, vault }
}

describe('contracts', () => {
  it('have the address that was predicted', async () => {
    const nonce = BigInt(await client.getTransactionCount({ address: owner.account.address }))
    const { coin, vault } = await fixture()
    const from = owner.account.address
    assert.equal(coin.address, getContractAddress({ from, nonce }).toLowerCase())
    assert.equal(await vault.read.coin(), getContractAddress({ from, nonce }))
  })

  it('are sent to and read', async () => {
    const { coin, vault } = await networkHelpers.loadFixture(fixture)
    await coin.write.approve([vault.address, 10n])
    await vault.write.deposit([10n])
    assert.equal(await vault.read.deposits([owner.account.address]), 10n)
    const events = await vault.getEvents.Deposited()
    assert.equal(events[0]?.args.amount, 10n)
  })

  it('are deployed without waiting', async () => {
    const { contract, deploymentTransaction } = await viem.sendDeploymentTransaction('Coin', [5n])
    const { contractAddress, status } = await client.waitForTransactionReceipt({
      hash: deploymentTransaction.hash,
    })
    assert.equal(status, 'success')
    assert.equal(contractAddress, contract.address.toLowerCase())
  })
})

describe('assertions', () => {
  it('emit, emitWithArgs, balancesHaveChanged', async () => {
    const { coin, vault } = await networkHelpers.loadFixture(fixture)
    await coin.write.approve([vault.address, 10n])
    await viem.assertions.emitWithArgs(vault.write.deposit([10n]), vault, 'Deposited', [
      owner.account.address,
      10n,
    ])
    const value = parseEther('0.5')
    await viem.assertions.balancesHaveChanged(owner.sendTransaction({ to: vault.address, value }), [
      { address: vault.address, amount: value },
    ])
  })

  it('revertWith, revertWithCustomErrorWithArgs', async () => {
    const { coin, until, vault } = await networkHelpers.loadFixture(fixture)
    await viem.assertions.revertWithCustomErrorWithArgs(vault.write.withdraw(), vault, 'Locked', [
      until,
    ])
    await viem.assertions.revertWith(vault.write.drain([alice.account.address]), 'still locked')
    await viem.assertions.revertWithCustomError(
      coin.write.transfer([alice.account.address, 1n], { account: bob.account }),
      coin,
      'ERC20InsufficientBalance',
    )
    await viem.assertions.revert(vault.write.drain([alice.account.address]))
  })
})

describe('network helpers', () => {
  it('time goes on where the fixture says', async () => {
    const { until, vault } = await networkHelpers.loadFixture(fixture)
    await networkHelpers.time.increaseTo(until)
    assert.equal(BigInt(await networkHelpers.time.latest()), until)
    await vault.write.drain([bob.account.address])
    assert.equal(await client.getBalance({ address: vault.address }), 0n)
  })

  it('a fixture is as it was, every time', async () => {
    for (let round = 0; round < 3; round++) {
      const { coin } = await networkHelpers.loadFixture(fixture)
      assert.equal(await coin.read.balanceOf([alice.account.address]), 0n)
      await coin.write.transfer([alice.account.address, 5n])
    }
  })

  it('mine, balances, impersonation, storage, test client', async () => {
    const { coin, vault } = await networkHelpers.loadFixture(fixture)
    const height = await networkHelpers.time.latestBlock()
    await networkHelpers.mine(100, { interval: 12 })
    assert.equal(await networkHelpers.time.latestBlock(), height + 100)
    await networkHelpers.impersonateAccount(vault.address)
    await networkHelpers.setBalance(vault.address, parseEther('2'))
    const asVault = await viem.getWalletClient(vault.address)
    await asVault.sendTransaction({ to: bob.account.address, value: 7n })
    await networkHelpers.setStorageAt(coin.address, 2, 9n)
    assert.equal(await coin.read.totalSupply(), 9n)
    const test = await viem.getTestClient()
    const snapshot = await test.snapshot()
    await test.mine({ blocks: 3 })
    await test.revert({ id: snapshot })
    assert.equal(await networkHelpers.time.latestBlock(), height + 101)
  })
})
