import { contractTypes } from '../../src/devchain/contracts/index.ts'
import {
  addBalance,
  burn,
  type ContractType,
  hex,
  int,
  updateAccount,
  withAsset,
} from '../../src/devchain/contracts/types.ts'
import { createLedger, type Ledger } from '../../src/devchain/ledger/ledger.ts'
import { readTransaction } from '../../src/devchain/transactions/transaction.ts'
import { encodeTransaction } from '../../src/native/protobuf/transaction.ts'
import { parseNative } from '../../src/native/wire/json.ts'
import { recordedNative } from './node.ts'
import { heights, recordedBlock } from './recordedBlock.ts'
import { keys } from './recordedChain.ts'

const EXCHANGE_FEE = 1_024_000_000n

/** The one transaction of the recorded chain whose type the dev chain does not execute. */
const ExchangeCreateContract: ContractType = {
  validate: () => undefined,
  execute({ state, value, owner }) {
    for (const side of ['first', 'second']) {
      const id = Buffer.from(hex(value, `${side}_token_id`), 'hex').toString()
      const amount = int(value, `${side}_token_balance`)
      if (id === '_') addBalance(state, owner, -amount)
      else updateAccount(state, owner, (account) => withAsset(account, id, -amount))
    }
    burn(state, owner, EXCHANGE_FEE)
    return { fee: EXCHANGE_FEE, info: { exchange_id: 1 } }
  },
}

/** A chain that has only the genesis block of the recorded chain. */
export function recordedGenesis(): Ledger {
  const { chainParameter } = parseNative(recordedNative('/wallet/getchainparameters', {})) as {
    chainParameter: { key: string; value?: number }[]
  }
  const parameters = Object.fromEntries(
    chainParameter.map(({ key, value }) => [key, BigInt(value ?? 0)]),
  )
  return createLedger(
    {
      accounts: [
        { address: keys.rich.hex, balance: 25_000_000_000_000_000n, name: 'Zion' },
        {
          address: '414948c2e8a756d9437037dcd8c7e0c73d560ca38d',
          balance: 10_000_000_000_000_000n,
          name: 'Sun',
        },
        {
          address: '4150b0c2b3bcad53eb45b57c4e5df8a9890d002cc8',
          balance: -(2n ** 63n),
          name: 'Blackhole',
        },
      ],
      producers: (['sr1', 'sr2', 'sr3', 'sr4', 'sr5'] as const).map((name, index) => ({
        address: keys[name].hex,
        key: keys[name].pk,
        url: `http://${name}.test`,
        votes: BigInt(100 - index),
      })),
      // A vote raised the price of energy.
      parameters: { ...parameters, getEnergyFee: 100n },
      firstMaintenance: 0,
      proposalLifetime: 60_000,
      stakesPayNoEnergy: true,
    },
    { types: { ...contractTypes, ExchangeCreateContract } },
  )
}

/** Makes every block of the recorded chain again from its transactions, producers and times. */
export async function replayRecorded(
  ledger: Ledger,
  onBlock: (number: number) => void = () => undefined,
): Promise<void> {
  for (const number of heights.slice(1)) {
    const { block } = recordedBlock(number)
    const { timestamp = 0, witness_address: producer = '' } = block.block_header.raw_data
    await ledger.mine({
      timestamp,
      producer,
      only: (block.transactions ?? []).map(({ raw_data_hex, signature = [] }) =>
        readTransaction(encodeTransaction({ raw_data_hex, signature })),
      ),
    })
    onBlock(number)
  }
}
