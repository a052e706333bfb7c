import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Hash } from 'viem'

import type { Call } from '../../lib/call.ts'
import { RpcError } from '../../lib/errors.ts'
import { together } from '../../lib/together.ts'
import type { NativeClient } from '../../native/client.ts'
import type { TransactionInfo } from '../../native/wire/types.ts'

/**
 * The calls inside transactions, as the node recorded them. A node without `vm.saveInternalTx` omits them, so a
 * transaction without inner calls looks like one whose inner calls were not recorded. An answer without inner calls is
 * therefore trusted only if the node has shown that it records them: in the same block, in an earlier answer or in a
 * nearby block.
 */
export type InternalTransactions = ReturnType<typeof createInternalTransactions>

/** Blocks on each side of a block that are searched for inner calls: five minutes of blocks. */
const REACH = 100

/** Blocks that are read at a time. */
const CONCURRENCY = 8

/** Heights that are kept: those around the blocks that clients asked for. About 100 bytes each. */
const MAX_SILENT = 20_000

const HINT = 'set vm.saveInternalTx = true in its configuration'

/** Reads internal transactions from a node. `newest` returns the height of the newest block. */
export function createInternalTransactions({ native, newest }: createInternalTransactions.Options) {
  const limit = pLimit(CONCURRENCY)
  let isSaving = false
  /** Heights of blocks without inner calls. */
  const silent = new LRUCache<number, true>({ max: MAX_SILENT })

  async function infosOf(num: number, call: Call | undefined): Promise<TransactionInfo[]> {
    const infos = await native.wallet.getTransactionInfoByBlockNum({ num }, call)
    isSaving ||= infos.some(hasInternal)
    return infos
  }

  /** Reads the blocks around a height, nearest first, until one shows that the node records inner calls. */
  async function lookAround(number: number, call: Call | undefined): Promise<void> {
    const heights = Array.from({ length: REACH }, (_, index) => [
      number - index - 1,
      number + index + 1,
    ])
      .flat()
      .filter((height) => height > 0 && height <= newest() && !silent.has(height))
    await together(call, (own) =>
      heights.map((height) =>
        limit(async () => {
          if (isSaving) return
          own.signal?.throwIfAborted()
          const infos = await infosOf(height, own)
          if (!infos.some(hasInternal)) silent.set(height, true)
        }),
      ),
    )
  }

  async function check(infos: readonly TransactionInfo[], call: Call | undefined) {
    isSaving ||= infos.some(hasInternal)
    for (const info of infos) {
      if (hasInternal(info) || info.contract_address === undefined) continue
      if (hasForeignLog(info))
        throw new RpcError(
          -32000,
          `the upstream node does not record internal transactions: ${HINT}`,
        )
      if (!isSaving) await lookAround(info.blockNumber ?? 0, call)
      if (!isSaving)
        throw new RpcError(
          -32000,
          `the upstream node shows no internal transaction in this block and in ${REACH} blocks around it, so it is unknown whether it records them: ${HINT}`,
        )
    }
  }

  return {
    /** The info of a transaction; undefined when it is in no block. @throws RpcError when inner calls are unknown */
    async ofTransaction(hash: Hash, call?: Call) {
      const value = hash.slice(2)
      const info = await native.wallet.getTransactionInfoById({ value }, call)
      if (info) await check([info], call)
      return info
    },
    /** The infos of a block. @throws RpcError when inner calls are unknown */
    async ofBlock(number: number, call?: Call) {
      const infos = await infosOf(number, call)
      await check(infos, call)
      return infos
    },
  }
}

export declare namespace createInternalTransactions {
  type Options = { native: NativeClient; newest: () => number }
}

const hasInternal = ({ internal_transactions }: TransactionInfo) =>
  (internal_transactions ?? []).length > 0

/** Whether a log is of another contract than the called one, which proves an inner call. */
function hasForeignLog({ contract_address = '', log = [] }: TransactionInfo): boolean {
  return log.some(({ address = '' }) => address !== contract_address.slice(2))
}
