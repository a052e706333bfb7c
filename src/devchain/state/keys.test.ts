import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'

import { devAccounts } from './keys.ts'

/** Mnemonics of several lengths from the test vectors of BIP-39. */
const WORDS = [
  'test test test test test test test test test test test junk',
  'legal winner thank year wave sausage worth useful legal winner thank yellow',
  'letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic avoid letter always',
  'hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple dilemma loan word shrug inflict delay length',
]

test.each(WORDS)('default: derives the same accounts as viem: %s', (words) => {
  for (const path of ["m/44'/60'/0'/0", "m/44'/60'/1/2'/2147483646'"] as const) {
    const parent = mnemonicToAccount(words, { path }).getHdKey()
    for (const [index, { address, key }] of devAccounts(12, words, path).entries()) {
      const child = parent.deriveChild(index)
      expect(key).toBe(Buffer.from(child.privateKey as Uint8Array).toString('hex'))
      expect(`0x${address.slice(2)}`).toBe(privateKeyToAddress(`0x${key}`).toLowerCase())
    }
  }
})

test('error: an invalid mnemonic', () => {
  expect(() => devAccounts(1, 'test test junk')).toThrow('the mnemonic must have')
})
