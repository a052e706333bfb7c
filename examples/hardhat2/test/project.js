const {
  impersonateAccount,
  loadFixture,
  mine,
  setBalance,
  setCode,
  setStorageAt,
  time,
} = require('@nomicfoundation/hardhat-network-helpers')
const { expect } = require('chai')
const { ethers } = require('hardhat')

const DAY = 86_400

async function fixture() {
  const [owner, alice, bob] = await ethers.getSigners()
  const coin = await ethers.deployContract('Coin', [ethers.parseEther('1000')])
  const until = (await time.latest()) + DAY
  const vault = await ethers.deployContract('Vault', [coin, until], {
    value: ethers.parseEther('1'),
  })
  return { alice, bob, coin, owner, until, vault }
}

describe('contracts', () => {
  it('have the address that was predicted, and code there', async () => {
    const { owner, vault } = await loadFixture(fixture)
    const { from, nonce } = vault.deploymentTransaction()
    expect(from).to.equal(owner.address)
    expect(vault.target).to.equal(ethers.getCreateAddress({ from, nonce }))
    expect(await ethers.provider.getCode(vault)).to.not.equal('0x')
  })

  it('are created by factories where Ethereum has them', async () => {
    const factory = await ethers.deployContract('Factory')
    const child = await ethers.getContractFactory('Child')
    const salt = ethers.id('salt')
    const at = ethers.getCreate2Address(factory.target, salt, ethers.keccak256(child.bytecode))
    await expect(factory.create(salt)).to.emit(factory, 'Created').withArgs(at)
    expect(await child.attach(at).ANSWER()).to.equal(42)
    const plain = ethers.getCreateAddress({ from: factory.target, nonce: 2 })
    await expect(factory.createPlain()).to.emit(factory, 'Created').withArgs(plain)
    const clone = await factory.clone.staticCall(at)
    await factory.clone(at)
    expect(await child.attach(clone).ANSWER()).to.equal(42)
  })

  it('work behind a proxy that was given an address in its constructor', async () => {
    const child = await ethers.deployContract('Child')
    const proxy = await ethers.deployContract('SimpleProxy', [child])
    expect(await child.attach(proxy.target).ANSWER()).to.equal(42)
  })
})

describe('matchers', () => {
  it('emit, changeTokenBalances', async () => {
    const { coin, owner, vault } = await loadFixture(fixture)
    await coin.approve(vault, 10n)
    const deposit = vault.deposit(10n)
    await expect(deposit).to.emit(vault, 'Deposited').withArgs(owner, 10n)
    await expect(deposit).to.changeTokenBalances(coin, [owner, vault], [-10n, 10n])
  })

  it('changeEtherBalances', async () => {
    const { alice, owner, vault } = await loadFixture(fixture)
    const value = ethers.parseEther('0.5')
    await expect(owner.sendTransaction({ to: vault, value })).to.changeEtherBalances(
      [owner, vault],
      [-value, value],
    )
    await expect(owner.sendTransaction({ to: alice, value })).to.changeEtherBalance(alice, value)
  })

  it('revertedWithCustomError, revertedWith, reverted', async () => {
    const { alice, bob, coin, until, vault } = await loadFixture(fixture)
    await expect(vault.withdraw()).to.be.revertedWithCustomError(vault, 'Locked').withArgs(until)
    await expect(vault.drain(alice)).to.be.revertedWith('still locked')
    await expect(coin.connect(bob).transfer(alice, 1n))
      .to.be.revertedWithCustomError(coin, 'ERC20InsufficientBalance')
      .withArgs(bob.address, 0n, 1n)
    const roles = await ethers.deployContract('Roles')
    await expect(roles.connect(bob).only()).to.be.reverted
  })
})

describe('network helpers', () => {
  it('time goes on where the fixture says', async () => {
    const { bob, coin, owner, until, vault } = await loadFixture(fixture)
    await coin.approve(vault, 10n)
    await vault.deposit(10n)
    await time.increaseTo(until)
    expect(await time.latest()).to.equal(until)
    await expect(vault.withdraw()).to.changeTokenBalance(coin, owner, 10n)
    await expect(vault.drain(bob)).to.changeEtherBalance(bob, ethers.parseEther('1'))
  })

  it('a fixture is as it was, every time', async () => {
    for (let round = 0; round < 3; round++) {
      const { alice, coin } = await loadFixture(fixture)
      expect(await coin.balanceOf(alice)).to.equal(0n)
      await coin.transfer(alice, 5n)
    }
  })

  it('checkpoints of votes fall on different seconds', async () => {
    const { alice, coin, owner } = await loadFixture(fixture)
    await coin.delegate(owner)
    const delegated = await time.latest()
    await coin.transfer(alice, 100n)
    await mine()
    expect(await coin.getPastVotes(owner, delegated)).to.equal(ethers.parseEther('1000'))
    expect(await coin.numCheckpoints(owner)).to.equal(2n)
  })

  it('mine, balances, code, storage, impersonation', async () => {
    const { bob, coin, vault } = await loadFixture(fixture)
    const height = await time.latestBlock()
    await mine(100, { interval: 12 })
    expect(await time.latestBlock()).to.equal(height + 100)
    await impersonateAccount(vault.target)
    await setBalance(vault.target, ethers.parseEther('2'))
    const signer = await ethers.getSigner(vault.target)
    await expect(signer.sendTransaction({ to: bob, value: 7n })).to.changeEtherBalance(bob, 7n)
    const slot = ethers.solidityPackedKeccak256(['uint256', 'uint256'], [bob.address, 0])
    await setStorageAt(coin.target, slot, 9)
    expect(await coin.balanceOf(bob)).to.equal(9n)
    await setCode(bob.address, await ethers.provider.getCode(coin))
    expect(await coin.attach(bob.address).totalSupply()).to.equal(0n)
  })
})
