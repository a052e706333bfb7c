import { createRequire } from 'node:module'
import { join } from 'node:path'

import type { Common } from '@ethereumjs/common'
import { EVM, EVMError, EVMMockBlockchain, NobleBN254 } from '@ethereumjs/evm'
import type { EVMOpts, Message } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'
import type { AccessList } from 'viem'

import { readFetching } from '../state/missing.ts'
import { createHistory, createOverlay } from '../state/state.ts'
import { createVmState } from './vmState.ts'

// The only file that uses private parts of @ethereumjs/evm: the state of the journal, and the class that runs a frame. All other
// differences from Ethereum go through options, events and a subclass. The class is not exported, so its methods are replaced for
// all EVMs of the process; those of EVMs that were not created here do what they did.

/**
 * The version of @ethereumjs/evm whose private parts this file knows. Before a new one is written here, its interpreter.ts and journal.ts
 * are compared with this file, and bench/devchain.ts is run.
 */
const KNOWN_VERSION = '10.1.3'

/** @throws Error when another version is installed, as an override of a project can do */
function assertKnownVersion(): void {
  const require = createRequire(import.meta.url)
  // The package exports its entry alone.
  const file = join(require.resolve('@ethereumjs/evm'), '../../../package.json')
  const { version } = require(file) as { version: string }
  if (version !== KNOWN_VERSION)
    throw new Error(
      `@ethereumjs/evm ${version} is installed, but the development chain needs ${KNOWN_VERSION}`,
    )
}

/** The inputs of one run on a reused EVM. */
export type Attachment = {
  stateManager: EVM['stateManager']
  blockchain: EVM['blockchain']
  /** The address of a contract that a message creates. */
  addressOf: (message: Message) => Address
  /** Accounts and slots whose first access is as cheap as a later one (EIP-2929). */
  warm?: AccessList
  /** How much more than its price each operation of a contract costs, in ten-thousandths. @default 0 for all contracts */
  factorOf?: (contract: Address) => bigint | Promise<bigint>
}

/** An EVM that runs on one state after another. Building one takes longer than most runs. */
export type ReusableEvm = {
  evm: EVM
  /** Prepares the EVM for one run and removes the listeners of the previous one. */
  attach(attachment: Attachment): void
}

/** The journal of the EVM. It keeps the state that the EVM was built with. */
type PrivateJournal = { stateManager: EVM['stateManager'] }

/** Creates an EVM. @param options - without state and blockchain, which each run sets */
export async function createReusableEvm(
  options: EVMOpts & { common: Common },
): Promise<ReusableEvm> {
  assertKnownVersion()
  const own: Own = { analyses: new WeakMap(), attached: undefined }
  /** A run may replace the EVM's rule for the address of a new contract. */
  class ChainEvm extends EVM {
    protected override async _generateAddress(message: Message): Promise<Address> {
      return readFetching(() => (own.attached as Attachment).addressOf(message))
    }
  }
  const evm = new ChainEvm({
    ...options,
    bn254: new NobleBN254(),
    blockchain: new EVMMockBlockchain(),
    stateManager: createVmState(createOverlay(createHistory()), { now: 0, emptiesCount: false }),
  })
  owns.set(evm, own)
  await speedUp(evm)
  return {
    evm,
    attach(attachment) {
      const { blockchain, stateManager, warm = [] } = attachment
      const { events, journal, transientStorage } = evm
      own.attached = attachment
      evm.stateManager = stateManager
      evm.blockchain = blockchain
      events.removeAllListeners()
      ;(journal as unknown as PrivateJournal).stateManager = stateManager
      journal.cleanJournal()
      for (const { address, storageKeys } of warm) {
        journal.addAlwaysWarmAddress(address.toLowerCase())
        for (const slot of storageKeys)
          journal.addAlwaysWarmSlot(address.toLowerCase(), slot.toLowerCase())
      }
      transientStorage.clear()
    },
  }
}

/** An operation with its price and its effect. */
type Operation = {
  opcodeInfo: { feeBigInt: bigint; dynamicGas: boolean; isInvalid: boolean }
  opHandler: (run: RunState, common: Common) => Promise<void> | void
  gasHandler: (run: RunState, gas: bigint, common: Common) => Promise<bigint> | bigint
}

