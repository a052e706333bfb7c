require('@openzeppelin/hardhat-upgrades')
require('@nomicfoundation/hardhat-ethers')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
const { subtask } = require('hardhat/config')

// The compiler comes with the packages, so that nothing is downloaded while tests run.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD).setAction(async () => ({
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
  version: '0.8.28',
  longVersion: '0.8.28+commit.7893614a',
}))

module.exports = {
  solidity: { version: '0.8.28', settings: { evmVersion: 'cancun', optimizer: { enabled: true } } },
  networks: { dev: { url: process.env.DEV_URL ?? 'http://127.0.0.1:8545' } },
}
