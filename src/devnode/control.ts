import type { Hash, Hex } from 'viem'

import { readFaults } from '../devchain/index.ts'
import type { ChainBlock, DevChain } from '../devchain/index.ts'
import { RpcError } from '../errors.ts'
import { type AnyMethod, defineMethod } from '../jsonrpc/method.ts'
import { address, bytes, hash, isObject, optional, type Param, show } from '../jsonrpc/params.ts'
import { toNativeAddress } from '../lib/address.ts'
import { named } from './named.ts'
import { amount } from './requests.ts'
import type { Unlocked } from './unlocked.ts'

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

/** The methods for snapshots, reorganisations, the pool, the whole state and faults. */
export function controlMethods(chain: DevChain, unlocked: Unlocked): Record<string, AnyMethod> {
  const { ledger } = chain
  const hashOf = (block: ChainBlock): Hash => `0x${block.id}`
  const hex = (number: bigint | number): Hex => `0x${number.toString(16)}`

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

  const rollback = defineMethod({
    params: [optional(amount, 1n)],
    summary: 'undoes the newest blocks and forgets their transactions',
    async handler(_, [depth]) {
      const height = ledger.head().header.number - Number(depth)
      if (height < 0) throw new RpcError(-32602, 'the chain has fewer blocks')
      await chain.rewind(height, false)
      return null
    },
  })

  const dropTransaction = defineMethod({
    params: [hash],
    summary: 'takes a transaction out of the pool; false when it does not wait',
    async handler(_, [transaction]) {
      const id = transaction.slice(2)
      const isWaiting = ledger.pool().some((item) => item.transaction.id === id)
      await ledger.drop((item) => item.id === id)
      return isWaiting
    },
  })

  const dropAllTransactions = defineMethod({
    params: [],
    summary: 'empties the pool',
    async handler() {
      await ledger.drop(() => true)
      return null
    },
  })

  const removePoolTransactions = defineMethod({
    params: [address],
    summary: 'takes the transactions of an account out of the pool',
    async handler(_, [who]) {
      const from = toNativeAddress(who)
      await ledger.drop(({ ethereum }) => ethereum?.from === from)
      return null
    },
  })

  const reset = defineMethod({
    params: [],
    summary: 'goes back to the chain as it was when it was started',
    async handler() {
      await chain.reset()
      unlocked.clear()
      return true
    },
  })

  const dumpState = defineMethod({
    params: [],
    summary: 'accounts, code and storage as bytes, for loadState',
    handler: () => `0x${Buffer.from(chain.dumpState()).toString('hex')}`,
  })

  const loadState = defineMethod({
    params: [bytes],
    summary: 'adds a dumped state to the newest one',
    async handler(_, [dump]) {
      await chain.loadState(Buffer.from(dump.slice(2), 'hex')).catch((error: unknown) => {
        throw new RpcError(-32602, (error as Error).message, { cause: error })
      })
      return true
    },
  })

  return {
    ...named(['evm', 'anvil'], 'snapshot', evm_snapshot),
    ...named(['evm', 'anvil'], 'revert', evm_revert),
    evm_reorg,
    anvil_rollback: rollback,
    ...named(['anvil', 'hardhat'], 'dropTransaction', dropTransaction),
    anvil_dropAllTransactions: dropAllTransactions,
    anvil_removePoolTransactions: removePoolTransactions,
    ...named(['anvil', 'hardhat'], 'reset', reset),
    ...named(['anvil', 'hardhat'], 'dumpState', dumpState),
    ...named(['anvil', 'hardhat'], 'loadState', loadState),
    dev_setFaults,
  }
}
