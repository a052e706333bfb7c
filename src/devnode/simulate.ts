import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import {
  callEthereum,
  changeAccount,
  createOverlay,
  EthereumError,
  nonceOf,
} from '../devchain/index.ts'
import type { BlockContext, DevChain, EthereumCall, State, VmResult } from '../devchain/index.ts'
import { RpcError } from '../errors.ts'
import { type AnyMethod, defineMethod } from '../jsonrpc/method.ts'
import {
  arrayOf,
  blockRef,
  isObject,
  maybe,
  member,
  optional,
  type Param,
  show,
} from '../jsonrpc/params.ts'
import { stateOf } from './blockState.ts'
import { changeBlock } from './calls.ts'
import { callFailure } from './failures.ts'
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

type SimulatedBlock = {
  blockOverrides: BlockOverride
  stateOverrides: StateOverride
  calls: EthereumCall[]
}

const simulatedBlock: Param<SimulatedBlock> = (input) => {
  if (!isObject(input)) throw new Error(`expected a block, got ${show(input)}`)
  return {
    blockOverrides: member(input, 'blockOverrides', blockOverride),
    stateOverrides: member(input, 'stateOverrides', stateOverride),
    calls: member(input, 'calls', optional(arrayOf(callRequest), [])),
  }
}

const simulation: Param<SimulatedBlock[]> = (input) => {
  if (!isObject(input)) throw new Error(`expected an object, got ${show(input)}`)
  if (input['traceTransfers'] === true || input['returnFullTransactions'] === true)
    throw new Error('traceTransfers and returnFullTransactions are not supported')
  const blocks = member(input, 'blockStateCalls', maybe(arrayOf(simulatedBlock))) ?? []
  if (blocks.length > MAX_BLOCKS) throw new Error(`at most ${MAX_BLOCKS} blocks`)
  return blocks
}

/** Runs calls in simulated blocks, one on top of the other. */
export function simulateMethods(chain: DevChain): Record<string, AnyMethod> {
  async function simulateBlock(
    state: State,
    { blockOverrides, calls, stateOverrides }: SimulatedBlock,
    parent: BlockContext,
  ): Promise<{ block: BlockContext; answer: Record<string, unknown> }> {
    const following = {
      ...parent,
      number: parent.number + 1,
      timestamp: parent.timestamp + SECOND,
    }
    const block = changeBlock(following, blockOverrides)
    if (block.number <= parent.number || block.timestamp <= parent.timestamp)
      throw new RpcError(-38020, 'block numbers and times of a simulation must ascend')
    for (const [address, change] of stateOverrides)
      changeAccount(state, address, change, block.timestamp)
    const answers: Record<string, unknown>[] = []
    let gasUsed = 0n
    for (const call of calls) {
      const result = await callEthereum(state, call, { block, rules: chain.ledger.rules }).catch(
        (error: unknown) => {
          if (error instanceof EthereumError)
            throw new RpcError(-38014, error.message, { cause: error })
          throw error
        },
      )
      state.set('nonce', call.from, nonceOf(state, call.from) + 1n)
      gasUsed += result.energyUsed
      answers.push(toAnswer(result, block))
    }
    const answer = {
      number: numberToHex(block.number),
      timestamp: numberToHex(Math.floor(block.timestamp / SECOND)),
      gasLimit: numberToHex(block.gasLimit ?? chain.ledger.rules.gasLimit),
      gasUsed: numberToHex(gasUsed),
      miner: `0x${block.producer.slice(2)}`,
      ...(block.baseFee !== undefined && { baseFeePerGas: numberToHex(block.baseFee) }),
      calls: answers,
    }
    return { block, answer }
  }

  const eth_simulateV1 = defineMethod({
    params: [simulation, optional(blockRef, 'latest')],
    summary: 'runs calls in simulated blocks, with state and block overrides',
    async handler({ chain: { view } }, [blocks, ref]) {
      const base = await stateOf(chain, ref, view)
      const state = createOverlay(base.state)
      const answers: Record<string, unknown>[] = []
      let parent = base.block
      for (const simulated of blocks) {
        const { answer, block } = await simulateBlock(state, simulated, parent)
        answers.push(answer)
        parent = block
      }
      return answers
    },
  })

  return { eth_simulateV1 }
}

function toAnswer(result: VmResult, block: BlockContext): Record<string, unknown> {
  const returnData: Hex = `0x${Buffer.from(result.output).toString('hex')}`
  const gasUsed = numberToHex(result.energyUsed)
  if (result.failure) {
    const { code, data, message } = callFailure(result)
    const error = { code, message, ...(data !== undefined && { data }) }
    return { returnData, logs: [], gasUsed, status: '0x0', error }
  }
  const logs = result.logs.map(({ address, data, topics }, index) => ({
    address: `0x${address}`,
    topics: topics.map((topic) => `0x${topic}`),
    data: `0x${data}`,
    blockNumber: numberToHex(block.number),
    logIndex: numberToHex(index),
  }))
  return { returnData, logs, gasUsed, status: '0x1' }
}
