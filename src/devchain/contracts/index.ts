import * as account from './account.ts'
import * as asset from './asset.ts'
import * as contractSettings from './contractSettings.ts'
import * as delegate from './delegate.ts'
import * as freeze from './freeze.ts'
import * as proposal from './proposal.ts'
import * as transfer from './transfer.ts'
import type { ContractType } from './types.ts'
import * as vote from './vote.ts'

/** Modules that export contract types under their names, beside what they share. */
const modules: object[] = [
  account,
  asset,
  contractSettings,
  delegate,
  freeze,
  proposal,
  transfer,
  vote,
]

/** Every native contract type that the chain executes, by name. */
export const contractTypes: Readonly<Record<string, ContractType>> = Object.fromEntries(
  modules.flatMap((module) => Object.entries(module).filter(([name]) => name.endsWith('Contract'))),
)
