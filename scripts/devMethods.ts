// The methods that anvil and Hardhat offer beyond those of Ethereum nodes, for the table of docs/devchain-control.md.
import { createDevChain } from '../src/devchain/index.ts'
import { createAnnouncer } from '../src/devchain/node/announce.ts'
import { createDevSending } from '../src/devchain/node/devSending.ts'
import { devMethods } from '../src/devchain/node/methods.ts'
import type { AnyMethod } from '../src/rpc/method.ts'
import { methods } from '../src/rpc/methods/index.ts'

/** The methods of anvil 1.7.1: every name in its program for which the answer is not “Method not found”. */
const ANVIL = `
  anvil_addBalance anvil_autoImpersonateAccount anvil_dealERC20 anvil_dropAllTransactions anvil_dropTransaction
  anvil_dumpState anvil_getAutomine anvil_getBlobByHash anvil_getBlobsByTransactionHash anvil_getGenesisTime
  anvil_getIntervalMining anvil_impersonateAccount anvil_impersonateSignature anvil_increaseTime anvil_loadState
  anvil_metadata anvil_mine anvil_mine_detailed anvil_nodeInfo anvil_removeBlockTimestampInterval
  anvil_removePoolTransactions anvil_reorg anvil_reset anvil_revert anvil_rollback anvil_setAutomine anvil_setBalance
  anvil_setBlockGasLimit anvil_setBlockTimestampInterval anvil_setChainId anvil_setCode anvil_setCoinbase
  anvil_setERC20Allowance anvil_setERC20Balance anvil_setFeeAmmLiquidity anvil_setFeeToken anvil_setIntervalMining
  anvil_setLoggingEnabled anvil_setMinGasPrice anvil_setNextBlockBaseFeePerGas anvil_setNextBlockTimestamp
  anvil_setNonce anvil_setRpcUrl anvil_setStorageAt anvil_setTime anvil_setValidatorFeeToken anvil_snapshot
  anvil_stopImpersonatingAccount debug_codeByHash debug_dbGet debug_getRawTransaction debug_traceBlockByHash
  debug_traceBlockByNumber debug_traceCall debug_traceTransaction erigon_getHeaderByNumber eth_accounts
  eth_blobBaseFee eth_blockNumber eth_call eth_chainId eth_coinbase eth_config eth_createAccessList eth_estimateGas
  eth_feeHistory eth_fillTransaction eth_gasPrice eth_getAccount eth_getAccountInfo eth_getBalance eth_getBlockByHash
  eth_getBlockByNumber eth_getBlockReceipts eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber
  eth_getCode eth_getFilterChanges eth_getFilterLogs eth_getLogs eth_getProof eth_getRawTransactionByBlockHashAndIndex
  eth_getRawTransactionByBlockNumberAndIndex eth_getRawTransactionByHash eth_getStorageAt eth_getStorageValues
  eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex eth_getTransactionByHash
  eth_getTransactionBySenderAndNonce eth_getTransactionCount eth_getTransactionReceipt eth_getUncleByBlockHashAndIndex
  eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber eth_getWork
  eth_hashrate eth_maxPriorityFeePerGas eth_networkId eth_newBlockFilter eth_newFilter eth_newPendingTransactionFilter
  eth_protocolVersion eth_requestAccounts eth_sendRawTransaction eth_sendRawTransactionSync eth_sendTransaction
  eth_sendTransactionSync eth_sendUnsignedTransaction eth_sign eth_signTransaction eth_signTypedData
  eth_signTypedData_v3 eth_signTypedData_v4 eth_simulateV1 eth_submitHashrate eth_submitWork eth_syncing
  eth_uninstallFilter evm_increaseTime evm_mine evm_mine_detailed evm_revert evm_setAccountNonce evm_setAutomine
  evm_setBlockGasLimit evm_setIntervalMining evm_setNextBlockTimestamp evm_setTime evm_snapshot hardhat_addBalance
  hardhat_autoImpersonateAccount hardhat_dealERC20 hardhat_dropAllTransactions hardhat_dropTransaction
  hardhat_dumpState hardhat_getAutomine hardhat_impersonateAccount hardhat_loadState hardhat_metadata hardhat_mine
  hardhat_reset hardhat_setBalance hardhat_setCode hardhat_setCoinbase hardhat_setLoggingEnabled
  hardhat_setMinGasPrice hardhat_setNextBlockBaseFeePerGas hardhat_setNonce hardhat_setStorageAt
  hardhat_stopImpersonatingAccount net_listening net_version ots_getApiLevel ots_getBlockDetails
  ots_getBlockDetailsByHash ots_getBlockTransactions ots_getContractCreator ots_getInternalOperations
  ots_getTransactionBySenderAndNonce ots_getTransactionError ots_hasCode ots_searchTransactionsAfter
  ots_searchTransactionsBefore ots_traceTransaction personal_sign tenderly_addBalance tenderly_setBalance trace_block
  trace_filter trace_replayBlockTransactions trace_transaction txpool_content txpool_inspect txpool_status
  web3_clientVersion web3_sha3`

