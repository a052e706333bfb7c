import type { EVM, EVMResult, Message } from '@ethereumjs/evm'
import { Address, unprefixedHexToBytes } from '@ethereumjs/util'
import type { AccessList, Hex } from 'viem'

import { BLOCK_GAS_LIMIT } from '../../codec/block.ts'
import { readFetching } from '../state/missing.ts'
import { nonceOf } from '../state/nonce.ts'
import { parameter } from '../state/parameters.ts'
import type { State } from '../state/state.ts'
import { blockchainOf, destroy, evmAddress } from './adapters.ts'
import { type BlockContext, randomOf } from './blockContext.ts'
import type { AddressRule } from './createdAddress.ts'
import { executedCode, isDelegation } from './delegation.ts'
import { type EmptyRevert, followEmptyRevert } from './emptyRevert.ts'
import { type Failure, type LastStep, TimeoutError, toFailure, TransferError } from './failure.ts'
import { followFrames } from './frames.ts'
import { createInternalLog, type InternalTransaction } from './internal.ts'
import { borrowMachine, type Machine } from './machine.ts'
import { CALL_WORK, createPace } from './pace.ts'
import { smallAddress } from './precompiles.ts'
import { precompileTime } from './precompileTime.ts'
import { createTokenCalls } from './tokens.ts'
import { createVmState, native, type VmState } from './vmState.ts'

/** A log of the EVM. Hex without `0x`, the address has 20 bytes. */
type VmLog = { address: string; topics: string[]; data: string }

/** The result of a run. Its changes are in the state if it succeeded. */
export type VmResult = {
  energyUsed: bigint
  /** The lowest limit with which the run can succeed: more than it used if gas came back at its end. */
  energyNeeded: bigint
  /** Gas that comes back at the end of a transaction on Ethereum. The chain's own schedule has no refunds. */
  refund: bigint
  /** Return data, revert data, or the code of a created contract. */
  output: Uint8Array
  failure?: Failure
  logs: VmLog[]
  internal: InternalTransaction[]
  /** The data of each call of the console of `console.sol`, also of reverted calls. */
  printed: readonly Uint8Array[]
  /** Whether the run can behave differently with another sufficient energy limit: it read its energy, or made a call. */
  dependsOnLimit: boolean
}

/**
 * Runs one message on a state: a call of `to`, or the creation of the contract `to` from the code in `data`.
 * It moves the value. The caller charges the energy.
 */
export async function runVm(state: State, options: runVm.Options): Promise<VmResult> {
  const first = await attempt(state, options, options.observe).catch((error: unknown) => {
    // The message itself is a precompiled contract that would take too long.
    if (error instanceof TimeoutError) return error
    throw error
  })
  const { energyLimit } = options
  if (first instanceof TimeoutError)
    return failedAtOnce(toFailure(first, undefined, energyLimit), energyLimit)
  const error = first.result.execResult.exceptionError
  if (!error) {
    first.commit()
    return first.toResult()
  }
  if (error.error === 'revert') {
    const emptyRevert =
      options.explain && first.result.execResult.returnValue.length === 0
        ? await emptyRevertOf(state, options)
        : undefined
    const failure = { ...toFailure(error, undefined, energyLimit), emptyRevert }
    return { ...first.toResult(), failure }
  }
  const needsPlace = (error.error as string) !== 'cpu timeout'
  // A failed run is repeated with a step listener, to find the operation at which it stopped.
  const step = needsPlace ? await lastStepOf(state, options) : undefined
  return { ...first.toResult(), failure: toFailure(error, step, energyLimit) }
}

export declare namespace runVm {
  type Options = {
    kind: 'call' | 'create'
    /** 42 hex characters. */
    caller: string
    to: string
    data: Uint8Array
    value: bigint
    token?: { id: bigint; amount: bigint }
    energyLimit: bigint
    /** The result of GASPRICE. @default the chain's price of energy */
    price?: bigint | undefined
    /** Time of the newest block in milliseconds, which is the creation time of new accounts. */
    now: number
    transactionId: string
    /** Whether this is a constant call. */
    constant: boolean
    /** Maximum milliseconds of computing. Without it only energy limits the run. */
    timeout?: number
    block: BlockContext
    /** The rule for the addresses of contracts that are created inside. @default 'native' */
    addresses?: AddressRule
    /** Accounts and slots that are paid for already, with the schedule of a hardfork. */
    warm?: AccessList
    /** Called before the run, to add listeners to its frames and steps. */
    observe?: Observe
    /** Whether a revert without data is run once more, to find where it came from. */
    explain?: boolean | undefined
  }
  /**
   * `events` emits frames (`beforeMessage`, `afterMessage`) and steps (`step`). `state` is the state of the frame. `precompiles` has the
   * addresses of precompiled contracts, as 40 hex characters.
   */
  type Observe = (events: EVM['events'], state: VmState, precompiles: EVM['precompiles']) => void
}

