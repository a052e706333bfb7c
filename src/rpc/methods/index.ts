import type { AnyMethod } from '../method.ts'
import { buildTransaction } from './buildTransaction/index.ts'
import { eth_hashrate, eth_maxPriorityFeePerGas, eth_mining } from './constant.ts'
import { debug_traceBlockByHash } from './debug_traceBlockByHash.ts'
import { debug_traceBlockByNumber } from './debug_traceBlockByNumber.ts'
import { debug_traceCall } from './debug_traceCall.ts'
import { debug_traceTransaction } from './debug_traceTransaction.ts'
import { eth_accounts } from './eth_accounts.ts'
import { eth_baseFee } from './eth_baseFee.ts'
import { eth_blockNumber } from './eth_blockNumber.ts'
import { eth_call } from './eth_call.ts'
import { eth_chainId } from './eth_chainId.ts'
import { eth_coinbase } from './eth_coinbase.ts'
import { eth_createAccessList } from './eth_createAccessList.ts'
import { eth_estimateGas } from './eth_estimateGas.ts'
import { eth_feeHistory } from './eth_feeHistory.ts'
import { eth_fillTransaction } from './eth_fillTransaction.ts'
import { eth_gasPrice } from './eth_gasPrice.ts'
import { eth_getBalance } from './eth_getBalance.ts'
import { eth_getBlockByHash } from './eth_getBlockByHash.ts'
import { eth_getBlockByNumber } from './eth_getBlockByNumber.ts'
import { eth_getBlockReceipts } from './eth_getBlockReceipts.ts'
import { eth_getBlockTransactionCountByHash } from './eth_getBlockTransactionCountByHash.ts'
import { eth_getBlockTransactionCountByNumber } from './eth_getBlockTransactionCountByNumber.ts'
import { eth_getCode } from './eth_getCode.ts'
import { eth_getFilterChanges } from './eth_getFilterChanges.ts'
import { eth_getFilterLogs } from './eth_getFilterLogs.ts'
import { eth_getLogs } from './eth_getLogs.ts'
import { eth_getStorageAt } from './eth_getStorageAt.ts'
import { eth_getTransactionByBlockHashAndIndex } from './eth_getTransactionByBlockHashAndIndex.ts'
import { eth_getTransactionByBlockNumberAndIndex } from './eth_getTransactionByBlockNumberAndIndex.ts'
import { eth_getTransactionByHash } from './eth_getTransactionByHash.ts'
import { eth_getTransactionCount } from './eth_getTransactionCount.ts'
import { eth_getTransactionReceipt } from './eth_getTransactionReceipt.ts'
import { eth_getWork } from './eth_getWork.ts'
import { eth_newBlockFilter } from './eth_newBlockFilter.ts'
import { eth_newFilter } from './eth_newFilter.ts'
import { eth_newPendingTransactionFilter } from './eth_newPendingTransactionFilter.ts'
import { eth_pendingTransactions } from './eth_pendingTransactions.ts'
import { eth_protocolVersion } from './eth_protocolVersion.ts'
import { eth_sendRawTransaction } from './eth_sendRawTransaction.ts'
import { eth_sendTransaction } from './eth_sendTransaction.ts'
import { eth_sign } from './eth_sign.ts'
import { eth_signTransaction } from './eth_signTransaction.ts'
import { eth_signTypedData_v4 } from './eth_signTypedData_v4.ts'
import { eth_simulateV1 } from './eth_simulateV1.ts'
import { eth_subscribe } from './eth_subscribe.ts'
import { eth_syncing } from './eth_syncing.ts'
import { eth_uninstallFilter } from './eth_uninstallFilter.ts'
import { eth_unsubscribe } from './eth_unsubscribe.ts'
import { ethgate_ack } from './ethgate_ack.ts'
import { ethgate_closeCursor } from './ethgate_closeCursor.ts'
import { ethgate_countLogs } from './ethgate_countLogs.ts'
import { ethgate_feeQuote } from './ethgate_feeQuote.ts'
import { ethgate_getLogs } from './ethgate_getLogs.ts'
import { ethgate_next } from './ethgate_next.ts'
import { ethgate_openCursor } from './ethgate_openCursor.ts'
import { ethgate_transactionStatus } from './ethgate_transactionStatus.ts'
import { net_listening } from './net_listening.ts'
import { net_peerCount } from './net_peerCount.ts'
import { net_version } from './net_version.ts'
import { personal_sign } from './personal_sign.ts'
import { trace_block } from './trace_block.ts'
import { trace_filter } from './trace_filter.ts'
import { trace_transaction } from './trace_transaction.ts'
import { txpool_content } from './txpool_content.ts'
import { txpool_contentFrom } from './txpool_contentFrom.ts'
import { txpool_inspect } from './txpool_inspect.ts'
import { txpool_status } from './txpool_status.ts'
import {
  eth_getUncleByBlockHashAndIndex,
  eth_getUncleByBlockNumberAndIndex,
  eth_getUncleCountByBlockHash,
  eth_getUncleCountByBlockNumber,
} from './uncles.ts'
import { unsupported } from './unsupported.ts'
import { web3_clientVersion } from './web3_clientVersion.ts'
import { web3_sha3 } from './web3_sha3.ts'

/** Every method. The key is the wire name. */
export const methods = {
  buildTransaction,
  debug_traceBlockByHash,
  debug_traceBlockByNumber,
  debug_traceCall,
  debug_traceTransaction,
  eth_accounts,
  eth_baseFee,
  eth_blockNumber,
  eth_call,
  eth_chainId,
  eth_coinbase,
  eth_createAccessList,
  eth_estimateGas,
  eth_feeHistory,
  eth_fillTransaction,
  eth_gasPrice,
  eth_getBalance,
  eth_getBlockByHash,
  eth_getBlockByNumber,
  eth_getBlockReceipts,
  eth_getBlockTransactionCountByHash,
  eth_getBlockTransactionCountByNumber,
  eth_getCode,
  eth_getFilterChanges,
  eth_getFilterLogs,
  eth_getLogs,
  eth_getStorageAt,
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByBlockNumberAndIndex,
  eth_getTransactionByHash,
  eth_getTransactionCount,
  eth_getTransactionReceipt,
  eth_getUncleByBlockHashAndIndex,
  eth_getUncleByBlockNumberAndIndex,
  eth_getUncleCountByBlockHash,
  eth_getUncleCountByBlockNumber,
  eth_getWork,
  eth_hashrate,
  eth_maxPriorityFeePerGas,
  eth_mining,
  eth_newBlockFilter,
  eth_newFilter,
  eth_newPendingTransactionFilter,
  eth_pendingTransactions,
  eth_protocolVersion,
  eth_sendRawTransaction,
  eth_sendTransaction,
  eth_sign,
  eth_signTransaction,
  eth_signTypedData_v4,
  eth_simulateV1,
  eth_subscribe,
  eth_syncing,
  eth_uninstallFilter,
  eth_unsubscribe,
  ethgate_ack,
  ethgate_closeCursor,
  ethgate_countLogs,
  ethgate_feeQuote,
  ethgate_getLogs,
  ethgate_next,
  ethgate_openCursor,
  ethgate_transactionStatus,
  net_listening,
  net_peerCount,
  net_version,
  personal_sign,
  trace_block,
  trace_filter,
  trace_transaction,
  txpool_content,
  txpool_contentFrom,
  txpool_inspect,
  txpool_status,
  web3_clientVersion,
  web3_sha3,

  ...unsupported,
} satisfies Record<string, AnyMethod>
