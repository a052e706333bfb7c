import type { Call } from '../lib/call.ts'
import { RpcError } from '../lib/errors.ts'
import type { NativeClient } from './client.ts'
import { readFailure } from './constantCall.ts'
import {
  ifServed,
  NodeAnswerError,
  NodeLacksApiError,
  NodeRefusedError,
  NodeUnclearError,
} from './errors.ts'
import { shownRelease } from './shownText.ts'
import type { Hex } from './wire/types.ts'

/** A feature that a node has or lacks, by its configuration and release. Each is probed, never assumed. */
export type Capability =
  /** `triggerconstantcontract`: without it neither `eth_call` nor a code read works. */
  | 'constantCalls'
  /** `estimateenergy`: without it an estimate is the energy that a simulation used. */
  | 'estimateEnergy'
  /** Balances at past blocks. */
  | 'balanceHistory'
  /** Transaction infos of past blocks: receipts and logs. */
  | 'infoHistory'
  /** Past blocks and transactions. Lite nodes do not serve them. */
  | 'blockHistory'
  /** `/walletsolidity`: the solidified state. */
  | 'solidity'

/** The identity of the chain. Never changes. */
export type ChainIdentity = {
  /** Last four bytes of the genesis hash. */
  chainId: number
  genesis: Hex
}

/** The capabilities of one node. */
export type Capabilities = ReturnType<typeof createCapabilities>

const ZERO_ADDRESS = `41${'0'.repeat(40)}`

/** Creation code that returns nothing: the cheapest call. */
const EMPTY_CODE = '60006000f3'

// Milliseconds. Operators rarely change the configuration of a node, so an answer may be a minute old.
const LIFETIME = 60_000

/** Caches the capabilities of a node, each separately and for a limited time. */
export function createCapabilities({
  native,
  now = () => performance.now(),
}: createCapabilities.Options) {
  const known = new Map<string, { until: number; value: Promise<unknown> }>()

  function cached<value>(
    key: string,
    call: Call | undefined,
    ask: () => Promise<value>,
    time = LIFETIME,
  ): Promise<value> {
    // Callers share the answer, so the abort of one must not cancel it.
    call?.signal?.throwIfAborted()
    const found = known.get(key)
    if (found && now() < found.until) return found.value as Promise<value>
    const value = ask()
    const entry = { until: now() + time, value }
    known.set(key, entry)
    // Do not cache failures.
    value.catch(() => known.get(key) === entry && known.delete(key))
    return value
  }

  return {
    /** The chain of the node. @throws the error of the node call */
    identity: (call?: Call) => cached('identity', call, () => readIdentity(native), Infinity),
    /** Whether the node has a capability. Probes the node on first use, and again when the cached answer is old. */
    has: (capability: Capability, call?: Call) =>
      cached(capability, call, () => PROBES[capability](native)),
    /** Release of the node's code, such as `4.8.0`. */
    version: (call?: Call) => cached('version', call, () => readVersion(native)),
  }
}

export declare namespace createCapabilities {
  type Options = {
    native: NativeClient
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
  }
}

/**
 * Checks that the node executes contract calls.
 *
 * @throws MissingCapabilityError with the setting to change, when it does not
 */
export async function requireConstantCalls(native: NativeClient): Promise<void> {
  if (!(await PROBES.constantCalls(native))) throw new MissingCapabilityError(CONSTANT_CALLS_OFF)
}

/**
 * Checks that the address of /walletsolidity has this API. A node that does not answer passes, because it may answer later.
 *
 * @throws MissingCapabilityError with the option to use, when there is no such API
 */
export async function requireSolidity(native: NativeClient, wallet?: string): Promise<void> {
  try {
    await native.solidity.getBlock({})
  } catch (error) {
    const missing = missingSolidity(error, wallet)
    if (missing) throw missing
  }
}

/**
 * The error with advice, when a call to /walletsolidity failed because there is no such API at its address.
 *
 * @param wallet - the address of /wallet. A node serves /walletsolidity at the next port, unless it is configured otherwise.
 */
export function missingSolidity(
  error: unknown,
  wallet = 'http://127.0.0.1:8090',
): MissingCapabilityError | undefined {
  if (!(error instanceof NodeLacksApiError) || error.reason !== 'unknown') return undefined
  const { hostname, port, protocol } = new URL(wallet)
  const next = Number(port || (protocol === 'https:' ? 443 : 80)) + 1
  return new MissingCapabilityError(
    `the upstream does not serve /walletsolidity at this address: give the node’s other port with --upstream-solidity (“solidity” in the file), such as ${protocol}//${hostname}:${next}`,
  )
}

