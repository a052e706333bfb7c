import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import { toRpcBlock, toRpcHeader, toRpcTransactions } from '../../codec/block.ts'
import { toRpcLogsByTransaction } from '../../codec/log.ts'
import * as schemas from '../../codec/schemas.ts'
import type { RpcLog } from '../../codec/types.ts'
import { SUN, type Unit } from '../../codec/unit.ts'
import { RpcError } from '../../lib/errors.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { membersOf } from '../../rpc/params/overrides.ts'
import {
  arrayOf,
  blockRef,
  boolean,
  maybe,
  member,
  optional,
  type Param,
} from '../../rpc/params/params.ts'
import { BLOCK_OF_CALLS, SIMULATION } from '../../rpc/params/simulationParam.ts'
import {
  callEthereum,
  changeAccount,
  checkMessage,
  createFrameTracer,
  createOverlay,
  EthereumError,
  gasPriceOf,
  logsWithTransfers,
  nonceOf,
  plainCall,
  type SimulatedCall,
  simulatedBlock,
} from '../index.ts'
import type { BlockContext, DevChain, EthereumCall, State, VmResult } from '../index.ts'
import { stateOf } from './blockState.ts'
import { changeBlock } from './calls.ts'
import type { FailureOf } from './failures.ts'
import {
  type BlockOverride,
  blockOverride,
  callRequest,
  type StateOverride,
  stateOverride,
} from './requests.ts'

/** Maximum number of blocks of one simulation: geth's limit. */
const MAX_BLOCKS = 256

const SECOND = 1_000

type BlockOfCalls = {
  blockOverrides: BlockOverride
  stateOverrides: StateOverride
  calls: EthereumCall[]
}

const blockOfCalls: Param<BlockOfCalls> = (input, scope) => {
  const given = membersOf(BLOCK_OF_CALLS, input, 'a block')
  return {
    blockOverrides: member(given, 'blockOverrides', blockOverride),
    stateOverrides: member(given, 'stateOverrides', stateOverride, scope),
    calls: member(given, 'calls', optional(arrayOf(callRequest), []), scope),
  }
}

type Simulation = {
  blocks: BlockOfCalls[]
  isFull: boolean
  /** Whether moved coins are logs too. */
  hasTransfers: boolean
  /** Whether calls are checked like transactions. */
  isChecked: boolean
  unit: Unit
}

const simulation: Param<Simulation> = (input, scope) => {
  const given = membersOf(SIMULATION, input, 'an object')
  const blocks = member(given, 'blockStateCalls', maybe(arrayOf(blockOfCalls)), scope) ?? []
  if (blocks.length === 0) throw new Error('empty input')
  return {
    blocks,
    isFull: member(given, 'returnFullTransactions', optional(boolean, false)),
    hasTransfers: member(given, 'traceTransfers', optional(boolean, false)),
    isChecked: member(given, 'validation', optional(boolean, false)),
    unit: scope?.unit ?? SUN,
  }
}

/** Runs calls in simulated blocks, one on top of the other. */
export function simulateMethods(chain: DevChain, failureOf: FailureOf): Record<string, AnyMethod> {
  const { ledger } = chain

  /** Checks a call like a transaction. Transactions of the native chain have no nonce and no price. */
  function check(call: EthereumCall, { block, nonce, state }: Checking): void {
    const { rules } = ledger
    if (rules.fees === 'native') return
    const { gas = block.gasLimit ?? rules.gasLimit, maxPrice = 0n, nonce: given = nonce } = call
    if (given > nonce)
      throw new EthereumError(`nonce too high: next nonce ${nonce}, tx nonce ${given}`)
    const context = { block, ethereum: rules }
    checkMessage({ ...call, gas, maxPrice, nonce: given }, { context, state })
  }

  /** Runs the calls of a block. Their changes are in `state` afterwards. */
  async function run(
    state: State,
    { calls, stateOverrides }: BlockOfCalls,
    block: BlockContext,
    { hasTransfers, isChecked, unit }: Pick<Simulation, 'hasTransfers' | 'isChecked' | 'unit'>,
  ): Promise<SimulatedCall[]> {
    for (const [address, change] of stateOverrides)
      changeAccount(state, address, change, block.timestamp)
    const done: SimulatedCall[] = []
    for (const call of calls) {
      const nonce = nonceOf(state, call.from)
      const transfers = hasTransfers
        ? createFrameTracer((frame) => logsWithTransfers(frame, (amount) => unit.fromSun(amount)))
        : undefined
      const runCall = async () => {
        if (isChecked) check(call, { block, nonce, state })
        return callEthereum(state, call, {
          block,
          rules: ledger.rules,
          ...(transfers && { observe: transfers.observe }),
        })
      }
      const ran = await runCall().catch((error: unknown) => {
        throw withCode(error)
      })
      const result =
        ran.failure || !transfers
          ? ran
          : { ...ran, logs: transfers.result({ plain: plainCall(call, ran) }) }
      state.set('nonce', call.from, nonce + 1n)
      done.push({ call, nonce, result })
    }
    return done
  }

  const eth_simulateV1 = defineMethod({
    params: [simulation, optional(blockRef, 'latest')],
    result: schemas.listOf(schemas.simulatedBlock),
    summary: 'runs calls in simulated blocks, with state and block overrides; returns the blocks',
    async handler({ chain: { view }, config }, [{ blocks, isFull, ...logs }, ref]) {
      if (blocks.length > MAX_BLOCKS)
        throw new RpcError(-38026, `too many blocks: at most ${MAX_BLOCKS}`)
      const base = await stateOf(chain, ref, view)
      const state = createOverlay(base.state)
      const { number } = base.block
      let before = base.block
      // The pending block is not stored.
      let parent = ledger.blockAt(number) ?? (await ledger.pendingBlock())
      const answers: Record<string, unknown>[] = []
      for (const simulated of blocks) {
        const block = following(before, simulated.blockOverrides)
        const calls = await run(state, simulated, block, logs)
        const price = gasPriceOf(state, { block })
        const options = { block, parent, price, rules: ledger.rules, state }
        const { infos, native, sealed } = simulatedBlock(calls, options)
        const announced = config.feeSignal === 'eip1559' ? price : undefined
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
          calls: calls.map(({ result }, index) =>
            toAnswer(result, printed[index] ?? [], failureOf),
          ),
        })
        before = block
        parent = sealed
      }
      return answers
    },
  })

  return { eth_simulateV1 }
}

type Checking = { block: BlockContext; nonce: bigint; state: State }

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
