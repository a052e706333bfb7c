import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import { toRpcBlock, toRpcHeader, toRpcTransactions } from '../../codec/block.ts'
import type { BlockRef } from '../../codec/blockRef.ts'
import { toRpcLogsByTransaction } from '../../codec/log.ts'
import type { RpcLog } from '../../codec/types.ts'
import type { Unit } from '../../codec/unit.ts'
import type { Config } from '../../config/config.ts'
import { RpcError } from '../../lib/errors.ts'
import type { CallRequest } from '../../rpc/params/callParam.ts'
import type { BlockOverride } from '../../rpc/params/overrides.ts'
import type { Simulation } from '../../rpc/params/simulationParam.ts'
import {
  baseFeeAfter,
  type BlockContext,
  callEthereum,
  type ChainBlock,
  checkMessage,
  countCall,
  createFrameTracer,
  createOverlay,
  type DevChain,
  type EthereumCall,
  EthereumError,
  gasPriceOf,
  logsWithTransfers,
  nonceOf,
  plainCall,
  simulatedBlock,
  type SimulatedCall,
  type State,
  type VmResult,
} from '../index.ts'
import { stateOf } from './blockState.ts'
import { changeAccounts, changeBlock } from './changes.ts'
import type { FailureOf } from './failures.ts'

/** Maximum number of blocks of one simulation: geth's limit. */
const MAX_BLOCKS = 256

const SECOND = 1_000

/** Runs calls in simulated blocks, one on top of the other. Returns the blocks. */
export async function simulateBlocks(
  chain: DevChain,
  { blocks, isFull, ...given }: Simulation,
  { callOf, failureOf, feeSignal, ref, unit, view }: simulateBlocks.Options,
): Promise<object[]> {
  const { ledger } = chain
  const base = await stateOf(chain, ref, view)
  const state = createOverlay(base.state)
  let before = base.block
  // The pending block is not stored.
  let parent = ledger.blockAt(before.number) ?? (await ledger.pendingBlock())
  // BLOCKHASH gives the simulated blocks, although the chain may have other ones at their heights.
  const hashes = new Map([[before.number, parent.id]])
  const hashOf = (number: number) =>
    number < base.block.number ? base.block.hashOf(number) : hashes.get(number)
  const answers: object[] = []
  for (const simulated of withoutGaps(blocks, before.number)) {
    const { baseFee: _baseFee, prevRandao: _prevRandao, ...common } = before
    const baseFee = nextBaseFee(ledger.rules, { block: before, given, parent, state })
    const block = following({ ...common, ...baseFee, hashOf }, simulated.block)
    const rules = { ...ledger.rules, gasLimit: block.gasLimit ?? ledger.rules.gasLimit }
    const calls = simulated.calls.map(callOf)
    const options = { ...given, block, rules, unit }
    changeAccounts(state, simulated.accounts, block.timestamp)
    const done = await runCalls(state, calls, options)
    const price = gasPriceOf(state, { block })
    const sealing = { block, parent, price, rules, state }
    const { infos, native, sealed } = simulatedBlock(done, sealing)
    const announced = feeSignal === 'eip1559' ? price : undefined
    const baseFeePerGas = block.baseFee ?? announced
    const fees = { chainId: block.chainId, energyPrice: price }
    const transactions = toRpcTransactions(native, infos, fees)
    const shown = toRpcBlock(
      toRpcHeader(native, infos, { baseFeePerGas }),
      isFull ? transactions : transactions.map(({ hash }) => hash),
    )
    const printed = toRpcLogsByTransaction(native, infos)
    answers.push({
      ...shown,
      calls: done.map(({ result }, index) => toAnswer(result, printed[index] ?? [], failureOf)),
    })
    before = block
    parent = sealed
    hashes.set(block.number, sealed.id)
  }
  return answers
}

export declare namespace simulateBlocks {
  type Options = {
    callOf: (request: CallRequest) => EthereumCall
    failureOf: FailureOf
    feeSignal: Config['feeSignal']
    ref: BlockRef
    unit: Unit
    view: 'full' | 'solid'
  }
}

/** The blocks, with an empty one at each height that a number skips, as in geth. @throws RpcError when they are too many */
function withoutGaps(blocks: Simulation['blocks'], base: number): Simulation['blocks'] {
  let last = base
  return blocks.flatMap((block) => {
    const number = Number(block.block.number ?? last + 1)
    if (number - base > MAX_BLOCKS)
      throw new RpcError(-38026, `too many blocks: at most ${MAX_BLOCKS}`)
    const gap = Array.from({ length: Math.max(0, number - last - 1) }, () => EMPTY)
    last = number
    return [...gap, block]
  })
}

const EMPTY: Simulation['blocks'][number] = { accounts: [], block: {}, calls: [] }

