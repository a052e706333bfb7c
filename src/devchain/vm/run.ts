import { Hardfork, Mainnet, createCustomCommon } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import type { EVMResult, Message } from '@ethereumjs/evm'
import {
  Address,
  bigIntToBytes,
  bytesToUnprefixedHex,
  concatBytes,
  setLengthLeft,
  unprefixedHexToBytes,
} from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'

import { newAccount } from '../model.ts'
import { parameter } from '../parameters.ts'
import type { State } from '../state.ts'
import { blockchainOf, destroy, evmAddress } from './adapters.ts'
import { energyOpcodes, energyParams } from './energy.ts'
import { TimeoutError, toFailure } from './failure.ts'
import type { Failure, LastStep } from './failure.ts'
import { createInternalLog } from './internal.ts'
import type { InternalTransaction } from './internal.ts'
import { precompiles } from './precompiles.ts'
import { tokenOpcodes } from './tokens.ts'
import { createVmState, native } from './vmState.ts'

/** A log as the EVM left it; hex without `0x`, the address 20 bytes. */
type VmLog = { address: string; topics: string[]; data: string }

/** What a run did. Its changes are in the state when it did not fail. */
export type VmResult = {
  energyUsed: bigint
  /** Return data, revert data, or the code of a created contract. */
  output: Uint8Array
  failure?: Failure
  logs: VmLog[]
  internal: InternalTransaction[]
}

/** The address of the contract that a transaction creates. */
export function createdAddress(transactionId: string, owner: string): string {
  const seed = unprefixedHexToBytes(transactionId + owner)
  return `41${bytesToUnprefixedHex(keccak_256(seed).subarray(12))}`
}

/**
 * Runs one message on a state: a call of `to`, or the creation of the contract `to` from the code in `data`.
 * The value is moved here too. Energy used up is the caller's to charge.
 */
export async function runVm(state: State, options: runVm.Options): Promise<VmResult> {
  const first = await attempt(state, options, false)
  const error = first.result.execResult.exceptionError
  if (!error) {
    first.commit()
    return first.toResult()
  }
  // Only a failure is run again, with its steps watched, to learn where it stopped.
  const watched =
    error.error === 'revert' || (error.error as string) === 'cpu timeout'
      ? undefined
      : (await attempt(state, options, true)).lastStep()
  return { ...first.toResult(), failure: toFailure(error, watched, options.energyLimit) }
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
    /** Milliseconds of the newest block: creation time of accounts that appear. */
    now: number
    transactionId: string
    /** Whether the run is only looked at. */
    constant: boolean
    /** Milliseconds that the run may take; without it only energy limits it. */
    timeout?: number
    block: BlockContext
  }
  type BlockContext = {
    number: number
    /** Milliseconds. */
    timestamp: number
    producer: string
    chainId: number
    hashOf: (number: number) => string | undefined
  }
}

