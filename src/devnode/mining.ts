import type { DevChain } from '../devchain/index.ts'
import { RpcError } from '../errors.ts'
import { type AnyMethod, defineMethod } from '../jsonrpc/method.ts'
import {
  address,
  boolean,
  isObject,
  maybe,
  member,
  optional,
  type Param,
  show,
} from '../jsonrpc/params.ts'
import { toNativeAddress } from '../lib/address.ts'
import { fromWire, isWire } from '../lib/wire.ts'
import { eth_getBlockByNumber } from '../methods/eth_getBlockByNumber.ts'
import { named, twins } from './named.ts'
import { amount, word } from './requests.ts'

const MAX_BLOCKS = 100_000n

/** A timer that is set for longer fires at once, milliseconds. */
const MAX_TIMER = 2n ** 31n - 1n

/** What `evm_mine` takes: nothing, a time in seconds, or an object with a number of blocks. */
type MineRequest = { blocks: bigint; timestamp?: bigint | undefined }

const mineRequest: Param<MineRequest> = (input) => {
  if (!isObject(input)) return { blocks: 1n, timestamp: maybe(amount)(input) }
  return {
    blocks: member(input, 'blocks', optional(amount, 1n)),
    timestamp: member(input, 'timestamp', maybe(amount)),
  }
}

/** Milliseconds between blocks: always the same, or chosen at random from a range for each block. */
const blockTime: Param<{ least: bigint; most: bigint }> = (input) => {
  const [least, most] = (Array.isArray(input) ? input : [input, input]).map((ms) => amount(ms))
  if (least === undefined || most === undefined || (Array.isArray(input) && input.length !== 2))
    throw new Error(`expected milliseconds, or a range such as [1000, 2000], got ${show(input)}`)
  if (least > most) throw new Error('the range ends before it begins')
  if (most > MAX_TIMER) throw new Error(`at most ${MAX_TIMER} milliseconds`)
  return { least, most }
}

/** The same in seconds, without a range. */
const seconds: Param<{ least: bigint }> = (input) => blockTime(String(amount(input) * 1000n))

