import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

import { describe, expect, test } from 'vitest'

import { parseNative } from '../wire/json.ts'
import type { Transaction } from '../wire/types.ts'
import {
  addressFromKey,
  recoverHash,
  recoverSigners,
  signHash,
  signTransaction,
} from './signature.ts'

const recorded = parseNative(
  gunzipSync(
    readFileSync(new URL('../../../test/fixtures/transactions.json.gz', import.meta.url)),
  ).toString(),
) as Transaction[]

const key = '15b6c40dce4ca2053f2a6b4297e63cdc1a57e0415d5a8baf976b060c8701d2e3'
const account = '41ab9d99702700d5cb9e1309374606fe24a4fdf8ba'

describe('recoverSigners', () => {
  test('default: recorded signatures are those of the owner, or of the keys of the permission', () => {
    const erin = '41ac61abb3953f74de6407050ab49af835448573a2'
    const signed = recorded.filter(({ signature }) => signature)
    expect(signed).toHaveLength(345)
    const keys = [account, '4142194febc0f076d4151747569ae87374b41f4a09']
    for (const transaction of signed) {
      const [contract] = transaction.raw_data.contract ?? []
      const owner = contract?.parameter?.value?.['owner_address']
      const signers = recoverSigners(transaction)
      const expected = contract?.Permission_id === 2 && owner === erin ? keys : [owner]
      expect(signers).toEqual(expected)
    }
  })

  test('behavior: v may be 0 and 1, or 27 and 28', () => {
    const hash = '01b4cde4197b9d1a1ff09ef5d2b1d939d3ec2401b3f002ebd0802c0f30a6e4ca'
    const rs =
      '2154e8ef08f014063de8a88bafe748c8cbb48633c1657c083dca1a73439b289f6aa796bfa58797da6354d35fb7334a8c145c48ae266e4a885f7ee44791b5a3c3'
    const owner = '41dd791d6b49e190062d650e6a23c575510d35f2f9'
    expect(recoverHash(hash, `${rs}1b`)).toBe(owner)
    expect(recoverHash(hash, `${rs}00`)).toBe(owner)
  })

  test('error: a signature of the wrong length, and one off the curve', () => {
    expect(() => recoverHash('00'.repeat(32), 'ab'.repeat(64))).toThrow(TypeError)
    expect(() => recoverHash('00'.repeat(32), 'ff'.repeat(65))).toThrow(TypeError)
  })
})

describe('signTransaction', () => {
  test('default: signs the id, a second key adds its signature', () => {
    const [, , , transaction] = recorded
    const { signature: _, txID: _id, ...unsigned } = transaction as Transaction
    const once = signTransaction(unsigned, key)
    expect(once.txID).toBe(transaction?.txID)
    const twice = signTransaction(once, `0x${'11'.repeat(32)}`)
    expect(recoverSigners(twice)).toEqual([account, addressFromKey('11'.repeat(32))])
    expect(twice.signature[0]).toBe(signHash(once.txID, key))
  })

  test('error: the message does not repeat an invalid key', () => {
    const bad = 'ff'.repeat(32)
    expect(() => addressFromKey(bad)).toThrow(/^not a private key$/)
  })

  test.each([`${'11'.repeat(32)}2`, `${'11'.repeat(32)}zz`, `${'11'.repeat(31)}1`])(
    'error: the key %s is not cut',
    (bad) => expect(() => addressFromKey(bad)).toThrow(/^not a private key$/),
  )

  test('error: a signature or an id with other characters is not cut', () => {
    const hash = '22'.repeat(32)
    const signature = signHash(hash, key)
    expect(() => recoverHash(hash, `${signature}zz`)).toThrow('signature: expected hex bytes')
    expect(() => recoverHash(`${hash}zz`, signature)).toThrow('hash: expected hex bytes')
    expect(() => signHash(`${hash}zz`, key)).toThrow('hash: expected hex bytes')
  })
})
