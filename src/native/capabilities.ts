import { RpcError } from '../errors.ts'
import type { NativeClient } from './client.ts'
import { readFailure } from './constantCall.ts'
import { NodeAnswerError, NodeLacksApiError, NodeRefusedError } from './errors.ts'
import type { Hex } from './types.ts'

/** What a node can do depends on its configuration and release; each of these is asked for, never assumed. */
export type Capability =
  /** `triggerconstantcontract`: without it neither `eth_call` nor a code read works. */
  | 'constantCalls'
  /** `estimateenergy`: without it an estimate is what a simulation used. */
  | 'estimateEnergy'
  /** Balances at past blocks. */
  | 'balanceHistory'
  /** Transaction infos of past blocks: receipts and logs. */
  | 'infoHistory'
  /** Blocks and transactions of the past: closed on lite nodes. */
  | 'blockHistory'
  /** `/walletsolidity`: the solidified state. */
  | 'solidity'

/** Who the chain is. Never changes. */
export type ChainIdentity = {
  /** Last four bytes of the genesis hash. */
  chainId: number
  genesis: Hex
}

export type Capabilities = {
  /** @throws whatever the node call throws: nothing is assumed about a node that cannot be asked. */
  identity(signal?: AbortSignal): Promise<ChainIdentity>
  /** Asked of the node when it is first needed, and again when the answer has become old. */
  has(capability: Capability, signal?: AbortSignal): Promise<boolean>
  /** Release of the node's code, such as `4.8.0`. */
  version(signal?: AbortSignal): Promise<string | undefined>
  /** Call when the node turned out to differ from what was remembered; the next question asks it again. */
  forget(capability?: Capability): void
}

const ZERO_ADDRESS = `41${'0'.repeat(40)}`

/** Creation code that returns nothing: the cheapest call there is. */
const EMPTY_CODE = '60006000f3'

// A node is restarted with another configuration now and then; a minute of the old answer does no harm.
const LIFETIME = 60_000

/** Remembers what a node can do, each capability by itself and only for a while. */
export function createCapabilities({
  lifetime = LIFETIME,
  native,
  now = Date.now,
}: createCapabilities.Options): Capabilities {
  const known = new Map<string, { until: number; value: Promise<unknown> }>()

  function remember<value>(key: string, time: number, ask: () => Promise<value>): Promise<value> {
    const kept = known.get(key)
    if (kept && now() < kept.until) return kept.value as Promise<value>
    const value = ask()
    const entry = { until: now() + time, value }
    known.set(key, entry)
    // A failure is nobody's memory.
    value.catch(() => known.get(key) === entry && known.delete(key))
    return value
  }

  // The answer is shared and remembered, so one caller's abort must not end it.
  const unlessAborted = <value>(signal: AbortSignal | undefined, answer: Promise<value>) => {
    signal?.throwIfAborted()
    return answer
  }

  return {
    identity: (signal) =>
      unlessAborted(
        signal,
        remember('identity', Number.POSITIVE_INFINITY, () => readIdentity(native)),
      ),
    has: (capability, signal) =>
      unlessAborted(
        signal,
        remember(capability, lifetime, () => PROBES[capability](native)),
      ),
    version: (signal) =>
      unlessAborted(
        signal,
        remember('version', lifetime, () => readVersion(native)),
      ),
    forget(capability) {
      if (capability) known.delete(capability)
      else for (const key of known.keys()) if (key !== 'identity') known.delete(key)
    },
  }
}

export declare namespace createCapabilities {
  type Options = {
    native: NativeClient
    /** How long an answer is believed, in milliseconds. @default 60_000 */
    lifetime?: number
    /** @default Date.now */
    now?: () => number
  }
}

/**
 * @throws MissingCapabilityError with the setting to change, when the node has contract calls switched off.
 */
export async function requireConstantCalls(native: NativeClient): Promise<void> {
  if (!(await PROBES.constantCalls(native))) throw new MissingCapabilityError(CONSTANT_CALLS_OFF)
}

