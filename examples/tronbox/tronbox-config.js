module.exports = {
  networks: {
    development: {
      // TronBox takes the first account of the development chain in its place.
      privateKey:
        process.env.PRIVATE_KEY ||
        '0000000000000000000000000000000000000000000000000000000000000001',
      userFeePercentage: 100,
      feeLimit: 1000 * 1e6,
      fullHost: process.env.NODE_URL || 'http://127.0.0.1:9090',
      network_id: '*',
    },
  },
  compilers: {
    solc: {
      version: '0.8.26',
      settings: { evmVersion: 'petersburg', optimizer: { enabled: true, runs: 200 } },
    },
  },
}
