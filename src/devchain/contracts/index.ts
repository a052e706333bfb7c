import { TransferContract } from './transfer.ts'
import type { ContractType } from './types.ts'

/** Every native contract type that the chain executes, by name. */
export const contractTypes: Readonly<Record<string, ContractType>> = {
  TransferContract,
}