/** The node lacks a capability that the gateway needs. The message says which setting to change. */
export class MissingCapabilityError extends RpcError {
  override name = 'MissingCapabilityError'

  constructor(message: string) {
    super(-32000, message)
  }
}

/** Advice for a node that does not execute contract calls. */
export const CONSTANT_CALLS_OFF =
  'the upstream node does not execute contract calls: set vm.supportConstant = true in its configuration and restart it'

/**
 * Whether the node recorded the balances of a block, and of all blocks since the first. If it did not, `getAccountBalance`
 * answers zero without an error, so check this before you use its answer.
 */
export async function hasBalancesOf(
  native: NativeClient,
  block: { hash: Hex; number: number },
  call?: Call,
): Promise<boolean> {
  const genesis = await native.wallet.getBlock({ id_or_num: '0' }, call)
  if (!genesis) return false
  const blocks = [{ hash: genesis.blockID, number: 0 }, block]
  const recorded = await Promise.all(
    blocks.map((block) => answers(native.wallet.getBlockBalance(block, call))),
  )
  return recorded.every(Boolean)
}

const PROBES: Record<Capability, (native: NativeClient) => Promise<boolean>> = {
  constantCalls: (native) =>
    supports(
      native.wallet.triggerConstantContract({ owner_address: ZERO_ADDRESS, data: EMPTY_CODE }),
    ),
  estimateEnergy: (native) =>
    supports(native.wallet.estimateEnergy({ owner_address: ZERO_ADDRESS, data: EMPTY_CODE })),
  async balanceHistory(native) {
    const block = await native.wallet.getNowBlock()
    return hasBalancesOf(native, {
      hash: block.blockID,
      number: block.block_header.raw_data.number ?? 0,
    })
  },
  async infoHistory(native) {
    const found = await lastTransaction(native)
    // On a chain without transactions, the node must answer a request for an unknown one.
    const value = found ?? '0'.repeat(64)
    const info = native.wallet.getTransactionInfoById({ value })
    if (!(await answers(info))) return false
    return found === undefined || (await info) !== undefined
  },
  blockHistory: (native) => answers(native.wallet.getBlockByNum({ num: 0 })),
  solidity: (native) => answers(native.solidity.getNowBlock()),
}

/** A transaction of one of the newest blocks; undefined if they are empty. Those of genesis cannot be looked up. */
async function lastTransaction(native: NativeClient): Promise<Hex | undefined> {
  const newest = native.wallet.getBlockByLatestNum({ num: 99 })
  if (!(await answers(newest))) return undefined
  for (const { block_header, transactions = [] } of ((await newest).block ?? []).toReversed())
    if (block_header.raw_data.number && transactions[0]) return transactions[0].txID
  return undefined
}

async function readIdentity(native: NativeClient): Promise<ChainIdentity> {
  // A lite node does not serve `getblockbynum`, but it serves `getblock`.
  const genesis = await native.wallet.getBlock({ id_or_num: '0' })
  if (!genesis) throw new NodeAnswerError('the upstream node does not have the genesis block')
  return { chainId: Number.parseInt(genesis.blockID.slice(-8), 16), genesis: genesis.blockID }
}

/** Release of the node's code, such as `4.8.0`; undefined when it hides it. */
export async function readVersion(native: NativeClient, call?: Call): Promise<string | undefined> {
  const info = await ifServed(native.wallet.getNodeInfo(undefined, call))
  return shownRelease(info?.configNodeInfo?.codeVersion)
}

/** Whether the node executes such calls. A call that was executed may have failed. */
async function supports(call: Promise<{ result: { code?: string; message?: string } }>) {
  if (!(await answers(call))) return false
  const { result } = await call
  return !/does not support/.test(readFailure(result)?.message ?? '')
}

const REFUSALS = [NodeLacksApiError, NodeRefusedError, NodeUnclearError]

/** False when the node does not have the operation or refuses the request. Other errors are thrown. */
async function answers(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (REFUSALS.some((refusal) => error instanceof refusal)) return false
    throw error
  }
}