/**
 * The base fee of the block after another one, where it changes from block to block. As in geth it is 0 when calls are not checked like
 * transactions, because they may offer nothing.
 */
function nextBaseFee(
  rules: DevChain['ledger']['rules'],
  { block, given, parent, state }: BeforeNext,
): Pick<BlockContext, 'baseFee'> {
  if (rules.baseFee !== 'eip1559') return {}
  if (!given.isChecked) return { baseFee: 0n }
  const baseFee = gasPriceOf(state, { block })
  return {
    baseFee: baseFeeAfter(parent, { baseFee, gasLimit: block.gasLimit ?? rules.gasLimit }),
  }
}

type BeforeNext = {
  block: BlockContext
  given: Pick<Simulation, 'isChecked'>
  parent: ChainBlock
  state: State
}

type Running = Pick<Simulation, 'hasTransfers' | 'isChecked'> & {
  block: BlockContext
  rules: DevChain['ledger']['rules']
  unit: Unit
}

/** Runs the calls of a block. Their changes are in `state` afterwards. */
async function runCalls(
  state: State,
  calls: readonly EthereumCall[],
  { block, hasTransfers, isChecked, rules, unit }: Running,
): Promise<SimulatedCall[]> {
  const done: SimulatedCall[] = []
  for (const call of calls) {
    const nonce = nonceOf(state, call.from)
    const transfers = hasTransfers
      ? createFrameTracer((frame) => logsWithTransfers(frame, (amount) => unit.fromSun(amount)))
      : undefined
    const run = async () => {
      if (isChecked) check(call, { block, nonce, rules, state })
      return callEthereum(state, call, {
        block,
        rules,
        ...(transfers && { observe: transfers.observe }),
      })
    }
    const ran = await run().catch((error: unknown) => {
      throw withCode(error)
    })
    const result =
      ran.failure || !transfers
        ? ran
        : { ...ran, logs: transfers.result({ plain: plainCall(call, ran) }) }
    countCall(state, call)
    done.push({ call, nonce, result })
  }
  return done
}

/** Checks a call like a transaction. Transactions of the native chain have no nonce and no price. */
function check(call: EthereumCall, { block, nonce, rules, state }: Checking): void {
  if (rules.fees === 'native') return
  const { gas = rules.gasLimit, maxPrice = 0n, nonce: given = nonce } = call
  if (given > nonce)
    throw new EthereumError(`nonce too high: next nonce ${nonce}, tx nonce ${given}`)
  const context = { block, ethereum: rules }
  checkMessage({ ...call, gas, maxPrice, nonce: given }, { context, state })
}

type Checking = Pick<Running, 'block' | 'rules'> & { nonce: bigint; state: State }

/** The codes of the method's specification for what is wrong with a transaction, by the beginning of the message. */
const CODES = Object.entries({
  'nonce too low': -38010,
  'nonce too high': -38011,
  'max fee per gas less than block base fee': -38012,
  'intrinsic gas too low': -38013,
  'insufficient funds': -38014,
  'exceeds block gas limit': -38015,
})

/** The error with the code of the specification, if it has one. */
function withCode(error: unknown): unknown {
  if (!(error instanceof EthereumError)) return error
  const [, code] = CODES.find(([text]) => error.message.startsWith(text)) ?? []
  return code === undefined ? error : new RpcError(code, error.message, { cause: error })
}

/** The block after another one, with the caller's overrides. @throws RpcError with the codes of geth when it is not above the other */
function following(before: BlockContext, overrides: BlockOverride): BlockContext {
  const { number, timestamp } = before
  const next = { ...before, number: number + 1, timestamp: timestamp + SECOND }
  const block = changeBlock(next, overrides)
  if (block.number <= number)
    throw new RpcError(-38020, `block numbers must be in order: ${block.number} <= ${number}`)
  if (block.timestamp <= timestamp) {
    const [after, earlier] = [block.timestamp / SECOND, timestamp / SECOND]
    throw new RpcError(-38021, `block timestamps must be in order: ${after} <= ${earlier}`)
  }
  return block
}

/** Code of a call that failed for another reason than a revert, in the specification of the method. */
const VM_ERROR = -32015

function toAnswer(
  result: VmResult,
  logs: readonly RpcLog[],
  failureOf: FailureOf,
): Record<string, unknown> {
  const returnData: Hex = `0x${Buffer.from(result.output).toString('hex')}`
  const gas = {
    gasUsed: numberToHex(result.energyUsed),
    maxUsedGas: numberToHex(result.energyNeeded),
  }
  if (!result.failure) return { returnData, logs, ...gas, status: '0x1' }
  const { code, data, message } = failureOf(result)
  const error = { code: code === 3 ? code : VM_ERROR, message, ...(data !== undefined && { data }) }
  return { returnData, logs: [], ...gas, status: '0x0', error }
}
