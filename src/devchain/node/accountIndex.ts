import type { AccountIndex, AccountPlace } from '../../chain/accountIndex.ts'
import { concernedBy } from '../../codec/accounts.ts'
import { RpcError } from '../../lib/errors.ts'
import { partiesOf, TOKEN_VALUE } from '../../native/wire/parties.ts'
import { type DevChain, runFetching } from '../index.ts'

/** The accounts of the development chain, from a plain scan of its blocks. On a fork those of the blocks after the fork block. */
export function devAccountIndex({ fork, ledger }: DevChain): AccountIndex {
  const first = fork ? fork.block.header.number + 1 : 0
  return {
    from: first,
    async accounts({ account, from, kinds, limit, list, order, to }) {
      const places: AccountPlace[] = []
      const [start, end] = [from, Math.min(to, ledger.head().header.number)]
      const blocks = order === 'newest' ? ledger.stored(end, start, -1) : ledger.stored(start, end)
      for (const { header, infos, transactions } of blocks) {
        const found = transactions.flatMap(({ transaction: { type, value } }, index) => {
          const info = infos[index]
          // Genesis has transactions without outcomes.
          if (!info || header.number === 0) return []
          const fields = Object.entries(value).filter((field): field is [string, string] => {
            return typeof field[1] === 'string'
          })
          const parties = partiesOf(type, fields, Boolean(value[TOKEN_VALUE]))
          const { accounts, created } = concernedBy(parties, info)
          const own = accounts.get(account) ?? 0
          const isWanted =
            list === 'created'
              ? created.some(({ contract }) => contract === account)
              : own !== 0 && (kinds === 0 || (own & kinds) !== 0)
          return isWanted ? [{ block: header.number, index, kinds: own }] : []
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
