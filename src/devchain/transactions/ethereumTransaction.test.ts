import { Transaction, type TransactionLike, Wallet } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { readEthereum } from './ethereumTransaction.ts'

const CHAIN_ID = 31_337
const wallet = new Wallet(`0x${'11'.repeat(32)}`)

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
const amount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 96n }))
const words = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hex)
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hex)
const accessList = fc.array(
  fc.record({ address, storageKeys: fc.array(words, { maxLength: 3 }) }),
  { maxLength: 3 },
)
const common = {
  data: fc.uint8Array({ maxLength: 80 }).map(hex),
  gasLimit: fc.bigInt({ min: 0n, max: 30_000_000n }),
  nonce: fc.nat(),
  to: fc.option(address),
  value: amount,
}
const chainId = fc.constant(CHAIN_ID)
const fees = fc.tuple(amount, amount).map(([a, b]) => ({ tip: a < b ? a : b, fee: a < b ? b : a }))

const transaction: fc.Arbitrary<TransactionLike> = fc.oneof(
  fc.record({ ...common, gasPrice: amount, type: fc.constant(0) }),
  fc.record({ ...common, chainId, gasPrice: amount, type: fc.constant(0) }),
  fc.record({ ...common, accessList, chainId, gasPrice: amount, type: fc.constant(1) }),
  fc
    .tuple(fc.record({ ...common, accessList, chainId, type: fc.constant(2) }), fees)
    .map(([of, { fee, tip }]) => ({ ...of, maxFeePerGas: fee, maxPriorityFeePerGas: tip })),
)

test('property: what ethers signs is read with its sender, nonce and value', async () => {
  await fc.assert(
    fc.asyncProperty(transaction, async (fields) => {
      const signed = Transaction.from(fields)
      signed.signature = wallet.signingKey.sign(signed.unsignedHash)
      const { ethereum, id } = await readEthereum(signed.serialized as `0x${string}`, CHAIN_ID)
      expect(`0x${id}`).toBe(signed.hash)
      expect(ethereum).toMatchObject({
        from: `41${wallet.address.slice(2).toLowerCase()}`,
        nonce: BigInt(signed.nonce),
        value: signed.value,
      })
    }),
    { numRuns: 300 },
  )
})
