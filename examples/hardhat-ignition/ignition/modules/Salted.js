const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules')

module.exports = buildModule('Salted', (m) => ({ shares: m.library('Shares') }))
