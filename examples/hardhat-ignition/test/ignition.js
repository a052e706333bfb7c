const { expect } = require('chai')
const { ethers, ignition } = require('hardhat')

const Fund = require('../ignition/modules/Fund.js')
const Salted = require('../ignition/modules/Salted.js')

before(async () => {
  const version = await ethers.provider.send('web3_clientVersion', [])
  if (!version.startsWith('anvil'))
    throw new Error(
      `this project needs a development chain (npx ethgate dev --decimals 18), not ${version}`,
    )
})

describe('a module', () => {
  it('is deployed in parts that depend on each other', async () => {
    const [owner, second, third] = await ethers.getSigners()
    const before = await ethers.provider.getBalance(third)
    const { coin, fund } = await ignition.deploy(Fund)
    expect(await fund.coin()).to.equal(coin.target)
    expect(await fund.shares(owner)).to.equal(100n)
    expect(await coin.balanceOf(second)).to.equal(100n)
    expect(await ethers.provider.getBalance(fund)).to.equal(7n)
    expect(await ethers.provider.getBalance(third)).to.equal(before + 5n)
  })

  it('has the same addresses everywhere by the create2 strategy', async () => {
    const strategyConfig = { salt: ethers.id('salt') }
    const deploymentId = 'salted'
    const options = { strategy: 'create2', strategyConfig, deploymentId }
    const { shares } = await ignition.deploy(Salted, options)
    expect(await shares.ofAmount(4n, 2n, 3n)).to.equal(6n)
    // What Hardhat's own network answers.
    expect(shares.target).to.equal('0x3F2E3D2a52cEF65DB2b97ac683a6EDE5bB59c7a1')
  })
})
