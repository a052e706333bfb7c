import { LAST_TIME } from '../../codec/block.ts'
import * as schemas from '../../codec/schemas.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { RpcError } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import { fromPrepared, isPrepared } from '../../lib/prepared.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { eth_getBlockByNumber } from '../../rpc/methods/eth_getBlockByNumber.ts'
import { word } from '../../rpc/params/overrides.ts'
import {
  address,
  boolean,
  maybe,
  member,
  optional,
  type Param,
  price,
  show,
} from '../../rpc/params/params.ts'
import type { DevChain } from '../index.ts'
import { named, aliases, returningNull, returningTrue } from './named.ts'
import { amount, MAX_MINED_BLOCKS } from './requests.ts'

/** Longest time of a timer, in milliseconds. A timer with a longer time fires at once. */
const MAX_TIMER = 2n ** 31n - 1n

/** Parameter of `evm_mine`: nothing, a time in seconds, or an object with a number of blocks. */
type MineRequest = { blocks: bigint; timestamp?: bigint | undefined }

const mineRequest: Param<MineRequest> = (input) => {
  if (!isObject(input)) return { blocks: 1n, timestamp: maybe(amount)(input) }
  return {
    blocks: member(input, 'blocks', optional(amount, 1n)),
    timestamp: member(input, 'timestamp', maybe(amount)),
  }
}

/**
 * A number below this is in seconds for `evm_setIntervalMining`, as on anvil: viem's test client for anvil sends seconds under
 * this name, and no test needs blocks at such short intervals.
 */
const LEAST_MILLISECONDS = 100n

/** Milliseconds between blocks: a fixed time, or a range from which each time is chosen at random. */
const blockTime: Param<{ least: bigint; most: bigint }> = (input) => {
  const [least, most] = (Array.isArray(input) ? input : [input, input]).map((ms) => amount(ms))
  if (least === undefined || most === undefined || (Array.isArray(input) && input.length !== 2))
    throw new Error(`expected milliseconds, or a range such as [1000, 2000], got ${show(input)}`)
  if (least > most) throw new Error('the first number of the range is larger than the second')
  if (most > MAX_TIMER) throw new Error(`at most ${MAX_TIMER} milliseconds`)
  return { least, most }
}

/** The same in seconds, without a range. */
const seconds: typeof blockTime = (input) => blockTime(String(amount(input) * 1000n))

/** Milliseconds as on Hardhat, or a few seconds as on anvil. */
const eitherTime: typeof blockTime = (input) =>
  !Array.isArray(input) && amount(input) < LEAST_MILLISECONDS ? seconds(input) : blockTime(input)

/** A gas limit. With 0, ratios such as gasUsedRatio would not be numbers. */
const gasLimit: Param<bigint> = (input) => {
  const limit = amount(input)
  if (limit === 0n) throw new Error('expected a gas limit of at least 1')
  return limit
}

