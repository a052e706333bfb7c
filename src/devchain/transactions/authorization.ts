import type { Address, Hex, SignedAuthorizationList } from 'viem'
import { concatHex, keccak256, numberToHex, toRlp } from 'viem/utils'

import { EthereumError } from '../state/errors.ts'
import { newAccount } from '../state/model.ts'
import { countNonce, nonceOf } from '../state/nonce.ts'
import type { State } from '../state/state.ts'
import { delegationTo, isDelegation } from '../vm/delegation.ts'
import { recoverSender } from '../vm/recover.ts'
import type { EthereumRules } from './rules.ts'

/** An authorization (EIP-7702): an account without code of its own gets the code of a contract. */
export type Authorization = {
  /** The account that signed it, 42 hex characters; absent if the signature is invalid. */
  authority?: string
  /** The contract, or the zero address to remove the code. */
  address: Address
  /** Zero for every chain. */
  chainId: bigint
  nonce: bigint
}

/** Half of the order of the curve: a signature with a larger s is invalid. */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** The first byte of the bytes that are signed. */
const MAGIC = '0x05'

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** Recovers the accounts of signed authorizations. */
export function readAuthorizations(list: SignedAuthorizationList): Authorization[] {
  return list.map((signed) => {
    const { chainId, nonce } = signed
    const address = signed.address.toLowerCase() as Address
    const authority = authorityOf(signed)
    return {
      ...(authority !== undefined && { authority }),
      address,
      chainId: BigInt(chainId),
      nonce: BigInt(nonce),
    }
  })
}

function authorityOf(signed: SignedAuthorizationList[number]): string | undefined {
  const { address, chainId, nonce, r, s, yParity } = signed
  if (BigInt(s) > MAX_S) return undefined
  try {
    const hash = keccak256(concatHex([MAGIC, toRlp([rlp(chainId), address, rlp(nonce)])]))
    return `41${recoverSender(hash, { parity: yParity ?? 0, r, s }).slice(2)}`
  } catch {
    return undefined
  }
}

/** The authorizations of a message that were applied. */
export type AppliedAuthorizations = {
  /** All of the message, also invalid ones. */
  all: readonly Authorization[]
  /** The accounts whose authorizations are valid, 42 hex characters. */
  accounts: readonly string[]
  /** Number of valid authorizations of accounts that existed before. */
  existing: number
}

/**
 * Applies authorizations, in their order. As on Ethereum, one that is invalid, for another chain, or with another nonce than
 * its account has, changes nothing.
 *
 * @param options.now - Creation time of new accounts, milliseconds.
 */
export function applyAuthorizations(
  state: State,
  authorizations: readonly Authorization[],
  { chainId, now }: { chainId: number; now: number },
): AppliedAuthorizations {
  const accounts: string[] = []
  let existing = 0
  for (const { address, authority, chainId: signedFor, nonce } of authorizations) {
    if (authority === undefined || (signedFor !== 0n && signedFor !== BigInt(chainId))) continue
    const code = state.get('code', authority)
    const hasOwnCode = code !== undefined && code.length > 0 && !isDelegation(code)
    if (hasOwnCode || nonceOf(state, authority) !== nonce) continue
    if (state.get('account', authority)) existing++
    else state.set('account', authority, newAccount(authority, 'Normal', now))
    accounts.push(authority)
    const delegation = address === ZERO_ADDRESS ? undefined : delegationTo(`41${address.slice(2)}`)
    state.set('code', authority, delegation)
    countNonce(state, authority)
  }
  return { all: authorizations, accounts, existing }
}

/** @throws EthereumError with the rules of the real chain, which has no authorizations. */
export function assertAuthorizing({ addresses }: Pick<EthereumRules, 'addresses'>): void {
  if (addresses === 'native')
    throw new EthereumError(
      'transaction type not supported: authorizations (EIP-7702) do not exist on the real chain',
    )
}

/** An authorization as JSON-RPC shows it. */
export function printAuthorization(signed: SignedAuthorizationList[number]) {
  const { address, chainId, nonce, r, s, yParity } = signed
  return {
    chainId: hex(chainId),
    address: address.toLowerCase(),
    nonce: hex(nonce),
    yParity: hex(yParity ?? 0),
    r: hex(BigInt(r)),
    s: hex(BigInt(s)),
  }
}

const rlp = (input: number): Hex => (input === 0 ? '0x' : numberToHex(input))

const hex = (input: bigint | number): Hex => `0x${input.toString(16)}`
