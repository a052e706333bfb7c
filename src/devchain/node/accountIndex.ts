import type { AccountIndex, AccountPlace } from '../../chain/reads/accountIndex.ts'
import { concernedBy, wantedKinds } from '../../codec/accounts.ts'
import { RpcError } from '../../lib/errors.ts'
import { partiesOfValue } from '../../native/wire/parties.ts'
import { type DevChain, runFetching } from '../index.ts'

/** The accounts of the development chain, from a plain scan of its blocks. On a fork those of the blocks after the fork block. */
export function devAccountIndex({ fork, ledger }: DevChain): AccountIndex {
  const first = fork ? fork.block.header.number + 1 : 0
  return {
    from: first,
    async accounts(request) {
      const { account, from, limit, list, order, to } = request
      const places: AccountPlace[] = []
      const end = Math.min(to, ledger.head().header.number)
      const blocks = order === 'newest' ? ledger.stored(end, from, -1) : ledger.stored(from, end)
      for (const { header, infos, transactions } of blocks) {
        const found = transactions.flatMap(({ transaction: { type, value } }, index) => {
          const info = infos[index]
          // Genesis has transactions without outcomes.
          if (!info || header.number === 0) return []
          const kinds = wantedKinds(concernedBy(partiesOfValue(type, value), info), request)
          return kinds === undefined ? [] : [{ block: header.number, index, kinds }]
        })
        places.push(...(order === 'newest' ? found.toReversed() : found))
        if (places.length > limit) break
      }
      if (list === 'created' && fork && places.length === 0) {
        const address = `41${account}`
        if (await runFetching(() => ledger.newestState().get('contract', address)))
          throw new RpcError(-32000, 'the contract is older than the fork')
      }
      return {
        covered: from > to ? [] : [{ from, to }],
        places: places.slice(0, limit + 1),
        reads: 0,
      }
    },
  }
}
