import { createRequire } from 'node:module'

import verify from '@nomicfoundation/hardhat-verify'
import { defineConfig } from 'hardhat/config'

const { resolve } = createRequire(import.meta.url)
const url = process.env.DEV_URL ?? 'http://127.0.0.1:8545'

export default defineConfig({
  plugins: [verify],
  solidity: {
    version: '0.8.28',
    // The compiler comes with the packages, so that nothing is downloaded while tests run.
    path: resolve('solc/soljson.js'),
    settings: { evmVersion: 'cancun', optimizer: { enabled: true } },
  },
  networks: { dev: { type: 'http', url } },
  chainDescriptors: {
    [Number(process.env.DEV_CHAIN ?? 31337)]: {
      name: 'dev',
      blockExplorers: { etherscan: { name: 'ethgate', url, apiUrl: `${url}/api` } },
    },
  },
  verify: { etherscan: { apiKey: 'any' } },
})
