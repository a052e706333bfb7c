import type { Hash, Hex } from 'viem'

import { readFaults } from '../devchain/index.ts'
import type { ChainBlock, DevChain } from '../devchain/index.ts'
import { RpcError } from '../errors.ts'
import { type AnyMethod, defineMethod } from '../jsonrpc/method.ts'
import { boolean, isObject, maybe, optional, type Param, show } from '../jsonrpc/params.ts'
import { amount } from './requests.ts'

const MAX_BLOCKS = 10_000n
const MAX_TIMER = 2n ** 31n - 1n

type Reorg = { depth: number; blocks: number; keep: boolean }

const reorg: Param<Reorg> = (input) => {
  const object = isObject(input) ? input : { depth: input }
  const depth = Number(amount(object['depth'] ?? 1))
  const blocks = Number(amount(object['blocks'] ?? depth + 1))
  const transactions = object['transactions'] ?? 'pool'
  if (depth < 1) throw new Error('depth: expected at least 1')
  if (blocks <= depth) throw new Error('blocks: the new branch must be longer than the old one')
  if (transactions !== 'pool' && transactions !== 'drop')
    throw new Error(`transactions: expected "pool" or "drop", got ${show(transactions)}`)
  return { depth, blocks, keep: transactions === 'pool' }
}

/**
 * The methods that steer the chain: blocks, time, snapshots, reorganisations, balances and code, faults. A gateway that
 * follows the chain has seen the change before they answer.
 */
export function controlMethods(chain: DevChain): Record<string, AnyMethod> {
  const hashOf = (block: ChainBlock): Hash => `0x${block.id}`
  const hex = (number: bigint | number): Hex => `0x${number.toString(16)}`

  const evm_mine = defineMethod({
    params: [maybe(amount)],
    summary: 'makes a block; at a time in seconds when given',
    async handler(_, [seconds]) {
      if (seconds !== undefined) chain.clock.setNext(Number(seconds) * 1000)
      await chain.mine()
      return '0x0'
    },
  })

  const mineMany = defineMethod({
    params: [optional(amount, 1n), optional(amount, 0n)],
    summary: 'makes blocks; the second parameter is seconds between them',
    async handler(_, [count, interval]) {
      if (count > MAX_BLOCKS) throw new RpcError(-32602, `at most ${MAX_BLOCKS} blocks at once`)
      await chain.mineMany(Number(count), Number(interval) * 1000)
      return null
    },
  })

  const evm_increaseTime = defineMethod({
    params: [amount],
    summary: 'moves the clock forward by seconds; the next block has the new time',
    handler: (_, [seconds]) => hex(Math.floor(chain.clock.increase(Number(seconds) * 1000) / 1000)),
  })

  const setNextTime = defineMethod({
    params: [amount],
    summary: 'time of the next block, seconds',
    handler(_, [seconds]) {
      const ms = Number(seconds) * 1000
      if (ms <= chain.ledger.head().header.timestamp)
        throw new RpcError(-32000, 'the next block must be later than the newest one')
      chain.clock.setNext(ms)
      return null
    },
  })

  const evm_setAutomine = defineMethod({
    params: [boolean],
    summary: 'whether a block is made at once when a transaction comes',
    handler(_, [on]) {
      chain.automine = on
      return true
    },
  })

  const evm_setIntervalMining = defineMethod({
    params: [amount],
    summary: 'milliseconds between blocks when no transaction comes; 0 for none',
    handler(_, [ms]) {
      // A timer that is set for longer fires at once.
      if (ms > MAX_TIMER) throw new RpcError(-32602, `at most ${MAX_TIMER} milliseconds`)
      chain.setBlockTime(Number(ms))
      return true
    },
  })

  const evm_snapshot = defineMethod({
    params: [],
    summary: 'remembers the chain as it is; the answer is for evm_revert',
    handler: () => hex(chain.snapshot()),
  })

  const evm_revert = defineMethod({
    params: [amount],
    summary: 'goes back to a snapshot, which is used up with all that were made after it',
    handler: (_, [id]) => chain.revert(Number(id)),
  })

  const evm_reorg = defineMethod({
    params: [optional(reorg, { depth: 1, blocks: 2, keep: true })],
    summary: 'replaces the newest blocks by a longer branch, as a real chain does now and then',
    async handler(_, [{ depth, blocks, keep }]) {
      const { ledger } = chain
      const head = ledger.head().header.number
      const most = head - ledger.solid().header.number
      if (depth > most)
        throw new RpcError(
          -32000,
          `only ${most} blocks are above the solidified one: a deeper reorganisation needs more producers`,
        )
      await chain.rewind(head - depth, keep)
      ledger.shiftTurn()
      let block = ledger.head()
      for (let i = 0; i < blocks; i++) block = await chain.mine()
      return { number: hex(block.header.number), hash: hashOf(block), depth }
    },
  })

  const dev_setFaults = defineMethod({
    params: [
      (input) => {
        try {
          return readFaults(input)
        } catch (error) {
          throw new Error((error as Error).message, { cause: error })
        }
      },
    ],
    summary:
      'makes the native interface slow, wrong or absent, to drill what stands in front of it',
    handler(_, [faults]) {
      chain.setFaults(faults)
      return faults
    },
  })

  return {
    evm_mine,
    anvil_mine: mineMany,
    hardhat_mine: mineMany,
    evm_increaseTime,
    evm_setNextBlockTimestamp: setNextTime,
    evm_setAutomine,
    anvil_setAutomine: evm_setAutomine,
    evm_setIntervalMining,
    evm_snapshot,
    anvil_snapshot: evm_snapshot,
    evm_revert,
    anvil_revert: evm_revert,
    evm_reorg,
    dev_setFaults,
  }
}
