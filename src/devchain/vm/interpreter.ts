import type { Common } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import type { EVM } from '@ethereumjs/evm'

/** An operation with its price and its effect. */
type Operation = {
  opcodeInfo: { feeBigInt: bigint; dynamicGas: boolean; isInvalid: boolean }
  opHandler: (run: RunState, common: Common) => Promise<void> | void
  gasHandler: (run: RunState, gas: bigint, common: Common) => Promise<bigint> | bigint
}

/** What the EVM finds in the code of a contract: where it may jump, what it pushes, the operation at each place. */
type Analysis = {
  jumps: Uint8Array
  pushes: Record<number, bigint>
  opcodesCached: (Operation | undefined)[]
}

/** A frame that runs. */
type RunState = {
  code: Uint8Array
  programCounter: number
  opCode: number
  validJumps: Uint8Array
  cachedPushes: Record<number, bigint>
  shouldDoJumpAnalysis: boolean
}

type Outcome = { runState: RunState; exceptionError?: EVMError }

/** The part of the EVM that runs one frame, which its types keep private. */
type Interpreter = {
  _runState: RunState
  _evm: EVM
  common: Common
  lookupOpInfo(opcode: number): Operation
  useGas(amount: bigint, of: unknown): void
} & Work

type Work = {
  run: (this: Interpreter, code: Uint8Array, options?: { pc?: number }) => Promise<Outcome>
  _getValidJumpDestinations: (this: Interpreter, code: Uint8Array) => Analysis
}

/** By EVM, because operations and their prices belong to one, and by code. */
const analyses = new WeakMap<EVM, WeakMap<Uint8Array, Analysis>>()

function knownOf({ _evm: evm }: Interpreter): WeakMap<Uint8Array, Analysis> {
  let known = analyses.get(evm)
  if (!known) analyses.set(evm, (known = new WeakMap()))
  return known
}

const sped = new WeakSet<Interpreter>()

/**
 * Makes the EVM run code faster, with the same results. The code of a contract is analysed once, and not in every run; and
 * only operations that have to wait take a promise, where the EVM itself takes one for each.
 */
export async function speedUp(evm: EVM): Promise<void> {
  // The class of the frames is not exported: one of them leads to it.
  const { runState } = await evm.runCode({ code: new Uint8Array(1), gasLimit: 1n })
  const frame = (runState as unknown as { interpreter: Interpreter }).interpreter
  const prototype = Object.getPrototypeOf(frame) as Interpreter
  if (sped.has(prototype)) return
  sped.add(prototype)
  const { _getValidJumpDestinations: analyse, run } = prototype

  function analysisOf(frame: Interpreter, code: Uint8Array): Analysis {
    const known = knownOf(frame)
    let analysis = known.get(code)
    if (!analysis) known.set(code, (analysis = analyse.call(frame, code)))
    return analysis
  }

  const work: Work = {
    _getValidJumpDestinations(code) {
      return analysisOf(this, code)
    },
    run(code, options) {
      const { _evm: evm, common } = this
      // Steps that somebody listens to, and what this chain does not use, are the EVM's own to run.
      const isPlain = evm.events.listenerCount('step') === 0 && options?.pc === undefined
      if (!isPlain || common.isActivatedEIP(3540)) return run.call(this, code, options)
      return runFrame(this, code, () => analysisOf(this, code))
    },
  }
  Object.assign(prototype, work)
}

async function runFrame(
  frame: Interpreter,
  code: Uint8Array,
  analyse: () => Analysis,
): Promise<Outcome> {
  const { _runState: state, common } = frame
  state.code = code
  const known = knownOf(frame).get(code)
  let operations = known && use(state, known)
  try {
    while (state.programCounter < code.length) {
      const opcode = code[state.programCounter] as number
      if (!operations && isJump(opcode)) operations = use(state, analyse())
      const operation = operations?.[state.programCounter] ?? frame.lookupOpInfo(opcode)
      const { opcodeInfo } = operation
      state.opCode = opcode
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
    if (error.error !== EVMError.errorMessages.STOP)
      return { runState: state, exceptionError: error }
  }
  return { runState: state }
}

function use(state: RunState, { jumps, opcodesCached, pushes }: Analysis) {
  state.validJumps = jumps
  state.cachedPushes = pushes
  state.shouldDoJumpAnalysis = false
  return opcodesCached
}

const isJump = (opcode: number) => opcode === 0x56 || opcode === 0x57
