/** The entry of the dev chain: everything that other folders use. */
export { type ChainBlock, printBlock } from './block.ts'
export { createDevChain } from './devChain.ts'
export type { DevChain } from './devChainTypes.ts'
export { EthereumError, ForkError, RefusedError, TIP_ABOVE_FEE } from './errors.ts'
export { type Authorization, readAuthorizations } from './ethereum/authorization.ts'
export {
  callEthereum,
  EstimateFailure,
  estimateEthereum,
  type EthereumCall,
} from './ethereum/call.ts'
export { gasPriceOf } from './ethereum/execute.ts'
export { type AccountChange, changeAccount } from './ethereum/override.ts'
export { rawEthereum } from './ethereum/rawTransaction.ts'
export type { EthereumRules } from './ethereum/rules.ts'
export { type SimulatedCall, simulatedBlock } from './ethereum/simulatedBlock.ts'
export {
  readEthereum,
  type SignedEthereum,
  signEthereum,
  type UnsignedEthereum,
  unsignedEthereum,
} from './ethereum/transaction.ts'
export { type Faults, readFaults } from './faults.ts'
export { connectFork } from './fork/connect.ts'
export type { Fork } from './fork/fork.ts'
export { type DevAccount, MNEMONIC } from './keys.ts'
export { resolving } from './missing.ts'
export { nonceOf } from './nonce.ts'
export { COIN } from './resources.ts'
export { ReplayError, stateBehind } from './replay.ts'
export { keptForkBlock } from './stateFile.ts'
export { createOverlay, type State, type StateReader } from './state.ts'
export { createAccessListTracer } from './trace/accessListTracer.ts'
export { printFrame } from './trace/callTracer.ts'
export { createCallFrames } from './trace/flatFrames.ts'
export type { Frame } from './trace/frame.ts'
export { traceBlock, traceCall } from './trace/run.ts'
export { TraceSizeError } from './trace/structLogger.ts'
export { createTracer, type TraceRequest, TraceTimeoutError } from './trace/tracers.ts'
export type { VmResult } from './vm/run.ts'
export { slotKey } from './vm/vmState.ts'
/** The block context of a call. */
export type { BlockContext } from './vm/blockContext.ts'
