const { expect } = require('chai')
const { ethers, upgrades } = require('hardhat')

async function failure(work) {
  return work.then(
    () => 'no failure',
    (error) => `${error.message} ${error.data?.data ?? error.data ?? ''}`,
  )
}

before(async () => {
  const version = await ethers.provider.send('web3_clientVersion', [])
  if (!version.startsWith('anvil'))
    throw new Error(
      `this project needs a development chain (npx ethgate dev --decimals 18), not ${version}`,
    )
})

describe('transparent proxies', () => {
  it('are deployed, initialized and upgraded; their owner is the deployer', async () => {
    const [owner] = await ethers.getSigners()
    const box = await upgrades.deployProxy(await ethers.getContractFactory('Box'), [42n])
    await box.waitForDeployment()
    expect(await box.value()).to.equal(42n)
    const before = await upgrades.erc1967.getImplementationAddress(box.target)
    const admin = await upgrades.erc1967.getAdminAddress(box.target)
    expect(await ethers.provider.getCode(admin)).to.not.equal('0x')

    const second = await upgrades.upgradeProxy(box, await ethers.getContractFactory('BoxV2'))
    expect(second.target).to.equal(box.target)
    await (await second.add(8n)).wait()
    expect(await second.value()).to.equal(50n)
    expect(await second.version()).to.equal('two')
    expect(await upgrades.erc1967.getImplementationAddress(box.target)).to.not.equal(before)
    await upgrades.admin.transferProxyAdminOwnership(box.target, owner.address)
  })

  it('are not upgraded to a layout that does not fit', async () => {
    const box = await upgrades.deployProxy(await ethers.getContractFactory('Box'), [1n])
    const upgrade = upgrades.upgradeProxy(box, await ethers.getContractFactory('BoxBroken'))
    expect(await failure(upgrade)).to.contain('New storage layout is incompatible')
  })

  it('can be forgotten and imported', async () => {
    const factory = await ethers.getContractFactory('Box')
    const box = await upgrades.deployProxy(factory, [5n])
    const imported = await upgrades.forceImport(box.target, factory)
    expect(await imported.value()).to.equal(5n)
  })
})

describe('UUPS proxies', () => {
  it('are upgraded with a call by their owner only', async () => {
    const [, other] = await ethers.getSigners()
    const kind = 'uups'
    const box = await upgrades.deployProxy(await ethers.getContractFactory('SafeBox'), [21n], {
      kind,
    })
    const next = await ethers.getContractFactory('SafeBoxV2')
    const foreign = upgrades.upgradeProxy(box, next.connect(other))
    expect(await failure(foreign)).to.contain('0x118cdaa7')
    const second = await upgrades.upgradeProxy(box, next, { call: 'double' })
    expect(await second.value()).to.equal(42n)
    const implementation = await upgrades.erc1967.getImplementationAddress(box.target)
    expect(await failure(next.attach(implementation).initialize(1n))).to.contain('0xf92ee8a9')
  })

  it('are prepared and validated without being upgraded', async () => {
    const first = await ethers.getContractFactory('SafeBox')
    const next = await ethers.getContractFactory('SafeBoxV2')
    await upgrades.validateUpgrade(first, next, { kind: 'uups' })
    const box = await upgrades.deployProxy(first, [1n], { kind: 'uups' })
    const prepared = await upgrades.prepareUpgrade(box, next)
    expect(await ethers.provider.getCode(prepared)).to.not.equal('0x')
    expect(await upgrades.erc1967.getImplementationAddress(box.target)).to.not.equal(prepared)
  })
})

describe('beacons', () => {
  it('upgrade all their proxies at once', async () => {
    const beacon = await upgrades.deployBeacon(await ethers.getContractFactory('Box'))
    await beacon.waitForDeployment()
    const factory = await ethers.getContractFactory('Box')
    const one = await upgrades.deployBeaconProxy(beacon, factory, [1n])
    const two = await upgrades.deployBeaconProxy(beacon, factory, [2n])
    const before = await upgrades.beacon.getImplementationAddress(beacon.target)
    await upgrades.upgradeBeacon(beacon, await ethers.getContractFactory('BoxV2'))
    expect(await upgrades.beacon.getImplementationAddress(beacon.target)).to.not.equal(before)
    expect([await one.value(), await two.value()]).to.deep.equal([1n, 2n])
    expect([await one.version(), await two.version()]).to.deep.equal(['two', 'two'])
    expect(await upgrades.erc1967.getBeaconAddress(one.target)).to.equal(beacon.target)
  })
})
