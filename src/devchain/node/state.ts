import type { Address } from 'viem'

import { toNativeAddress } from '../../lib/address.ts'
import { RpcError } from '../../lib/errors.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { nonce } from '../../rpc/params/callParam.ts'
import { word } from '../../rpc/params/overrides.ts'
import { address, boolean, bytes, optional, type Param, show } from '../../rpc/params/params.ts'
import { type AccountChange, type DevChain, nonceOf, type Unlocked } from '../index.ts'
import { answeringNull, named, aliases, returningNull, returningTrue } from './named.ts'
import { coins } from './requests.ts'

/** A signature (r ‖ s ‖ v as hex without `0x`) and its account. As on anvil, one parameter has both in a list. */
const signaturePair: Param<{ signature: string; who: Address }> = (input) => {
  if (!Array.isArray(input) || input.length !== 2)
    throw new Error(`expected a list of a signature and an address, got ${show(input)}`)
  const [given, who] = input as [unknown, unknown]
  const signature = bytes(given).slice(2).toLowerCase()
  if (signature.length !== 130) throw new Error(`expected 65 bytes of hex, got ${show(given)}`)
  return { signature, who: address(who) }
}

/** Methods that change accounts and impersonate them, under the names of anvil and Hardhat. */
export function stateMethods(chain: DevChain, unlocked: Unlocked): Record<string, AnyMethod> {
  async function change(who: `0x${string}`, change: AccountChange): Promise<void> {
    await chain.changeAccount(toNativeAddress(who), change)
  }

  /** The most that an account can have: an int64 of sun as on a node, or a word of contracts. */
  const most = 2n ** (chain.decimals === 18 ? 256n : 63n) - 1n

  async function changeBalance(who: `0x${string}`, balance: bigint): Promise<void> {
    if (balance > most)
      throw new RpcError(-32602, `the balance would be ${balance}: an account has at most ${most}`)
    await change(who, { balance })
  }

  const setBalance = returningTrue(
    'sets the balance of an account',
    [address, coins],
    changeBalance,
  )

  const setCode = returningTrue(
    'sets the code of an address; empty code removes it',
    [address, bytes],
    (who, code) => change(who, { code: code.slice(2) }),
  )

  const setNonce = returningTrue('sets the nonce of an account', [address, nonce], (who, nonce) =>
    change(who, { nonce }),
  )

  const hardhat_setNonce = defineMethod({
    params: [address, nonce],
    summary: 'raises the nonce of an account',
    async handler(context, [who, nonce], call) {
      const existing = nonceOf(chain.ledger.newestState(), toNativeAddress(who))
      if (nonce < existing)
        throw new RpcError(
          -32000,
          `New nonce (${nonce}) must not be smaller than the existing nonce (${existing})`,
        )
      return setNonce.handler(context, [who, nonce], call)
    },
  })

  const setStorageAt = returningTrue(
    'writes a storage slot of a contract',
    [address, word, word],
    (who, slot, value) => change(who, { slots: [[slot, value]] }),
  )

  const addBalance = returningNull(
    'adds to the balance of an account',
    [address, coins],
    (who, more) => {
      const account = chain.ledger.newestState().get('account', toNativeAddress(who))
      return changeBalance(who, (account?.balance ?? 0n) + more)
    },
  )

  const impersonateAccount = returningTrue(
    'allows eth_sendTransaction from an account without its key',
    [address],
    (who) => unlocked.impersonate(toNativeAddress(who)),
  )

  const stopImpersonatingAccount = defineMethod({
    params: [address],
    summary: 'stops impersonating an account; returns false when it was not impersonated',
    handler: (_, [who]) => unlocked.stop(toNativeAddress(who)),
  })

  const autoImpersonateAccount = returningNull(
    'allows eth_sendTransaction from every account',
    [optional(boolean, true)],
    unlocked.impersonateAll,
  )

  const anvil_impersonateSignature = returningNull(
    'lets ecrecover in contracts return an account for a signature; takes the list [signature, account]',
    [signaturePair],
    ({ signature, who }) => chain.ledger.setSigner(signature, toNativeAddress(who)),
  )

  const anvil = ['anvil', 'tenderly']
  return {
    ...aliases({ anvil }, 'setBalance', setBalance),
    ...named(['anvil', 'hardhat', 'tenderly'], 'addBalance', addBalance),
    ...aliases({ anvil }, 'setCode', setCode),
    anvil_impersonateSignature,
    anvil_setNonce: answeringNull(setNonce),
    hardhat_setNonce,
    evm_setAccountNonce: answeringNull(setNonce),
    ...named(['anvil', 'hardhat', 'tenderly'], 'setStorageAt', setStorageAt),
    ...aliases({}, 'impersonateAccount', impersonateAccount),
    ...aliases({}, 'stopImpersonatingAccount', stopImpersonatingAccount),
    ...named(['anvil', 'hardhat'], 'autoImpersonateAccount', autoImpersonateAccount),
  }
}
