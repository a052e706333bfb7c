import { createRequire } from 'node:module'

import helpers from '@nomicfoundation/hardhat-network-helpers'
import testRunner from '@nomicfoundation/hardhat-node-test-runner'
import viem from '@nomicfoundation/hardhat-viem'
import viemAssertions from '@nomicfoundation/hardhat-viem-assertions'
import { defineConfig } from 'hardhat/config'

const { resolve } = createRequire(import.meta.url)

export default defineConfig({
  plugins: [helpers, testRunner, viem, viemAssertions],
  solidity: {
    version: '0.8.28',
    // The compiler comes with the packages, so that nothing is downloaded while tests run.
    path: resolve('solc/soljson.js'),
    settings: { evmVersion: 'cancun', optimizer: { enabled: true } },
  },
  networks: { dev: { type: 'http', url: process.env.DEV_URL ?? 'http://127.0.0.1:8545' } },
})
