import { MAX_INT64 } from '../../lib/int64.ts'
import { invalid } from '../state/errors.ts'
import { parameter } from '../state/parameters.ts'
import type { ContractType } from './types.ts'
import { addBalance, burn, createReceiver, hex, int, isAddress } from './types.ts'

/** TransferContract: sends coins, and creates the receiver if it does not exist. */
export const TransferContract: ContractType = {
  validate({ state, value, owner }) {
    const to = hex(value, 'to_address')
    const amount = int(value, 'amount')
    if (!isAddress(owner)) invalid('Invalid ownerAddress!')
    if (!isAddress(to)) invalid('Invalid toAddress!')
    if (to === owner) invalid('Cannot transfer TRX to yourself.')
    const account =
      state.get('account', owner) ?? invalid('Validate TransferContract error, no OwnerAccount.')
    if (amount <= 0n) invalid('Amount must be greater than 0.')
    const receiver = state.get('account', to)
    const fee = receiver ? 0n : parameter(state, 'getCreateNewAccountFeeInSystemContract')
    if (receiver?.type === 'Contract') {
      if (parameter(state, 'getForbidTransferToContract') === 1n)
        invalid('Cannot transfer TRX to a smartContract.')
      if (state.get('contract', to)?.version === 1)
        invalid(
          'Cannot transfer TRX to a smartContract which version is one. Instead please use TriggerSmartContract ',
        )
    }
    if (amount + fee > MAX_INT64) invalid('long overflow')
    if (account.balance < amount + fee)
      invalid('Validate TransferContract error, balance is not sufficient.')
    if (receiver && receiver.balance + amount > MAX_INT64) invalid('long overflow')
  },
  execute(execution) {
    const { state, value, owner } = execution
    const to = hex(value, 'to_address')
    const amount = int(value, 'amount')
    const fee = createReceiver(execution, to)
    addBalance(state, owner, -amount)
    burn(state, owner, fee)
    addBalance(state, to, amount)
    return { fee }
  },
}