/** What is known of a contract's code: where its jumps may go, and the values that it pushed so far, by the position of the operation. */
type Analysis = { jumps: Uint8Array; pushes: (bigint | undefined)[] }

/** A running frame. */
type RunState = {
  code: Uint8Array
  programCounter: number
  opCode: number
  validJumps: Uint8Array
  stack: { push(value: bigint): void }
  gasLeft: bigint
  gasRefund: bigint
  stateGasSpilled: bigint
  /** Gas that the call or creation of this operation gets. */
  messageGasLimit?: bigint
  memory: object
}

/** The result of a frame that has ended, as the EVM reads it. */
type Outcome = {
  runState: Pick<RunState, 'gasLeft' | 'gasRefund' | 'stateGasSpilled'> & {
    interpreter: Interpreter
  }
  exceptionError?: EVMError
}

/** The private part of the EVM that runs one frame. */
type Interpreter = {
  _runState: RunState
  _env: { address: Address }
  _evm: EVM
  common: Common
  lookupOpInfo(opcode: number): Operation
  useGas(amount: bigint, of: unknown): void
} & Work

type Work = {
  run: (this: Interpreter, code: Uint8Array, options?: { pc?: number }) => Promise<Outcome>
  /** The analysis of the EVM's own loop. */
  _getValidJumpDestinations: (this: Interpreter, code: Uint8Array) => object
  _runStepHook: (this: Interpreter, gas: bigint, left: bigint, words: bigint) => Promise<void>
}

/** What an EVM of this file has. The analyses of its own loop have operations, which belong to one EVM. */
type Own = { analyses: WeakMap<Uint8Array, object>; attached: Attachment | undefined }

const owns = new WeakMap<EVM, Own>()

const sped = new WeakSet<Interpreter>()

/**
 * Makes the EVM run code faster, with the same results. It analyses the code of a contract once instead of in every run,
 * and uses promises only for operations that have to wait, while the EVM uses one for each operation.
 */
async function speedUp(evm: EVM): Promise<void> {
  // The class of the frames is not exported, so it is taken from an instance.
  const { runState } = await evm.runCode({ code: new Uint8Array(1), gasLimit: 1n })
  const frame = (runState as unknown as Outcome['runState']).interpreter
  const prototype = Object.getPrototypeOf(frame) as Interpreter
  if (sped.has(prototype)) return
  sped.add(prototype)
  const { _getValidJumpDestinations: analyse, _runStepHook: report, run } = prototype

  const work: Work = {
    _getValidJumpDestinations(code) {
      const { _evm: evm } = this
      const known = owns.get(evm)?.analyses
      const analysis = known?.get(code) ?? analyse.call(this, code)
      known?.set(code, analysis)
      return analysis
    },
    run(code, options) {
      const { _env: env, _evm: evm, common } = this
      const own = owns.get(evm)
      if (!own) return run.call(this, code, options)
      // Frames with step listeners, or with features that this chain does not use, run on the code of the EVM.
      const isPlain = evm.events.listenerCount('step') === 0 && options?.pc === undefined
      const begin = () =>
        !isPlain || common.isActivatedEIP(3540)
          ? run.call(this, code, options)
          : runFrame(this, code)
      const factor = own.attached?.factorOf?.(env.address)
      if (factor === undefined || factor === 0n) return begin()
      return Promise.resolve(factor).then((loaded) => {
        if (loaded > 0n) chargeMore(this, loaded)
        return begin()
      })
    },
    async _runStepHook(gas, left, words) {
      const { _evm: evm, _runState: state } = this
      if (state.opCode !== REVERT || !owns.has(evm)) return report.call(this, gas, left, words)
      const { memory } = state
      // For its listeners the EVM reads the data of REVERT before it charges for the memory, so the length can be anything. No
      // listener here uses the data.
      state.memory = Object.create(memory, { read: { value: () => new Uint8Array(0) } }) as object
      try {
        await report.call(this, gas, left, words)
      } finally {
        state.memory = memory
      }
    },
  }
  Object.assign(prototype, work)
}

/** The unit of energy factors. */
const FACTOR = 10_000n

