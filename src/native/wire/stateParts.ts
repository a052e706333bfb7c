import type { ContractInfo } from './accountTypes.ts'
import type { Part } from './operation.ts'
import type { Hex, TransactionInfo } from './types.ts'

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
