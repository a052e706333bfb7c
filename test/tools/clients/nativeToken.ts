import type { TronWeb } from 'tronweb'
import { expect } from 'vitest'

import { artifacts } from '../../support/recordedChain.ts'

/** Deploys the token with the native library and returns its contract object. `owner` has 1,000,000 tokens. */
export async function deployToken(native: TronWeb, owner: string) {
  const { abi, bytecode } = artifacts.Token
  const built = await native.transactionBuilder.createSmartContract(
    {
      abi: abi as never,
      bytecode: bytecode.replace('0x', ''),
      parameters: [1_000_000],
      feeLimit: 1_000_000_000,
      name: 'Token',
      originEnergyLimit: 10_000_000,
      userFeePercentage: 100,
    },
    owner,
  )
  const sent = await native.trx.sendRawTransaction(await native.trx.sign(built))
  expect(sent).toMatchObject({ result: true })
  return native.contract().at(built.contract_address)
}