/** The methods that make blocks, move the clock and choose what the next block has. */
export function miningMethods(chain: DevChain): Record<string, AnyMethod> {
  const { clock, ledger } = chain

  async function mine(count: bigint, interval = 0n): Promise<void> {
    if (count > MAX_BLOCKS) throw new RpcError(-32602, `at most ${MAX_BLOCKS} blocks at once`)
    await chain.mineMany(Number(count), Number(interval) * 1000)
  }

  function chooseTime(seconds: bigint): void {
    const time = Number(seconds) * 1000
    const newest = Math.floor(ledger.head().header.timestamp / 1000)
    if (Number(seconds) <= newest)
      throw new RpcError(
        -32000,
        `Timestamp ${seconds} is lower than or equal to previous block's timestamp ${newest}`,
      )
    clock.setNext(time)
  }

  const evm_mine = defineMethod({
    params: [mineRequest],
    summary: 'makes a block, at a time in seconds when given, or several',
    async handler(_, [{ blocks, timestamp }]) {
      if (timestamp !== undefined) chooseTime(timestamp)
      await mine(blocks)
      return '0x0'
    },
  })

  const mineDetailed = defineMethod({
    params: [mineRequest],
    summary: 'as evm_mine, and answers the blocks',
    async handler(context, [{ blocks, timestamp }]) {
      if (timestamp !== undefined) chooseTime(timestamp)
      const first = ledger.head().header.number + 1
      await mine(blocks)
      const numbers = Array.from({ length: Number(blocks) }, (_, index) => first + index)
      return Promise.all(
        numbers.map(async (number) => {
          const block: unknown = await eth_getBlockByNumber.handler(context, [number, true])
          return isWire(block) ? fromWire(block) : block
        }),
      )
    },
  })

  const mineMany = defineMethod({
    params: [optional(amount, 1n), optional(amount, 0n)],
    summary: 'makes blocks; the second parameter is seconds between them',
    async handler(_, [count, interval]) {
      await mine(count, interval)
      return true
    },
  })

  const increaseTime = defineMethod({
    params: [amount],
    summary:
      'moves the clock forward by seconds; answers by how many it is ahead of the real time in all',
    handler: (_, [seconds]) => Math.floor(clock.increase(Number(seconds) * 1000) / 1000),
  })

  const setNextTime = defineMethod({
    params: [amount],
    summary: 'time of the next block, seconds',
    handler(_, [seconds]) {
      chooseTime(seconds)
      return null
    },
  })

  const setTime = defineMethod({
    params: [amount],
    summary: 'moves the clock to a time, seconds; answers by how many it moved forward',
    handler: (_, [seconds]) => Math.max(0, Math.floor(clock.set(Number(seconds) * 1000) / 1000)),
  })

  const setTimestampInterval = defineMethod({
    params: [amount],
    summary: 'makes every block so many seconds later than its parent',
    handler(_, [seconds]) {
      clock.setInterval(Number(seconds) * 1000)
      return null
    },
  })

  const removeTimestampInterval = defineMethod({
    params: [],
    summary: 'lets block times follow the clock again; false when they did',
    handler: () => clock.setInterval(undefined),
  })

  const setAutomine = defineMethod({
    params: [boolean],
    summary: 'whether a block is made at once when a transaction comes',
    async handler(_, [on]) {
      chain.automine = on
      if (on && ledger.pool().length > 0) await chain.mine()
      return true
    },
  })

  const getAutomine = defineMethod({
    params: [],
    summary: 'whether a block is made at once when a transaction comes',
    handler: () => chain.automine,
  })

  const setIntervalMining = defineMethod({
    params: [blockTime],
    summary:
      'milliseconds between blocks when no transaction comes, or a range such as [1000, 2000]; 0 for none',
    handler(_, [{ least, most }]) {
      chain.setBlockTime(Number(least), Number(most))
      return true
    },
  })

  const anvil_setIntervalMining = defineMethod({
    params: [seconds],
    summary: 'seconds between blocks when no transaction comes; 0 for none',
    handler(_, [{ least }]) {
      chain.setBlockTime(Number(least))
      return null
    },
  })

  const anvil_getIntervalMining = defineMethod({
    params: [],
    summary: 'seconds between blocks when no transaction comes; null for none',
    handler: () => chain.blockTime() / 1000 || null,
  })

  const setNextBaseFee = defineMethod({
    params: [amount],
    summary: 'what a unit of gas costs in the next block, and only there',
    handler(_, [baseFee]) {
      ledger.chooseNext({ baseFee })
      return true
    },
  })

  const setPrevRandao = defineMethod({
    params: [word],
    summary: 'randomness that contracts see in the next block',
    handler(_, [prevRandao]) {
      ledger.chooseNext({ prevRandao })
      return true
    },
  })

  const setCoinbase = defineMethod({
    params: [address],
    summary: 'producer that contracts see from now on',
    handler(_, [who]) {
      ledger.setCoinbase(toNativeAddress(who))
      return true
    },
  })

  const setBlockGasLimit = defineMethod({
    params: [amount],
    summary: 'the most gas that one transaction may ask for',
    handler(_, [limit]) {
      ledger.setGasLimit(limit)
      return true
    },
  })

  return {
    evm_mine,
    ...named(['evm', 'anvil'], 'mine_detailed', mineDetailed),
    ...twins({}, 'mine', mineMany),
    ...named(['evm', 'anvil'], 'increaseTime', increaseTime),
    ...named(['evm', 'anvil'], 'setNextBlockTimestamp', setNextTime),
    ...named(['evm', 'anvil'], 'setTime', setTime),
    ...named(['evm', 'anvil'], 'setBlockTimestampInterval', setTimestampInterval),
    ...named(['evm', 'anvil'], 'removeBlockTimestampInterval', removeTimestampInterval),
    ...twins({ hardhat: ['evm'] }, 'setAutomine', setAutomine),
    ...named(['anvil', 'hardhat'], 'getAutomine', getAutomine),
    evm_setIntervalMining: setIntervalMining,
    anvil_setIntervalMining,
    anvil_getIntervalMining,
    ...twins({}, 'setNextBlockBaseFeePerGas', setNextBaseFee),
    ...named(['anvil', 'hardhat'], 'setPrevRandao', setPrevRandao),
    ...twins({}, 'setCoinbase', setCoinbase),
    ...named(['evm', 'anvil'], 'setBlockGasLimit', setBlockGasLimit),
  }
}