/** The result of a run that failed before its first operation. It uses its whole energy. */
export const failedAtOnce = (failure: Failure, limit: bigint): VmResult => ({
  energyUsed: limit,
  energyNeeded: limit,
  refund: 0n,
  output: new Uint8Array(0),
  failure,
  logs: [],
  internal: [],
  printed: [],
  dependsOnLimit: false,
})

async function emptyRevertOf(
  state: State,
  options: runVm.Options,
): Promise<EmptyRevert | undefined> {
  let cause: (() => EmptyRevert | undefined) | undefined
  await attempt(state, options, (events, vmState) => {
    cause = followEmptyRevert(events, vmState)
  })
  return cause?.()
}

async function lastStepOf(state: State, options: runVm.Options): Promise<LastStep | undefined> {
  let last: LastStep | undefined
  const { result } = await attempt(state, options, (events, vmState) =>
    events.on('step', ({ opcode, depth, gasLeft, pc, stack }) => {
      if (depth > 0) return
      const code =
        options.kind === 'create' ? options.data : executedCode(vmState.top(), options.to)
      last = {
        name: opcode.name,
        // The EVM reports every undefined byte as INVALID. The chain reports the byte.
        code: code?.[pc] ?? opcode.code,
        cost: opcode.dynamicFee ?? BigInt(opcode.fee),
        left: gasLeft,
        stackSize: stack.length,
        stackTop: stack.at(-1) ?? 0n,
      }
    }),
  )
  // The listener slows the run down. If it ended by time, it did not get to the operation.
  return (result.execResult.exceptionError?.error as string) === 'cpu timeout' ? undefined : last
}

async function attempt(state: State, options: runVm.Options, observe?: runVm.Observe) {
  const { machine, release } = await borrowMachine(state, options.block)
  try {
    return await runOn(machine, state, options, observe)
  } finally {
    release()
  }
}

