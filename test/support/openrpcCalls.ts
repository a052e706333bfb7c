import { CHAIN, keys, labels } from './recordedChain.ts'

const token = `0x${labels.contracts.Token.address.slice(2)}`
const transfer = `0x${labels.transactions.find(({ label }) => label.includes('token transfer'))?.id ?? labels.contracts.Token.tx}`

const makesChild = `0x${labels.transactions.find(({ label }) => label === 'make child with value')?.id}`

/** Calls on the recorded chain. Their answers are the examples of the OpenRPC document. */
export const exampleCalls: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['debug_traceTransaction', [makesChild, { tracer: 'callTracer' }]],
  ['eth_accounts', []],
  ['eth_blockNumber', []],
  ['eth_call', [{ to: token, data: '0x18160ddd' }, 'latest']],
  ['eth_chainId', []],
  ['eth_estimateGas', [{ to: token, data: '0x18160ddd' }]],
  ['eth_feeHistory', ['0x2', 'latest', [50]]],
  ['eth_gasPrice', []],
  ['eth_getBalance', [keys.rich.eth, 'latest']],
  ['eth_getBlockByHash', [CHAIN.headHash, false]],
  ['eth_getBlockByNumber', ['0x10', false]],
  ['eth_getBlockTransactionCountByHash', [CHAIN.headHash]],
  ['eth_getBlockTransactionCountByNumber', ['0x82']],
  ['eth_getCode', [keys.bob.eth, 'latest']],
  ['eth_getLogs', [{ blockHash: CHAIN.headHash }]],
  ['eth_getStorageAt', [token, '0x0', 'latest']],
  ['eth_getTransactionByHash', [transfer]],
  ['eth_getTransactionCount', [keys.bob.eth, 'latest']],
  ['eth_getTransactionReceipt', [transfer]],
  ['eth_getUncleCountByBlockNumber', ['0x10']],
  ['eth_maxPriorityFeePerGas', []],
  ['net_listening', []],
  ['net_peerCount', []],
  ['net_version', []],
  ['trace_transaction', [makesChild]],
  ['web3_sha3', ['0x68656c6c6f']],
]
