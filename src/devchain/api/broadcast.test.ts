import { expect, test } from 'vitest'

import { startFileDevGateway } from '../../../test/support/devGateway.ts'
import { encodeTransaction } from '../../native/protobuf/transaction.ts'

const dev = await startFileDevGateway()

test('broadcasthex: the amounts in the answer are exact', async () => {
  const owner_address = `41${dev.accountOf(0).slice(2)}`.toLowerCase()
  const value = { owner_address, to_address: `41${'11'.repeat(20)}`, amount: 9007199254740993n }
  const contract = [{ type: 'TransferContract', parameter: { value } }]
  const transaction = encodeTransaction({ raw_data: { contract } })
  const answer = await dev.native('/wallet/broadcasthex', { transaction })
  expect(answer['transaction']).toContain('"amount":9007199254740993')
})
