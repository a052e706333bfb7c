// What commands use of viem when they run. A dynamic import of the package itself would put all of it into the bundle.
export {
  createPublicClient,
  custom,
  formatUnits,
  getContractAddress,
  keccak256,
  parseUnits,
  recoverMessageAddress,
  recoverTypedDataAddress,
  stringToBytes,
  toFunctionSelector,
} from 'viem'
export { privateKeyToAccount } from 'viem/accounts'
