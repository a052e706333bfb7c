import type { AccessList, SignedAuthorizationList } from 'viem'

import { intrinsicGas } from '../../codec/intrinsicGas.ts'
import { EthereumError } from '../state/errors.ts'
import { countNonce, nonceOf } from '../state/nonce.ts'
import { createOverlay, type State, type StateReader } from '../state/state.ts'
import {
  type AppliedAuthorizations,
  applyAuthorizations,
  assertAuthorizing,
  type Authorization,
} from '../transactions/authorization.ts'
import type { EthereumRules } from '../transactions/rules.ts'
import type { BlockContext } from '../vm/blockContext.ts'
import { createdWithNonce } from '../vm/createdAddress.ts'
import type { runVm, VmResult } from '../vm/run.ts'
import { assertFunds, gasPriceOf, tippedPrice } from './executeEthereum.ts'
import { runMessage } from './message.ts'
import { changeAccount } from './override.ts'

/** A message without a transaction. Addresses are 42 hex characters, data hex without `0x`. */
export type EthereumCall = {
  from: string
  /** Whether the sender is given the value that the call needs: the request has no sender, or the sender is a contract. */
  isFunded?: boolean
  /** If absent, `data` is creation code. */
  to?: string
  value: bigint
  data: string
  /** Maximum energy of the call. @default the limit of a transaction */
  gas?: bigint
  /** The gas price that contracts see. */
  gasPrice?: bigint
  /** The tip for a unit of gas, without `gasPrice`. */
  tip?: bigint | undefined
  /** The most for a unit of gas. A simulation with validation checks it, and the nonce. */
  maxPrice?: bigint | undefined
  nonce?: bigint
  accessList?: AccessList
  /** The chain for which the sender makes the call. @default the chain of the block */
  chainId?: bigint
  /** Applied before the call. */
  authorizations?: readonly Authorization[]
  /** The same as they were signed. */
  authorizationList?: SignedAuthorizationList
}

/** The environment of a call. */
export type CallContext = {
  block: BlockContext
  rules: EthereumRules
  observe?: runVm.Observe
  /** Whether a revert without data is examined, for its words. */
  explain?: boolean | undefined
  /** Time limit of the call in milliseconds. @default 5,000 */
  timeout?: number
}

/** Time limit of a call in milliseconds of computing. Time in which other calls run does not count. */
const TIMEOUT = 5_000

/** Counts a call that has run as a transaction of its sender. {@link callEthereum} has counted one with authorizations. */
export function countCall(state: State, { authorizations, from }: EthereumCall): void {
  if (!authorizations) countNonce(state, from)
}

/**
 * Runs a call. Its changes are in `state` afterwards.
 *
 * @throws EthereumError when the call is for another chain, or a named caller has less than the value. A call that reverts is a result, not an error.
 */
export async function callEthereum(
  state: State,
  call: EthereumCall,
  { block, explain, observe, rules, timeout = TIMEOUT }: CallContext,
): Promise<VmResult> {
  const { accessList, chainId, data, from, gas = rules.gasLimit, value } = call
  if (chainId !== undefined && chainId !== BigInt(block.chainId))
    throw new EthereumError(
      `chainId does not match node's (have=${chainId}, want=${block.chainId})`,
    )
  if (call.isFunded) fund(state, from, value, block.timestamp)
  else assertFunds(state, from, value)
  let authorized: AppliedAuthorizations | undefined
  if (call.authorizations) {
    assertAuthorizing(rules)
    // As in a transaction, the nonce of the sender counts before that of an authorization, and both stay after a revert.
    countNonce(state, from)
    authorized = applyAuthorizations(state, call.authorizations, {
      chainId: block.chainId,
      now: block.timestamp,
    })
  }
  const to = call.to ?? createdWithNonce(from, nonceOf(state, from))
  const isCreation = call.to === undefined
  return runMessage(
    state,
    { from, to, isCreation, value, data, gas, accessList, authorized },
    {
      price: priceOf(state, call, block),
      now: block.timestamp,
      transactionId: '00'.repeat(32),
      constant: true,
      timeout,
      block,
      addresses: rules.addresses,
      explain,
      ...(observe && { observe }),
    },
  )
}

