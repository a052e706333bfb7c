// The methods that anvil and Hardhat offer beyond those of Ethereum nodes, for the table of docs/devchain.md.
import { createDevChain } from '../src/devchain/index.ts'
import { devMethods } from '../src/devnode/methods.ts'
import { methods } from '../src/methods/index.ts'

const ANVIL = `
  anvil_addBalance anvil_autoImpersonateAccount anvil_dealERC20 anvil_dropAllTransactions anvil_dropTransaction
  anvil_dumpState anvil_enableTraces anvil_getAutomine anvil_getIntervalMining anvil_impersonateAccount
  anvil_impersonateSignature anvil_increaseTime anvil_loadState anvil_metadata anvil_mine anvil_mine_detailed
  anvil_nodeInfo anvil_removeBlockTimestampInterval anvil_removePoolTransactions anvil_reorg anvil_reset anvil_revert
  anvil_rollback anvil_setAutomine anvil_setBalance anvil_setBlockGasLimit anvil_setBlockTimestampInterval
  anvil_setChainId anvil_setCode anvil_setCoinbase anvil_setERC20Allowance anvil_setIntervalMining
  anvil_setLoggingEnabled anvil_setMinGasPrice anvil_setNextBlockBaseFeePerGas anvil_setNextBlockTimestamp
  anvil_setNonce anvil_setRpcUrl anvil_setStorageAt anvil_setTime anvil_snapshot anvil_stopImpersonatingAccount
  debug_codeByHash debug_dbGet debug_getRawTransaction debug_traceBlockByHash debug_traceBlockByNumber
  debug_traceCall debug_traceTransaction eth_getRawTransactionByHash
  eth_sendRawTransactionSync eth_sendUnsignedTransaction eth_simulateV1 evm_increaseTime evm_mine evm_mine_detailed
  evm_revert evm_setAccountNonce evm_setAutomine evm_setBlockGasLimit evm_setIntervalMining
  evm_setNextBlockTimestamp evm_setTime evm_snapshot hardhat_autoImpersonateAccount hardhat_dropTransaction
  hardhat_dumpState hardhat_getAutomine hardhat_impersonateAccount hardhat_loadState hardhat_metadata hardhat_mine
  hardhat_reset hardhat_setBalance hardhat_setCode hardhat_setCoinbase hardhat_setLoggingEnabled
  hardhat_setMinGasPrice hardhat_setNextBlockBaseFeePerGas hardhat_setNonce hardhat_setStorageAt
  hardhat_stopImpersonatingAccount tenderly_addBalance tenderly_setBalance tenderly_setCode tenderly_setStorageAt
  trace_block trace_filter trace_replayBlockTransactions trace_transaction txpool_content txpool_inspect txpool_status
  ots_getApiLevel ots_getBlockDetails ots_getBlockDetailsByHash ots_getBlockTransactions
  ots_getContractCreator ots_getInternalOperations ots_getTransactionBySenderAndNonce ots_getTransactionError
  ots_hasCode ots_searchTransactionsAfter ots_searchTransactionsBefore ots_traceTransaction`

const HARDHAT = `
  debug_traceCall debug_traceTransaction evm_increaseTime evm_mine evm_revert evm_setAutomine evm_setBlockGasLimit evm_setIntervalMining
  evm_setNextBlockTimestamp evm_snapshot hardhat_addCompilationResult hardhat_dropTransaction hardhat_getAutomine
  hardhat_getStackTraceFailuresCount hardhat_impersonateAccount hardhat_metadata hardhat_mine hardhat_reset
  hardhat_setBalance hardhat_setCode hardhat_setCoinbase hardhat_setLoggingEnabled hardhat_setMinGasPrice
  hardhat_setNextBlockBaseFeePerGas hardhat_setNonce hardhat_setPrevRandao hardhat_setStorageAt
  hardhat_stopImpersonatingAccount`

/** Why a method of anvil or Hardhat is not offered. */
const ABSENT: Readonly<Record<string, string>> = {
  anvil_dealERC20: 'no: write the slot with setStorageAt',
  anvil_setERC20Allowance: 'no: write the slot with setStorageAt',
  anvil_enableTraces: 'no: anvil 1.7 answers that it does not exist either',
  anvil_impersonateSignature: 'no: contracts check signatures as on the chain',
  anvil_reorg: 'no: `evm_reorg`',
  anvil_setChainId: 'no: `--chain-id`',
  anvil_setMinGasPrice: 'no: the price is that of the chain',
  anvil_setRpcUrl: 'no: `--fork`',
  debug_codeByHash: 'no',
  debug_dbGet: 'no',
  debug_getRawTransaction: 'no: natively signed transactions have no Ethereum bytes',
  eth_getRawTransactionByHash: 'no: natively signed transactions have no Ethereum bytes',
  hardhat_addCompilationResult:
    'no: stack traces of sources are made by Hardhat’s own network alone',
  hardhat_getStackTraceFailuresCount: 'no: the same',
  hardhat_setMinGasPrice: 'no: the price is that of the chain',
  trace_replayBlockTransactions: 'no: `trace_block`',
}

/** Rows of method, anvil, Hardhat, and what it does here. */
export async function devMethodRows(): Promise<string[][]> {
  const chain = await createDevChain({ accounts: 1 })
  const here = devMethods(chain)
  const [anvil, hardhat] = [ANVIL, HARDHAT].map((text) => new Set(text.trim().split(/\s+/)))
  const names = new Set([...Object.keys(here), ...(anvil ?? []), ...(hardhat ?? [])])
  return [...names]
    .filter((name) => !(name in methods) || name in here || name in ABSENT)
    .toSorted()
    .map((name) => [
      `\`${name}\``,
      isEthereum(name) || anvil?.has(name) ? 'yes' : '',
      isEthereum(name) || hardhat?.has(name) ? 'yes' : '',
      here[name]?.summary ?? ABSENT[name] ?? 'no',
    ])
}

/** Whether any Ethereum node has the method. */
function isEthereum(name: string): boolean {
  return /^(eth|net|web3)_/.test(name) && name in methods && !SPECIAL.includes(name)
}

/** Methods of Ethereum that not every node has. */
const SPECIAL = ['eth_simulateV1', 'eth_fillTransaction']