async function runOn(
  machine: Machine,
  state: State,
  options: runVm.Options,
  observe: runVm.Observe | undefined,
) {
  const { block, to, transactionId } = options
  const { evm } = machine
  const vmState = createVmState(state, { now: options.now, emptiesCount: !block.hardfork })
  const internal = createInternalLog(transactionId)
  const printed: Uint8Array[] = []
  let dependsOnLimit = false
  const tokens = createTokenCalls(vmState, options.now, options.token)
  let addressOf: ReturnType<typeof followFrames> | undefined
  machine.attach({
    stateManager: vmState,
    blockchain: blockchainOf(block),
    addressOf: (message) => (addressOf as ReturnType<typeof followFrames>)(message),
    ...(block.hardfork && { warm: warmFor(machine, state, options) }),
    ...(!block.hardfork &&
      parameter(state, 'getAllowDynamicEnergy') === 1n && {
        factorOf: (contract: Address) =>
          readFetching(() => vmState.top().get('contract', native(contract))?.energyFactor ?? 0n),
      }),
  })
  const pace = createPace(options.timeout)
  // The first listener, so that a run that ends here leaves the others in a consistent state.
  evm.events.on('beforeMessage', (message, resume) => {
    const { caller, depth, to: called } = message
    if (called) pace.reserve(precompileTime(smallAddress(message.codeAddress), message.data))
    const pause = pace.step(CALL_WORK)
    if (depth > 0) dependsOnLimit = true
    const delegated = called && readFetching(() => loadDelegated(message))
    // The address of a new contract depends on its creator's nonce.
    const nonce = called ? undefined : readFetching(() => nonceOf(vmState.top(), native(caller)))
    // If it cannot be fetched, its next read throws.
    if (pause ?? (nonce instanceof Promise || delegated instanceof Promise))
      void Promise.all([pause, nonce, delegated]).then(resume, resume)
    else resume?.()
  })
  /** Gives a call of an account the code of the contract that it uses. */
  function loadDelegated(message: Message): void {
    const address = native(message.codeAddress)
    if (!isDelegation(vmState.top().get('code', address))) return
    message.code = executedCode(vmState.top(), address) ?? new Uint8Array(0)
  }
  addressOf = followFrames(evm, {
    hardfork: block.hardfork,
    internal,
    isIstanbul: machine.isIstanbul,
    printed,
    rule: options.addresses ?? 'native',
    state: vmState,
    to,
    tokens,
    transactionId,
  })
  machine.hooks = {
    state: vmState,
    tokens,
    pace,
    onSelfdestruct(contract, heir) {
      const account = vmState.top().get('account', native(contract))
      const held = Object.entries(account?.assets ?? {}).map(([id, amount]) => ({ id, amount }))
      internal.add(
        {
          caller: native(contract),
          to: native(heir),
          value: account?.balance ?? 0n,
          note: 'suicide',
          ...(held.length > 0 && { tokens: held }),
        },
        new Uint8Array(0),
      )
      return readFetching(() => tokens.moveAll(native(contract), native(heir)))
    },
    onGas() {
      dependsOnLimit = true
    },
    signerOf: (signature) => block.signerOf?.(signature),
  }
  observe?.(evm.events, vmState, evm.precompiles)

  const price = parameter(state, 'getEnergyFee')
  const result: EVMResult = await evm.runCall({
    block: {
      header: {
        number: BigInt(block.number),
        coinbase: evmAddress(block.producer),
        timestamp: BigInt(Math.floor(block.timestamp / 1000)),
        difficulty: 0n,
        get prevRandao() {
          return unprefixedHexToBytes(block.prevRandao ?? randomOf(block) ?? '00'.repeat(32))
        },
        // 0 in the chain's own EVM.
        gasLimit: block.gasLimit ?? (block.hardfork ? BLOCK_GAS_LIMIT : 0n),
        baseFeePerGas: block.baseFee ?? price,
        // 0 in the chain's own EVM. The minimum on Ethereum is 1 (EIP-4844).
        getBlobGasPrice: () => (block.hardfork ? 1n : 0n),
      },
    },
    gasPrice: options.price ?? price,
    caller: evmAddress(options.caller),
    ...(options.kind === 'call' && { to: evmAddress(to) }),
    data: options.data,
    value: options.value,
    gasLimit: options.energyLimit,
    skipNonceIncrement: true,
  })

  return {
    result,
    commit: () => commitRun(vmState, result, evm.common.isActivatedEIP(6780)),
    toResult(): VmResult {
      const { execResult } = result
      const error = execResult.exceptionError
      // The internal transactions of a reverted constant call are not marked as rejected.
      if (error && !(options.constant && error.error === 'revert')) internal.rejectAll()
      const used =
        error instanceof TransferError
          ? options.energyLimit - (execResult.gas ?? 0n)
          : execResult.executionGasUsed
      return {
        energyUsed: used,
        energyNeeded: used,
        refund: execResult.gasRefund ?? 0n,
        output: execResult.returnValue,
        logs: (execResult.logs ?? []).map(([address, topics, data]) => ({
          address: Buffer.from(address).toString('hex'),
          topics: topics.map((topic) => Buffer.from(topic).toString('hex')),
          data: Buffer.from(data).toString('hex'),
        })),
        internal: internal.records,
        printed,
        dependsOnLimit,
      }
    },
  }
}

/** The accounts and slots that are warm when a message begins (EIP-2929, EIP-3651, EIP-7702). */
function warmFor({ evm }: Machine, state: State, options: runVm.Options): AccessList {
  const { block, caller, to, warm = [] } = options
  const accounts = [evmAddress(caller), evmAddress(to)]
  if (evm.common.isActivatedEIP(3651)) accounts.push(evmAddress(block.producer))
  const code = state.get('code', to)
  if (isDelegation(code)) accounts.push(new Address(code.subarray(3)))
  return [
    ...warm,
    ...[...accounts.map(String), ...[...evm.precompiles.keys()].map((key) => `0x${key}`)].map(
      (address) => ({ address: address as Hex, storageKeys: [] }),
    ),
  ]
}

/**
 * Commits the changes of a successful run to the parent state.
 *
 * @param keepsOld - Whether SELFDESTRUCT destroys only contracts that the transaction created (EIP-6780).
 */
function commitRun(vmState: VmState, { execResult }: EVMResult, keepsOld: boolean): void {
  const top = vmState.top()
  for (const [name, value] of top.changes())
    if (name.startsWith('storage:') && value === '')
      top.set('storage', name.slice('storage:'.length), undefined)
  for (const address of execResult.selfdestruct?.keys() ?? [])
    if (!keepsOld || execResult.createdAddresses?.has(address))
      destroy(top, `41${address.slice(2)}`)
  top.commit()
}
