/** The entry of the development chain: everything that other folders use. */
export type { Artifacts } from './artifacts.ts'
export { type ChainBlock, printBlock } from './blocks/block.ts'
export { createDevChain, type DevChain } from './devChain.ts'
export { baseFeeAfter } from './ledger/baseFee.ts'
export { EthereumError, ForkError, RefusedError } from './state/errors.ts'
export { type Authorization, readAuthorizations } from './transactions/authorization.ts'
export {
  callEthereum,
  countCall,
  EstimateFailure,
  estimateEthereum,
  type EthereumCall,
} from './execution/call.ts'
export { checkMessage } from './execution/check.ts'
export { gasPriceOf } from './execution/executeEthereum.ts'
export { type AccountChange, changeAccount } from './execution/override.ts'
export { rawEthereum } from './transactions/rawTransaction.ts'
export { defaultTip, type EthereumRules } from './transactions/rules.ts'
export { type SimulatedCall, simulatedBlock } from './blocks/simulatedBlock.ts'
export {
  readEthereum,
  type SignedEthereum,
  signEthereum,
  type UnsignedEthereum,
  unsignedEthereum,
} from './transactions/ethereumTransaction.ts'
export { type Faults, readFaults } from './api/faults.ts'
export { connectFork } from './fork/connect.ts'
export type { Fork } from './fork/open.ts'
export { type DevAccount, devAccounts, MNEMONIC } from './state/keys.ts'
export { runFetching } from './state/missing.ts'
export { balanceOf } from './state/balance.ts'
export { nonceOf } from './state/nonce.ts'
export { COIN } from './state/resources.ts'
export { ReplayError, stateBehind } from './trace/replay.ts'
export { keptForkBlock } from './blocks/stateFile.ts'
export { hasRulesOf } from './state/hardforks.ts'
export type { Unlocked } from './state/unlocked.ts'
export { createOverlay, type State, type StateReader } from './state/state.ts'
export { createAccessListTracer } from './trace/accessListTracer.ts'
export { createFrameTracer, printFrame, withoutBuiltIns } from './trace/callTracer.ts'
export type { Frame } from './trace/frame.ts'
export { plainCall, traceBlock, traceCall } from './trace/run.ts'
export { TraceSizeError } from './trace/structLogger.ts'
export { logsWithTransfers } from './trace/transferLogs.ts'
export type { TracedAccount } from './trace/prestateTracer.ts'
export { type Sandbox, TracerError, withSandbox } from './trace/javascript/sandbox.ts'
export { type Tracer, TraceTimeoutError } from './trace/tracer.ts'
export { createTracer } from './trace/tracers.ts'
export { createVmTracer, type VmTrace } from './trace/vmTrace.ts'
export type { EmptyRevert } from './vm/emptyRevert.ts'
export type { VmResult } from './vm/run.ts'
export { slotKey } from './vm/vmState.ts'
/** The block context of a call. */
export type { BlockContext } from './vm/blockContext.ts'
