import { defineMethod, schemas } from '../method.ts'
import { ownUnit } from '../params/params.ts'
import { eth_accounts } from './eth_accounts.ts'
import { waitingTransactions } from './waiting.ts'

export const eth_pendingTransactions = defineMethod({
  params: [ownUnit],
  result: schemas.listOf({ type: 'object' }),
  summary:
    'the transactions in the mempool of the accounts in `eth_accounts`; all on a development chain',
  fullOnly: true,
  async handler(context, [unit], call) {
    if ((await context.execution.listed()) === 'all')
      return waitingTransactions(context, unit, call)
    const accounts = await eth_accounts.handler(context, [], call)
    if (accounts.length === 0) return []
    const waiting = await waitingTransactions(context, unit, call)
    return waiting.filter(({ from }) => accounts.includes(from))
  },
})
