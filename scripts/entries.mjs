/** What programs import, by the name of the built file, with the packages whose types each entry uses. */
export const ENTRIES = {
  gateway: { source: 'gateway/entry', types: [] },
  client: { source: 'sdk/client', types: [] },
  viem: { source: 'sdk/viem', types: ['viem'] },
  ethers: { source: 'sdk/ethers', types: ['ethers'] },
}
