import { toBase58 } from '../../lib/base58.ts'
import type { TransactionInfo } from '../../native/wire/types.ts'
import { printTransaction } from '../transactions/transaction.ts'
import type { Call, Operations } from './operation.ts'
import { illegalArgument } from './request.ts'
import { spell } from './spelling.ts'

/** The block and index of a mined transaction, if this prefix has the block. */
function find(call: Call) {
  const place = call.ledger.placeOf(call.params.hex('value'))
  if (!place || place.block > call.newest.header.number) return undefined
  return { block: call.ledger.block(place.block), index: place.index }
}

function printInfo(info: TransactionInfo, visible: boolean): unknown {
  const spelled = spell(info, visible) as TransactionInfo
  if (!visible || !info.log) return spelled
  // Addresses of logs lack the prefix 41, which base58 needs.
  return {
    ...spelled,
    log: info.log.map((log) => ({ ...log, address: toBase58(`41${log.address}`) })),
  }
}

const pending = (call: Call) => {
  const id = call.params.hex('value')
  return call.ledger.pool().find(({ transaction }) => transaction.id === id)
}

/** The queries of transactions and of the pool. */
export const transactionOperations: Operations = {
  gettransactionbyid: {
    isPlain: true,
    run(call) {
      const spelling = { visible: call.params.visible }
      const found = find(call)
      const mined = found?.block?.transactions[found.index]
      if (mined) return printTransaction(mined.transaction, mined.results, spelling)
      const waiting = call.solid ? undefined : pending(call)
      if (!waiting) return {}
      return printTransaction(waiting.transaction, waiting.applied?.results, spelling)
    },
  },

  gettransactioninfobyid: {
    isPlain: true,
    run(call) {
      const found = find(call)
      const info = found?.block?.infos[found.index]
      return info ? printInfo(info, call.params.visible) : {}
    },
  },

  gettransactioninfobyblocknum: {
    isPlain: true,
    run(call) {
      const number = Number(call.params.int('num'))
      if (number <= 0) return {}
      if (number > call.newest.header.number) return []
      return (call.ledger.block(number)?.infos ?? []).map((info) =>
        printInfo(info, call.params.visible),
      )
    },
  },

  gettransactionlistfrompending: {
    prefix: 'wallet',
    run({ ledger }) {
      // As in the pool of a node, each could be in the next block. Clients learn of the others when their gap is filled.
      const txId = ledger.withoutGap().map(({ id }) => id)
      return txId.length > 0 ? { txId } : {}
    },
  },

  gettransactionfrompending: {
    prefix: 'wallet',
    run(call) {
      if (call.params.hex('value').length !== 64) throw illegalArgument('null')
      const waiting = pending(call)
      if (!waiting) return {}
      return printTransaction(waiting.transaction, waiting.applied?.results, {
        visible: call.params.visible,
      })
    },
  },

  getpendingsize: {
    prefix: 'wallet',
    ignoresBody: true,
    run: ({ ledger }) => ({ pendingSize: ledger.pool().length }),
  },
}