/** The methods of `hardhat node` 2.29.1, found in the same way. */
const HARDHAT = `
  debug_traceCall debug_traceTransaction eth_accounts eth_blobBaseFee eth_blockNumber eth_call eth_chainId
  eth_coinbase eth_estimateGas eth_feeHistory eth_gasPrice eth_getBalance eth_getBlockByHash eth_getBlockByNumber
  eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getCode eth_getFilterChanges
  eth_getFilterLogs eth_getLogs eth_getProof eth_getStorageAt eth_getTransactionByBlockHashAndIndex
  eth_getTransactionByBlockNumberAndIndex eth_getTransactionByHash eth_getTransactionCount eth_getTransactionReceipt
  eth_maxPriorityFeePerGas eth_mining eth_newBlockFilter eth_newFilter eth_newPendingTransactionFilter
  eth_pendingTransactions eth_sendRawTransaction eth_sendTransaction eth_sign eth_signTypedData_v4 eth_syncing
  eth_uninstallFilter evm_increaseTime evm_mine evm_revert evm_setAutomine evm_setBlockGasLimit evm_setIntervalMining
  evm_setNextBlockTimestamp evm_snapshot hardhat_addCompilationResult hardhat_dropTransaction hardhat_getAutomine
  hardhat_getStackTraceFailuresCount hardhat_impersonateAccount hardhat_metadata hardhat_mine hardhat_reset
  hardhat_setBalance hardhat_setCode hardhat_setCoinbase hardhat_setLoggingEnabled hardhat_setMinGasPrice
  hardhat_setNextBlockBaseFeePerGas hardhat_setNonce hardhat_setPrevRandao hardhat_setStorageAt
  hardhat_stopImpersonatingAccount net_listening net_peerCount net_version personal_sign web3_clientVersion web3_sha3`

/** Rows of methods that do the same here, and what they do: those of anvil and Hardhat, and those that only this chain has. */
export async function devMethodRows(): Promise<string[][]> {
  const chain = await createDevChain({
    accounts: { count: 1 },
    rules: { ethereum: { energy: 'cancun' } },
  })
  const here = devMethods(chain, createDevSending(chain, createAnnouncer(chain)))
  const names = new Set([...Object.keys(here), ...`${ANVIL} ${HARDHAT}`.trim().split(/\s+/)])
  const byMeaning = new Map<string, string[]>()
  for (const name of [...names].toSorted()) {
    // docs/methods.md lists it.
    if (isServed(methods, name)) continue
    const meaning = describe(here[name] ?? (methods as Record<string, AnyMethod>)[name])
    byMeaning.set(meaning, [...(byMeaning.get(meaning) ?? []), name])
  }
  return [...byMeaning].map(([meaning, same]) => [
    same.map((name) => `\`${name}\``).join(', '),
    meaning,
  ])
}

function isServed(table: Readonly<Record<string, AnyMethod>>, name: string): boolean {
  const method = table[name]
  return method !== undefined && (method.kind ?? 'served') === 'served'
}

function describe(method: AnyMethod | undefined): string {
  if (!method) return 'no'
  return method.kind === 'refused' ? `no: ${method.summary}` : method.summary
}
