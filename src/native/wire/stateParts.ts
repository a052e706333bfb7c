import type { Account, ContractInfo } from './accountTypes.ts'
import type { Part } from './operation.ts'
import type { Hex, Int64, TransactionInfo } from './types.ts'

/** The balance in an answer of `getaccount`, in sun. */
export const balancePart: Part<Int64> = {
  name: 'balance',
  read: () => undefined,
  pick: ({ balance = 0 }: Account) => balance,
}

/** The code that runs when a contract is called, in an answer of `getcontractinfo`; empty without code. */
export const codePart: Part<Hex> = {
  name: 'code',
  read: () => undefined,
  pick: ({ runtimecode = '' }: ContractInfo) => runtimecode,
}

/** The height in an answer of `gettransactioninfobyid`. */
export const heightPart: Part<number> = {
  name: 'height',
  read: () => undefined,
  pick: ({ blockNumber = 0 }: TransactionInfo) => blockNumber,
}