/**
 * @throws MissingCapabilityError when there is no such API at the address of /walletsolidity. A node that does not answer there
 * right now is no reason.
 */
export async function requireSolidity(native: NativeClient): Promise<void> {
  try {
    await native.solidity.getBlock({})
  } catch (error) {
    if (error instanceof NodeLacksApiError && error.reason === 'unknown')
      throw new MissingCapabilityError(SOLIDITY_MISSING)
  }
}

/** What to tell the operator whose node serves /walletsolidity on another port. */
const SOLIDITY_MISSING =
  'the upstream does not serve /walletsolidity at this address: name the node’s other port with --upstream-solidity, such as http://127.0.0.1:8091'

/** The node lacks something that the gateway cannot do without; the message says which setting to change. */
export class MissingCapabilityError extends RpcError {
  override name = 'MissingCapabilityError'

  constructor(message: string) {
    super(-32000, message)
  }
}

/** What to tell the operator of a node that does not execute contract calls. */
export const CONSTANT_CALLS_OFF =
  'the upstream node does not execute contract calls: set vm.supportConstant = true in its configuration and restart it'

/**
 * Whether the node recorded the balances of a block, and of all blocks since the first. Where it did not,
 * `getAccountBalance` answers a balance of zero without complaint, so this must be asked before it is believed.
 */
export async function hasBalancesOf(
  native: NativeClient,
  block: { hash: Hex; number: number },
  signal?: AbortSignal,
): Promise<boolean> {
  const genesis = await native.wallet.getBlock({ id_or_num: '0' }, { signal })
  if (!genesis) return false
  const blocks = [{ hash: genesis.blockID, number: 0 }, block]
  const recorded = await Promise.all(
    blocks.map((block) => answers(native.wallet.getBlockBalance(block, { signal }))),
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
    // A chain without any transaction shows nothing; then the answer to an unknown one must do.
    const value = found ?? '0'.repeat(64)
    const info = native.wallet.getTransactionInfoById({ value })
    if (!(await answers(info))) return false
    return found === undefined || (await info) !== undefined
  },
  blockHistory: (native) => answers(native.wallet.getBlockByNum({ num: 0 })),
  solidity: (native) => answers(native.solidity.getNowBlock()),
}

/** A transaction of one of the newest blocks; undefined when they are all empty. Genesis has none that can be looked up. */
async function lastTransaction(native: NativeClient): Promise<Hex | undefined> {
  const newest = native.wallet.getBlockByLatestNum({ num: 99 })
  if (!(await answers(newest))) return undefined
  for (const { block_header, transactions = [] } of ((await newest).block ?? []).toReversed())
    if (block_header.raw_data.number && transactions[0]) return transactions[0].txID
  return undefined
}

async function readIdentity(native: NativeClient): Promise<ChainIdentity> {
  // A lite node closes `getblockbynum`, but not this one.
  const genesis = await native.wallet.getBlock({ id_or_num: '0' })
  if (!genesis) throw new NodeAnswerError('the upstream node does not have the genesis block')
  return { chainId: Number.parseInt(genesis.blockID.slice(-8), 16), genesis: genesis.blockID }
}

async function readVersion(native: NativeClient): Promise<string | undefined> {
  const info = await native.wallet.getNodeInfo().catch((error: unknown) => {
    if (error instanceof NodeLacksApiError) return undefined
    throw error
  })
  return info?.configNodeInfo?.codeVersion
}

/** Whether a call was executed, or at least judged by what it asked; not whether it went well. */
async function supports(call: Promise<{ result: { code?: string; message?: string } }>) {
  if (!(await answers(call))) return false
  const { result } = await call
  return !/does not support/.test(readFailure(result)?.message ?? '')
}

/** False when the node does not offer the call or knows nothing of its object; other faults are thrown. */
async function answers(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (error instanceof NodeLacksApiError || error instanceof NodeRefusedError) return false
    throw error
  }
}
