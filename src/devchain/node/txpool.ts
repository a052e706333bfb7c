import { numberToHex } from 'viem/utils'

import type { RpcTransaction } from '../../codec/types.ts'
import type { Unit } from '../../codec/unit.ts'
import type { Context } from '../../rpc/context.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { txpool_content as content } from '../../rpc/methods/txpool_content.ts'
import { txpool_contentFrom as contentFrom } from '../../rpc/methods/txpool_contentFrom.ts'
import { txpool_inspect as inspection } from '../../rpc/methods/txpool_inspect.ts'
import { txpool_status as status } from '../../rpc/methods/txpool_status.ts'
import { byNonce, inspected, waitingTransactions } from '../../rpc/methods/waiting.ts'
import { address } from '../../rpc/params/params.ts'
import { ownUnit, withUnit } from '../../rpc/params/withUnit.ts'
import type { ClientCall } from '../../rpc/request.ts'
import type { DevChain } from '../index.ts'

/** The pool: transactions of the next block are pending, those after a nonce gap are queued. */
export function poolMethods({ ledger }: DevChain): Record<string, AnyMethod> {
  const isReady = ({ hash }: Pick<RpcTransaction, 'hash'>) => ledger.isReady(hash.slice(2))

  async function lists(context: Context, unit: Unit, call: ClientCall) {
    const ids = ledger.pool().map(({ transaction }) => transaction.id)
    const all = await waitingTransactions(context, unit, call, ids)
    return {
      pending: byNonce(all.filter(isReady)),
      queued: byNonce(all.filter((transaction) => !isReady(transaction))),
    }
  }

  const txpool_content = defineMethod({
    ...content,
    params: [ownUnit],
    summary: 'pending transactions by sender and nonce; queued are those after a nonce gap',
    handler: (context, [unit], call) => lists(context, unit, call),
  })

  const txpool_contentFrom = defineMethod({
    ...contentFrom,
    params: [withUnit(address)],
    summary: 'pending transactions of an account, by nonce',
    async handler(context, [{ unit, value: from }], call) {
      const { pending, queued } = await lists(context, unit, call)
      return { pending: pending[from] ?? {}, queued: queued[from] ?? {} }
    },
  })

  const txpool_inspect = defineMethod({
    ...inspection,
    params: [ownUnit],
    summary: 'one line for each pending transaction, by sender and nonce',
    async handler(context, [unit], call) {
      const { pending, queued } = await lists(context, unit, call)
      return { pending: inspected(pending), queued: inspected(queued) }
    },
  })

  const txpool_status = defineMethod({
    ...status,
    params: [],
    summary: 'number of pending transactions, and of queued ones after a nonce gap',
    handler() {
      const all = ledger.pool().map(({ transaction: { id } }) => ledger.isReady(id))
      const pending = all.filter(Boolean).length
      return { pending: numberToHex(pending), queued: numberToHex(all.length - pending) }
    },
  })

  return { txpool_content, txpool_contentFrom, txpool_inspect, txpool_status }
}
