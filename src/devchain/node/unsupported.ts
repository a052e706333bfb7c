import { refusedMethods } from '../../rpc/methods/unsupported.ts'

/** Methods of anvil, Hardhat and other nodes that the development chain refuses, with the reason that the error gives. */
export const unsupportedMethods = refusedMethods({
  anvil_getBlobByHash: 'blobs do not exist on this chain',
  anvil_getBlobsByTransactionHash: 'blobs do not exist on this chain',
  anvil_setFeeAmmLiquidity: 'a method of Tempo, another chain',
  anvil_setFeeToken: 'a method of Tempo, another chain',
  anvil_setValidatorFeeToken: 'a method of Tempo, another chain',
  anvil_setMinGasPrice: 'the chain sets the gas price',
  anvil_setRpcUrl: 'start the chain with --fork',
  debug_codeByHash: 'read code by its address with eth_getCode',
  debug_dbGet: 'the chain is in memory, without a database',
  eth_getAccount: 'accounts have no storage root here; use eth_getAccountInfo',
  eth_signTypedData: 'use eth_signTypedData_v4',
  eth_signTypedData_v3: 'use eth_signTypedData_v4',
  hardhat_getStackTraceFailuresCount: 'only Hardhat’s own network has Solidity stack traces',
  hardhat_setMinGasPrice: 'the chain sets the gas price',
  debug_traceBlock: 'use debug_traceBlockByNumber or debug_traceBlockByHash',
  debug_traceCallMany: 'use debug_traceCall',
  debug_traceChain: 'use debug_traceBlockByNumber',
})