async function attempt(state: State, options: runVm.Options, watch: boolean) {
  const { block } = options
  const adjusted = parameter(state, 'getAllowEnergyAdjustment') === 1n
  const price = parameter(state, 'getEnergyFee')
  const vmState = createVmState(state, options.now)
  const internal = createInternalLog(options.transactionId)
  const created = new WeakMap<Message, Address>()
  const deadline = options.timeout === undefined ? Infinity : performance.now() + options.timeout
  let jumps = 0
  let step: LastStep | undefined

  const common = createCustomCommon({ chainId: block.chainId }, Mainnet, {
    hardfork: Hardfork.Shanghai,
    eips: [1153, 4844, 5656, 7516],
  })
  const istanbul = parameter(state, 'getAllowTvmIstanbul') === 1n
  const pricedMemory = parameter(state, 'getAllowHigherLimitForMaxCpuTimeOfOneTx') === 1n
  const params = energyParams(pricedMemory, istanbul)
  // The opcode table reads its prices from here before the EVM exists.
  common.updateParams(params)
  const tokens = tokenOpcodes(common, vmState, options.now, options.token)
  const evm = await createEVM({
    common,
    params,
    stateManager: vmState,
    blockchain: blockchainOf(block),
    allowUnlimitedContractSize: true,
    allowUnlimitedInitCodeSize: true,
    customPrecompiles: precompiles(vmState),
    customOpcodes: [
      // CHAINID and SELFBALANCE came with the proposal "Istanbul".
      ...(istanbul ? [] : [{ opcode: 0x46 }, { opcode: 0x47 }]),
      ...energyOpcodes(common, {
        adjusted,
        hasSlot: (address, slot) => vmState.hasSlot(address, slot),
        onJump() {
          if ((++jumps & 0x3ff) === 0 && performance.now() > deadline) throw new TimeoutError()
        },
        onSelfdestruct(contract, heir) {
          const value = vmState.top().get('account', native(contract))?.balance ?? 0n
          internal.add(
            { caller: native(contract), to: native(heir), value, note: 'suicide' },
            new Uint8Array(0),
          )
        },
      }),
      ...tokens.opcodes,
    ],
  })

  const addressFor = (message: Message): Address => {
    const known = created.get(message)
    if (known) return known
    const address = message.depth === 0 ? evmAddress(options.to) : innerAddress(message)
    created.set(message, address)
    return address
  }
  // Before the proposal "Istanbul" CREATE2 reckoned with the caller of the creating contract instead of the contract.
  const callers: Address[] = []
  const deployerOf = (message: Message) =>
    istanbul ? message.caller : (callers.at(-1) ?? message.caller)
  const innerAddress = (message: Message) => {
    const seed = message.salt
      ? concatBytes(
          Uint8Array.of(0x41),
          deployerOf(message).bytes,
          message.salt,
          keccak_256((message.code as Uint8Array | undefined) ?? message.data),
        )
      : concatBytes(
          unprefixedHexToBytes(options.transactionId),
          setLengthLeft(bigIntToBytes(internal.nonce()), 8),
        )
    return new Address(keccak_256(seed).subarray(12))
  }
  // Where the EVM derives the address of a new contract from a nonce, the chain derives it from the transaction id.
  Object.defineProperty(evm, '_generateAddress', {
    value: async (message: Message) => {
      const address = addressFor(message)
      const taken = vmState.top().get('account', native(address))?.type === 'Contract'
      if (message.depth === 0 || !taken) vmState.vacate(address)
      return address
    },
  })

  evm.events.on('beforeMessage', (message) => {
    if (message.depth === 0) return
    if (!message.to) {
      const to = native(addressFor(message))
      const caller = native(message.caller)
      internal.enter({ caller, to, value: message.value, note: 'create' }, message.data)
      return
    }
    const token = tokens.enter(message)
    if (evm.getPrecompile(message.codeAddress)) return internal.enter()
    const to = native(message.to)
    const caller = message.delegatecall ? to : native(message.caller)
    const value = message.delegatecall ? 0n : message.value
    internal.enter({ caller, to, value, note: 'call', ...(token && { token }) }, message.data)
  })
  let depth = 0
  let salted = false
  evm.events.on('beforeMessage', ({ caller, salt }) => {
    salted = salt !== undefined
    callers.push(caller)
    depth++
  })
  evm.events.on('afterMessage', (result) => {
    callers.pop()
    if (--depth > 0) internal.leave(result.execResult.exceptionError !== undefined)
  })
  evm.events.on('newContract', ({ address }) => {
    vmState.settle(address)
    if (depth > 1) recordContract(vmState.top(), address, salted)
  })
  const recordContract = (top: State, address: Address, salted: boolean) => {
    const key = native(address)
    const account = top.get('account', key)
    const name = Buffer.from('CreatedByContract').toString('hex')
    top.set('account', key, {
      ...(account ?? newAccount(key, 'Contract', 0, name)),
      type: 'Contract',
    })
    const record = internal.records.findLast((entry) => entry.to === key && entry.note === 'create')
    top.set('contract', key, {
      address: key,
      origin: record?.caller ?? options.to,
      name: '',
      abi: [],
      bytecode: '',
      callValue: 0n,
      userPercent: 100n,
      originEnergyLimit: 0n,
      ...(salted && { trxHash: options.transactionId }),
      version: 1,
    })
  }
  if (watch)
    evm.events.on('step', ({ opcode, depth, gasLeft, pc, stack }) => {
      if (depth > 0) return
      const code = options.kind === 'create' ? options.data : vmState.top().get('code', options.to)
      step = {
        name: opcode.name,
        // Bytes without a meaning all look like INVALID; the chain names the byte.
        code: code?.[pc] ?? opcode.code,
        cost: opcode.dynamicFee ?? BigInt(opcode.fee),
        left: gasLeft,
        stackSize: stack.length,
        stackTop: stack.at(-1) ?? 0n,
      }
    })

  const result: EVMResult = await evm.runCall({
    block: {
      header: {
        number: BigInt(block.number),
        coinbase: evmAddress(block.producer),
        timestamp: BigInt(Math.floor(block.timestamp / 1000)),
        difficulty: 0n,
        prevRandao: new Uint8Array(32),
        gasLimit: 0n,
        baseFeePerGas: price,
        getBlobGasPrice: () => 0n,
      },
    },
    gasPrice: price,
    caller: evmAddress(options.caller),
    ...(options.kind === 'call' && { to: evmAddress(options.to) }),
    data: options.data,
    value: options.value,
    gasLimit: options.energyLimit,
    skipNonceIncrement: true,
  })

  return {
    result,
    lastStep: () => step,
    commit() {
      const top = vmState.top()
      for (const [name, value] of top.changes())
        if (name.startsWith('storage:') && value === '')
          top.set('storage', name.slice('storage:'.length), undefined)
      for (const address of result.execResult.selfdestruct?.keys() ?? [])
        destroy(top, `41${address.slice(2)}`)
      top.commit()
    },
    toResult(): VmResult {
      const { execResult } = result
      const error = execResult.exceptionError
      // A reverted call without effect keeps what it did on the way as it was.
      if (error && !(options.constant && error.error === 'revert')) internal.rejectAll()
      return {
        energyUsed: execResult.executionGasUsed,
        output: execResult.returnValue,
        logs: (execResult.logs ?? []).map(([address, topics, data]) => ({
          address: bytesToUnprefixedHex(address),
          topics: topics.map((topic) => bytesToUnprefixedHex(topic)),
          data: bytesToUnprefixedHex(data),
        })),
        internal: internal.records,
      }
    },
  }
}
