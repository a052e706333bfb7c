import { invalid } from '../state/errors.ts'
import type { ContractRecord } from '../state/model.ts'
import { type ContractType, type Execution, hex, int, ownerAccount } from './types.ts'

const missing = (address: string) => `Account[${address}] does not exist`

function ownContract(
  { state, value, owner }: Execution,
  text = 'Contract does not exist',
): ContractRecord {
  const contract = state.get('contract', hex(value, 'contract_address')) ?? invalid(text)
  if (contract.origin !== owner) invalid(`Account[${owner}] is not the owner of the contract`)
  return contract
}

function change(execution: Execution, fields: Partial<ContractRecord>): void {
  const contract = ownContract(execution)
  execution.state.set('contract', contract.address, { ...contract, ...fields })
}

/** UpdateSettingContract: sets the percentage of the energy that callers pay. */
export const UpdateSettingContract: ContractType = {
  validate(execution) {
    ownerAccount(execution, undefined, missing)
    const percent = int(execution.value, 'consume_user_resource_percent')
    if (percent > 100n || percent < 0n) invalid('percent not in [0, 100]')
    ownContract(execution)
  },
  execute(execution) {
    change(execution, { userPercent: int(execution.value, 'consume_user_resource_percent') })
  },
}

/** UpdateEnergyLimitContract: sets the most energy that the creator pays for one call. */
export const UpdateEnergyLimitContract: ContractType = {
  validate(execution) {
    if (execution.state.get('property', 'stakesPayNoEnergy'))
      invalid('contract type error, unexpected type [UpdateEnergyLimitContract]')
    ownerAccount(execution, undefined, missing)
    if (int(execution.value, 'origin_energy_limit') <= 0n)
      invalid('origin energy limit must be > 0')
    ownContract(execution)
  },
  execute(execution) {
    change(execution, { originEnergyLimit: int(execution.value, 'origin_energy_limit') })
  },
}

/** ClearABIContract: deletes the ABI of a contract. */
export const ClearABIContract: ContractType = {
  validate(execution) {
    ownerAccount(execution)
    ownContract(execution, 'Contract not exists')
  },
  execute(execution) {
    change(execution, { abi: [] })
  },
}