/**
 * The gas price that contracts see in a call, as in geth: what a transaction with these fees pays, 0 without fees. In the chain's own
 * EVM it is the price of energy.
 */
function priceOf(
  state: StateReader,
  { gasPrice, maxPrice, tip }: EthereumCall,
  block: BlockContext,
): bigint | undefined {
  if (gasPrice !== undefined || !block.hardfork) return gasPrice
  if (maxPrice === undefined && tip === undefined) return 0n
  return tippedPrice(gasPriceOf(state, { block }), tip ?? 0n, maxPrice)
}

/**
 * Raises the balance of an account to an amount, if it is lower. Tools estimate a transaction whose sender they do not know yet without
 * `from`. That works on Ethereum, where the zero address has coins.
 */
function fund(state: State, address: string, amount: bigint, now: number): void {
  const balance = state.get('account', address)?.balance ?? 0n
  if (balance < amount) changeAccount(state, address, { balance: amount }, now)
}

/** Intrinsic gas of an authorization on Ethereum (EIP-7702). */
const PER_AUTHORIZATION = 25_000n

/** Precision of the search for a gas limit, as a fraction of the limit. Geth stops at 1.5 percent. */
const CLOSE = 64n

/**
 * A gas limit that suffices for a call: the energy that it used, or more if inner calls hold a part of their energy back. Then it is at
 * most `1 / CLOSE` above the lowest one that suffices. Never less than Ethereum's intrinsic gas. The sender needs the value, as in geth, but not the price of the gas. A
 * contract needs neither: it never sends a transaction, so its call is part of a transaction that provides the value.
 *
 * @throws EthereumError when the sender has less than the value; EstimateFailure when the call fails with any limit.
 */
export async function estimateEthereum(
  state: StateReader,
  call: EthereumCall,
  context: CallContext,
): Promise<bigint> {
  const most = context.rules.gasLimit
  const limit = call.gas && call.gas < most ? call.gas : most
  const isFunded = call.isFunded || state.get('account', call.from)?.type === 'Contract'
  const attempt = (gas: bigint, explain = false) =>
    callEthereum(createOverlay(state), { ...call, gas, isFunded }, { ...context, explain })
  const first = await attempt(limit, context.explain)
  if (first.failure) throw new EstimateFailure(first, limit)
  // The schedule of a hardfork contains the intrinsic gas.
  const least = context.block.hardfork
    ? 0n
    : intrinsicGas({ data: `0x${call.data}`, to: call.to }) +
      PER_AUTHORIZATION * BigInt(call.authorizations?.length ?? 0)
  let low = first.energyNeeded
  // Most calls behave the same with any sufficient limit. Ethereum's SSTORE fails when little gas is left.
  if (!first.dependsOnLimit && !context.block.hardfork) return low < least ? least : low
  if (low <= least && !(await attempt(least)).failure) return least
  if (!(await attempt(low)).failure) return low
  let high = limit
  // Most calls need little more than they use.
  for (const guess of [low + low / 32n + 2_300n, low * 2n]) {
    if (guess >= high) break
    if ((await attempt(guess)).failure) low = guess
    else {
      high = guess
      break
    }
  }
  while (high - low > high / CLOSE + 1n) {
    const middle = (low + high) / 2n
    if ((await attempt(middle)).failure) low = middle
    else high = middle
  }
  return high
}

/** The call fails with any gas limit. */
export class EstimateFailure extends Error {
  override name = 'EstimateFailure'
  readonly result: VmResult
  /** The highest gas limit, with which the call fails. */
  readonly limit: bigint

  constructor(result: VmResult, limit: bigint) {
    super('the call fails')
    this.result = result
    this.limit = limit
  }
}
