import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import type { Unit } from '../../codec/unit.ts'
import type { Config } from '../../config/config.ts'
import { RpcError } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import type { CallRequest } from '../../rpc/params/callParam.ts'
import { bytes, index, optional, type Param, PLAIN, show } from '../../rpc/params/params.ts'
import { sendRequest } from '../../rpc/params/sendParam.ts'
import type { DevChain } from '../index.ts'
import { returningNull } from './named.ts'
import { amount, MAX_MINED_BLOCKS } from './requests.ts'
import type { Signer } from './signer.ts'

type Reorg = { depth: number; blocks: number; keep: boolean }

const reorg: Param<Reorg> = (input) => {
  const object = isObject(input) ? input : { depth: input }
  const depth = Number(amount(object['depth'] ?? 1))
  const blocks = Number(amount(object['blocks'] ?? depth + 1))
  if (blocks > MAX_MINED_BLOCKS) throw new Error(`blocks: expected at most ${MAX_MINED_BLOCKS}`)
  const transactions = object['transactions'] ?? 'pool'
  if (depth < 1) throw new Error('depth: expected at least 1')
  if (blocks <= depth) throw new Error('blocks: the new branch must be longer than the old one')
  if (transactions !== 'pool' && transactions !== 'drop')
    throw new Error(`transactions: expected "pool" or "drop", got ${show(transactions)}`)
  return { depth, blocks, keep: transactions === 'pool' }
}

/** A transaction for a block of the new branch: signed bytes or an object. */
type Placed = { transaction: CallRequest | Hex; position: number; unit: Unit }

const placed: Param<readonly Placed[]> = (input, scope = PLAIN) => {
  if (!Array.isArray(input)) throw new Error(`expected a list of pairs, got ${show(input)}`)
  return input.map((pair: unknown) => {
    if (!Array.isArray(pair) || pair.length !== 2)
      throw new Error(
        `expected pairs of a transaction and the index of its block, got ${show(pair)}`,
      )
    const [transaction, position] = pair as [unknown, unknown]
    return {
      transaction:
        typeof transaction === 'string' ? bytes(transaction) : sendRequest(transaction, scope),
      position: index(position),
      unit: scope.unit,
    }
  })
}

/** Methods that remove blocks. */
export function reorgMethods(
  chain: DevChain,
  { checkSender, read, sign }: Signer,
): Record<string, AnyMethod> {
  const { ledger } = chain
  /** Height of the first block, which cannot be removed. */
  const first = chain.fork?.block.header.number ?? 0

  const evm_reorg = defineMethod({
    params: [optional(reorg, { depth: 1, blocks: 2, keep: true })],
    summary: 'replaces the latest blocks with a longer branch',
    async handler(_, [{ depth, blocks, keep }]) {
      const head = ledger.head().header.number
      const most = head - ledger.solid().header.number
      if (depth > most)
        throw new RpcError(
          -32000,
          `only ${most} blocks are above the solidified block; a deeper reorg needs more producers (--producers)`,
        )
      await chain.rewind(head - depth, keep)
      ledger.shiftTurn()
      let block = ledger.head()
      for (let i = 0; i < blocks; i++) block = await chain.mine()
      return { number: numberToHex(block.header.number), hash: `0x${block.id}`, depth }
    },
  })

  const anvil_reorg = defineMethod({
    params: [amount, optional<readonly Placed[]>(placed, [])],
    summary:
      'replaces the latest blocks with as many new ones, with the given [transaction, block index] pairs',
    async handler({ config }, [count, pairs]) {
      const depth = depthOf(count)
      if (depth === 0) return null
      const beyond = pairs.find(({ position }) => position >= depth)
      if (beyond)
        throw new RpcError(
          -32602,
          `block ${beyond.position} is beyond the new branch of ${depth} blocks`,
        )
      // No block is removed for what cannot be sent.
      for (const { transaction, unit } of pairs)
        if (typeof transaction === 'string') await read(transaction, unit)
        else checkSender(transaction)
      await chain.rewind(ledger.head().header.number - depth, false)
      ledger.shiftTurn()
      const refused: unknown[] = []
      for (let position = 0; position < depth; position++) {
        const own = pairs.filter((pair) => pair.position === position)
        refused.push(...(await makeBlock(own, config)))
      }
      if (refused.length > 0) throw refused[0]
      return null
    },
  })

  const signed = ({ transaction, unit }: Placed, config: Config) =>
    typeof transaction === 'string' ? read(transaction, unit) : sign(transaction, config)

  /**
   * Mines one block with these transactions and those of the pool. It leaves out those that are refused, so that the branch gets its
   * length, and returns their errors.
   */
  async function makeBlock(pairs: readonly Placed[], config: Config): Promise<unknown[]> {
    const errors: unknown[] = []
    let last: string | undefined
    for (const pair of pairs)
      try {
        last = await chain.offer(await signed(pair, config))
      } catch (error) {
        errors.push(error)
      }
    // With `pending`, no second block is mined if a transaction of another client has already caused this one.
    await chain.mine(last === undefined ? {} : { pending: last })
    return errors
  }

  const anvil_rollback = returningNull(
    'removes the latest blocks and their transactions',
    [optional(amount, 1n)],
    (depth) => chain.rewind(ledger.head().header.number - depthOf(depth), false),
  )

  /** The number of blocks to remove. @throws RpcError when there are fewer above the first one */
  function depthOf(count: bigint): number {
    const most = ledger.head().header.number - first
    if (count > most)
      throw new RpcError(
        -32602,
        `the depth must not exceed the blocks above the first one: ${most}, got ${count}`,
      )
    return Number(count)
  }

  return { anvil_reorg, anvil_rollback, evm_reorg }
}
