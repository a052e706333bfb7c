import pLimit from 'p-limit'
import type { Hash } from 'viem'

import { RpcError } from '../errors.ts'
import type { NativeClient } from '../native/client.ts'
import type { TransactionInfo } from '../native/types.ts'

/**
 * What contracts did inside transactions, as the node has recorded it. A node without `vm.saveInternalTx` leaves the
 * records out, and then a call that made none looks like one whose calls were not saved. So an answer without any is
 * believed only where the node has shown that it saves them: in the same block, in an earlier answer, or in a block near.
 */
export type InternalTransactions = {
  /** The record of a transaction; undefined when it is in no block. @throws RpcError when inner calls are not known */
  ofTransaction(hash: Hash, signal?: AbortSignal): Promise<TransactionInfo | undefined>
  /** The records of a block. @throws RpcError when inner calls are not known */
  ofBlock(number: number, signal?: AbortSignal): Promise<TransactionInfo[]>
}

/** How far around a block the node's habit is looked for: five minutes of blocks each way. */
const REACH = 100

/** Blocks asked for at once. */
const CONCURRENCY = 8

const HINT = 'set vm.saveInternalTx = true in its configuration'

/** Reads them from a node. `newest`: the height up to which there are blocks. */
export function createInternalTransactions({
  native,
  newest,
}: createInternalTransactions.Options): InternalTransactions {
  const limit = pLimit(CONCURRENCY)
  let isSaving = false
  /** Blocks that showed nothing. */
  const silent = new Set<number>()

  async function infosOf(num: number, signal: AbortSignal | undefined): Promise<TransactionInfo[]> {
    const infos = await native.wallet.getTransactionInfoByBlockNum({ num }, { signal })
    isSaving ||= infos.some(hasInternal)
    return infos
  }

  /** Looks in the blocks around, the nearest first, until one shows that the node saves what contracts do. */
  async function lookAround(number: number, signal: AbortSignal | undefined): Promise<void> {
    const heights = Array.from({ length: REACH }, (_, index) => [
      number - index - 1,
      number + index + 1,
    ])
      .flat()
      .filter((height) => height > 0 && height <= newest() && !silent.has(height))
    await Promise.all(
      heights.map((height) =>
        limit(async () => {
          if (isSaving) return
          const infos = await infosOf(height, signal)
          if (!infos.some(hasInternal)) silent.add(height)
        }),
      ),
    )
  }

  async function check(infos: readonly TransactionInfo[], signal: AbortSignal | undefined) {
    isSaving ||= infos.some(hasInternal)
    for (const info of infos) {
      if (hasInternal(info) || info.contract_address === undefined) continue
      if (hasForeignLog(info))
        throw new RpcError(
          -32000,
          `the upstream node does not record internal transactions: ${HINT}`,
        )
      // oxlint-disable-next-line no-await-in-loop -- the first answer serves all
      if (!isSaving) await lookAround(info.blockNumber ?? 0, signal)
      if (!isSaving)
        throw new RpcError(
          -32000,
          `the upstream node shows no internal transaction in this block and in ${REACH} blocks around it, so it is unknown whether it records them: ${HINT}`,
        )
    }
  }

  return {
    async ofTransaction(hash, signal) {
      const value = hash.slice(2)
      const info = await native.wallet.getTransactionInfoById({ value }, { signal })
      if (info) await check([info], signal)
      return info
    },
    async ofBlock(number, signal) {
      const infos = await infosOf(number, signal)
      await check(infos, signal)
      return infos
    },
  }
}

export declare namespace createInternalTransactions {
  type Options = { native: NativeClient; newest: () => number }
}

const hasInternal = ({ internal_transactions }: TransactionInfo) =>
  (internal_transactions ?? []).length > 0

/** A log of another contract than the one that was called: there was a call inside. */
function hasForeignLog({ contract_address = '', log = [] }: TransactionInfo): boolean {
  return log.some(({ address = '' }) => address !== contract_address.slice(2))
}
