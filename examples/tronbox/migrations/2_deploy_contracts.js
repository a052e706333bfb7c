const Shares = artifacts.require('./Shares.sol')
const Vault = artifacts.require('./Vault.sol')

module.exports = (deployer) => {
  deployer.deploy(Shares)
  deployer.link(Shares, Vault)
  deployer.deploy(Vault)
}