/** Makes each operation of a frame cost more by a factor. The energy that it passes to a call or creation costs no more. */
function chargeMore(frame: Interpreter, factor: bigint): void {
  const charge = frame.useGas.bind(frame)
  frame.useGas = (amount, of) => {
    // The energy that a call has used has a text here, operations have their description.
    if (typeof of === 'string') return charge(amount, of)
    const total = (amount * (FACTOR + factor)) / FACTOR
    const { _runState: state } = frame
    const left = state.gasLeft - total
    const most = left - left / 64n
    if (state.messageGasLimit !== undefined && state.messageGasLimit > most)
      state.messageGasLimit = most
    return charge(total, of)
  }
}

async function runFrame(frame: Interpreter, code: Uint8Array): Promise<Outcome> {
  const { _runState: state, common } = frame
  const { jumps, pushes } = analysisOf(code)
  state.code = code
  state.validJumps = jumps
  try {
    while (state.programCounter < code.length) {
      const at = state.programCounter
      const opcode = code[at] as number
      const operation = frame.lookupOpInfo(opcode)
      const { opcodeInfo } = operation
      state.opCode = opcode
      if (opcode >= PUSH1 && opcode <= PUSH32) {
        frame.useGas(opcodeInfo.feeBigInt, opcodeInfo)
        const length = opcode - PUSH1 + 1
        state.stack.push((pushes[at] ??= pushedAt(code, at + 1, length)))
        state.programCounter += 1 + length
        continue
      }
      let gas = opcodeInfo.feeBigInt
      if (opcodeInfo.dynamicGas) {
        const priced = operation.gasHandler(state, gas, common)
        gas = typeof priced === 'bigint' ? priced : await priced
      }
      if (opcodeInfo.isInvalid) throw new EVMError(EVMError.errorMessages.INVALID_OPCODE)
      frame.useGas(gas, opcodeInfo)
      state.programCounter++
      const pause = operation.opHandler(state, common)
      if (pause) await pause
    }
  } catch (error) {
    if (!(error instanceof EVMError)) throw error
    if (error.error !== EVMError.errorMessages.STOP) return outcomeOf(frame, error)
  }
  return outcomeOf(frame)
}

const analysed = new WeakMap<Uint8Array, Analysis>()

function analysisOf(code: Uint8Array): Analysis {
  let analysis = analysed.get(code)
  if (!analysis) analysed.set(code, (analysis = { jumps: jumpsIn(code), pushes: [] }))
  return analysis
}

/** A 1 at each place to which code may jump. */
function jumpsIn(code: Uint8Array): Uint8Array {
  const jumps = new Uint8Array(code.length)
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at] as number
    if (opcode === JUMPDEST) jumps[at] = 1
    // The bytes after it are a value.
    else if (opcode >= PUSH1 && opcode <= PUSH32) at += opcode - PUSH1 + 1
  }
  return jumps
}

/** The value in code, with zeros beyond its end. */
function pushedAt(code: Uint8Array, from: number, length: number): bigint {
  if (length <= 4 && from + length <= code.length) {
    let value = 0
    for (let at = from; at < from + length; at++) value = value * 256 + (code[at] as number)
    return BigInt(value)
  }
  const hex = Buffer.from(code.subarray(from, from + length)).toString('hex')
  return BigInt(`0x${hex.padEnd(2 * length, '0')}`)
}

const PUSH1 = 0x60
const PUSH32 = 0x7f
const JUMPDEST = 0x5b

/**
 * The EVM copies the outcome and the environment of every frame into one object that nothing reads. V8 makes a new hidden
 * class for each property of such a copy, so the copy of the whole frame takes as long as a short call.
 */
function outcomeOf(frame: Interpreter, exceptionError?: EVMError): Outcome {
  const { _runState: state } = frame
  const { gasLeft, gasRefund, stateGasSpilled } = state
  Object.assign(frame, { _env: NO_ENVIRONMENT })
  return {
    runState: { interpreter: frame, gasLeft, gasRefund, stateGasSpilled },
    ...(exceptionError && { exceptionError }),
  }
}

const NO_ENVIRONMENT = Object.freeze({})

const REVERT = 0xfd