/** Methods that mine blocks, move the clock and set values of the next block. */
export function miningMethods(chain: DevChain): Record<string, AnyMethod> {
  const { clock, ledger } = chain

  async function mine(count: bigint, interval = 0n): Promise<void> {
    // Without an interval the clock sets the time between blocks. The time of the last block is checked only for very many blocks.
    const pace = count > MAX_MINED_BLOCKS ? BigInt(clock.spacing()) : 0n
    const step = interval > 0n ? interval * 1000n : pace
    const end = BigInt(ledger.head().header.timestamp) + count * step
    if (end > BigInt(LAST_TIME)) throw new RpcError(-32602, 'the blocks would be too late')
    await chain.mineMany(Number(count), Number(interval) * 1000)
  }

  function chooseTime(seconds: bigint): void {
    const time = Number(seconds) * 1000
    const newest = Math.floor(ledger.head().header.timestamp / 1000)
    // Hardhat's words, which tests read.
    const relation = Number(seconds) < newest ? 'lower than' : 'equal to'
    if (Number(seconds) <= newest)
      throw new RpcError(
        -32000,
        `Timestamp ${seconds} is ${relation} the previous block's timestamp ${newest}`,
      )
    clock.setNext(time)
  }

  const evm_mine = defineMethod({
    params: [mineRequest],
    summary: 'mines a block, at the given time in seconds; or several with {blocks}',
    async handler(_, [{ blocks, timestamp }]) {
      if (timestamp !== undefined) chooseTime(timestamp)
      await mine(blocks)
      return '0x0'
    },
  })

  const mineDetailed = defineMethod({
    params: [mineRequest],
    result: schemas.listOf(schemas.block),
    summary: 'mines as evm_mine does, and returns the blocks',
    async handler(context, [{ blocks, timestamp }], call) {
      if (blocks > MAX_MINED_BLOCKS)
        throw new RpcError(-32602, `at most ${MAX_MINED_BLOCKS} blocks at once`)
      if (timestamp !== undefined) chooseTime(timestamp)
      const first = ledger.head().header.number + 1
      await mine(blocks)
      const numbers = Array.from({ length: Number(blocks) }, (_, index) => first + index)
      return Promise.all(
        numbers.map(async (number) => {
          const params = [number, true] as const
          const block: unknown = await eth_getBlockByNumber.handler(context, params, call)
          return isPrepared(block) ? fromPrepared(block) : block
        }),
      )
    },
  })

  const mineMany = returningTrue(
    'mines blocks; the second parameter is the number of seconds between them',
    [optional(amount, 1n), optional(amount, 0n)],
    mine,
  )

  const increaseTime = defineMethod({
    params: [amount],
    summary:
      'moves the clock forward by seconds; returns how many seconds it is ahead of real time',
    handler: (_, [seconds]) => Math.floor(clock.increase(Number(seconds) * 1000) / 1000),
  })

  const setNextTime = returningNull(
    'sets the time of the next block, seconds',
    [amount],
    chooseTime,
  )

  const setTime = defineMethod({
    params: [amount],
    summary:
      'sets the clock, seconds, to any time from that of the newest block on; returns by how many seconds it moved forward',
    handler: (_, [seconds]) => Math.max(0, Math.floor(clock.set(Number(seconds) * 1000) / 1000)),
  })

  const setTimestampInterval = returningNull(
    'sets the number of seconds from each block to the next',
    [amount],
    (seconds) => clock.setInterval(Number(seconds) * 1000),
  )

  const removeTimestampInterval = defineMethod({
    params: [],
    summary: 'lets block times follow the clock again; returns false when no interval was set',
    handler: () => clock.setInterval(undefined),
  })

  const setAutomine = returningTrue(
    'whether each transaction is mined at once; those that wait are in the block of the next one',
    [boolean],
    (on) => {
      chain.automine = on
    },
  )

  const getAutomine = defineMethod({
    params: [],
    summary: 'whether each transaction is mined at once',
    handler: () => chain.automine,
  })

  const setIntervalMining = returningTrue(
    'mines a block at an interval in milliseconds, or a random one in a range such as [1000, 2000]; 0 turns it off',
    [eitherTime],
    ({ least, most }) => chain.setBlockTime(Number(least), Number(most)),
  )

  const anvil_setIntervalMining = returningNull(
    'mines a block at an interval in seconds; 0 turns it off',
    [seconds],
    ({ least }) => chain.setBlockTime(Number(least)),
  )

  const anvil_getIntervalMining = defineMethod({
    params: [],
    summary: 'seconds between blocks of interval mining; null when it is off',
    handler: () => chain.blockTime() / 1000 || null,
  })

  const setNextBaseFee = returningTrue('sets the base fee of the next block', [price], (baseFee) =>
    ledger.chooseNext({ baseFee }),
  )

  const setPrevRandao = returningTrue(
    'sets the randomness (mixHash) of the next block',
    [word],
    (prevRandao) => ledger.chooseNext({ prevRandao }),
  )

  const setCoinbase = returningTrue(
    'sets the producer that later blocks show and contracts see',
    [address],
    (who) => ledger.setCoinbase(toNativeAddress(who)),
  )

  const setBlockGasLimit = returningTrue(
    'sets the highest gas limit of a transaction, which later blocks show',
    [gasLimit],
    (limit) => ledger.setGasLimit(limit),
  )

  return {
    evm_mine,
    ...named(['evm', 'anvil'], 'mine_detailed', mineDetailed),
    ...aliases({}, 'mine', mineMany),
    ...named(['evm', 'anvil'], 'increaseTime', increaseTime),
    ...named(['evm', 'anvil'], 'setNextBlockTimestamp', setNextTime),
    ...named(['evm', 'anvil'], 'setTime', setTime),
    ...named(['evm', 'anvil'], 'setBlockTimestampInterval', setTimestampInterval),
    ...named(['evm', 'anvil'], 'removeBlockTimestampInterval', removeTimestampInterval),
    ...aliases({ hardhat: ['evm'] }, 'setAutomine', setAutomine),
    ...named(['anvil', 'hardhat'], 'getAutomine', getAutomine),
    evm_setIntervalMining: setIntervalMining,
    anvil_setIntervalMining,
    anvil_getIntervalMining,
    ...aliases({}, 'setNextBlockBaseFeePerGas', setNextBaseFee),
    ...named(['anvil', 'hardhat'], 'setPrevRandao', setPrevRandao),
    ...aliases({}, 'setCoinbase', setCoinbase),
    ...named(['evm', 'anvil'], 'setBlockGasLimit', setBlockGasLimit),
  }
}
