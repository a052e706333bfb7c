import type { Common, ParamsDict } from '@ethereumjs/common'
import { EVMError, getOpcodesForHF, paramsEVM } from '@ethereumjs/evm'
import { Address, bigIntToBytes, setLengthLeft } from '@ethereumjs/util'

import { ExecutionError, ReturnDataError } from './failure.ts'
import {
  type AddOpcode,
  assertAmount,
  type CustomOpcode,
  refusedTransfer,
  type RunState,
} from './opcode.ts'
import { hashWork, type Pace } from './pace.ts'
import { isPrecompiled } from './precompiles.ts'
import { hashWord, type LoadSlot, wordOpcodes } from './wordOpcodes.ts'

/**
 * The prices of operations that differ from the EVM's schedule: state access has the price from before the Ethereum forks
 * of 2019 and 2021 (no warm and cold access), copies have no base price, and the greatest call depth is 64.
 */
const ENERGY: Readonly<Record<string, number>> = {
  expByteGas: 10,
  sloadGas: 50,
  balanceGas: 20,
  extcodesizeGas: 20,
  extcodecopyGas: 20,
  extcodehashGas: 400,
  callGas: 40,
  callcodeGas: 40,
  delegatecallGas: 40,
  staticcallGas: 40,
  selfdestructGas: 0,
  calldatacopyGas: 0,
  codecopyGas: 0,
  returndatacopyGas: 0,
  initCodeWordGas: 0,
  coldsloadGas: 0,
  coldaccountaccessGas: 0,
  warmstoragereadGas: 0,
  stackLimit: 64,
}

const SET_STORAGE = 20_000n
const CHANGE_STORAGE = 5_000n
const NEW_ACCOUNT = 25_000n
const CALL = 0xf1
const CALL_ENERGY = 40

/**
 * The parameters of an EVM that charges energy.
 *
 * @param pricedMemory - Whether memory access has a base price (proposal 65).
 * @param cheapCurves - Whether the proposal "Istanbul" is in force: operations on bn254 are cheaper.
 */
export function energyParams(pricedMemory: boolean, cheapCurves: boolean): ParamsDict {
  const params = structuredClone(paramsEVM) as Record<string, Record<string, unknown>>
  const memory = pricedMemory ? 1 : 0
  const curves = cheapCurves
    ? {}
    : {
        bn254AddGas: 500,
        bn254MulGas: 40_000,
        bn254PairingGas: 100_000,
        bn254PairingWordGas: 80_000,
      }
  const prices: Record<string, number> = {
    ...ENERGY,
    ...curves,
    mloadGas: memory,
    mstoreGas: memory,
    mstore8Gas: memory,
  }
  for (const group of Object.values(params))
    for (const name of Object.keys(group)) if (name in prices) group[name] = prices[name]
  return params as ParamsDict
}

/** Stops a frame with one of the EVM's own errors. */
function trap(message: keyof typeof EVMError.errorMessages): never {
  throw new EVMError(EVMError.errorMessages[message])
}

/** The 20 bytes of an address on the stack. */
export function stackAddress(word: bigint): Address {
  return new Address(setLengthLeft(bigIntToBytes(word & ((1n << 160n) - 1n)), 20))
}

/** Operations of every EVM that report to the chain. Their prices are those of the EVM. */
export function reportingOpcodes(common: Common, hooks: reportingOpcodes.Hooks): CustomOpcode[] {
  const { dynamicGasHandlers, handlers } = getOpcodesForHF(common)
  const handler = (opcode: number) => handlers.get(opcode) as AddOpcode['logicFunction']
  const destructGas = dynamicGasHandlers.get(0xff) as NonNullable<AddOpcode['gasFunction']>

  const jump = (opcode: number, opcodeName: string, baseFee: number): AddOpcode => {
    const run = handler(opcode)
    return {
      opcode,
      opcodeName,
      baseFee,
      logicFunction(runState, common) {
        const pause = hooks.pace(1)
        return pause ? after(pause, run, runState, common) : run(runState, common)
      },
    }
  }

  const hash: AddOpcode['logicFunction'] = ({ memory, stack }) => {
    const [offset, length] = stack.popN(2) as [bigint, bigint]
    stack.push(hashWord(memory.read(length === 0n ? 0 : Number(offset), Number(length), true)))
  }

  return [
    ...wordOpcodes(common, hooks.load),
    {
      opcode: 0x20,
      opcodeName: 'KECCAK256',
      baseFee: Number(common.param('keccak256Gas')),
      gasFunction: dynamicGasHandlers.get(0x20) as NonNullable<AddOpcode['gasFunction']>,
      logicFunction(runState, common) {
        const [, length] = runState.stack.peek(2) as [bigint, bigint]
        const pause = hooks.pace(hashWork(Number(length)))
        return pause ? after(pause, hash, runState, common) : hash(runState, common)
      },
    },
    {
      opcode: 0x5a,
      opcodeName: 'GAS',
      baseFee: 2,
      logicFunction(runState, common) {
        hooks.onGas()
        return handler(0x5a)(runState, common)
      },
    },
    jump(0x56, 'JUMP', 8),
    jump(0x57, 'JUMPI', 10),
    {
      opcode: 0xff,
      opcodeName: 'SELFDESTRUCT',
      baseFee: Number(common.param('selfdestructGas')),
      gasFunction: destructGas,
      async logicFunction(runState, common) {
        const [heir] = runState.stack.peek(1) as [bigint]
        await hooks.onSelfdestruct(runState.interpreter.getAddress(), stackAddress(heir))
        return handler(0xff)(runState, common)
      },
    },
  ]
}

/** Runs an operation after other work. A function of its own, because one inside an operation takes memory for each jump. */
async function after(
  pause: Promise<void>,
  run: AddOpcode['logicFunction'],
  runState: Parameters<AddOpcode['logicFunction']>[0],
  common: Common,
): Promise<void> {
  await pause
  await run(runState, common)
}

export declare namespace reportingOpcodes {
  type Hooks = {
    load: LoadSlot
    /** Called before each jump and hash, see {@link Pace}. */
    pace: Pace['step']
    onSelfdestruct: (contract: Address, heir: Address) => Promise<void> | void
    /** Called when a contract reads its remaining energy. */
    onGas: () => void
  }
}

/**
 * Checks the receiver of coins that a contract has.
 *
 * @throws TransferError if the contract sends them to itself; ExecutionError for a precompiled contract without an account
 */
async function assertReceiver(runState: RunState, receiver: Address, value: bigint): Promise<void> {
  const { interpreter, stateManager } = runState
  const own = interpreter.getAddress()
  const toSelf = receiver.equals(own)
  if (!toSelf && !isPrecompiled(receiver)) return
  const account = await stateManager.getAccount(own)
  if ((account?.balance ?? 0n) < value) return
  if (toSelf)
    throw refusedTransfer(runState, value, 'transfer trx failed: Cannot transfer TRX to yourself.')
  if (!(await stateManager.getAccount(receiver))) throw new ExecutionError('transfer failure')
}

/** Operations whose price or effect differs from the EVM's. */
export function energyOpcodes(common: Common, options: energyOpcodes.Options): CustomOpcode[] {
  const { dynamicGasHandlers, handlers } = getOpcodesForHF(common)
  const handler = (opcode: number) => handlers.get(opcode) as AddOpcode['logicFunction']
  const copyGas = dynamicGasHandlers.get(0x3e) as NonNullable<AddOpcode['gasFunction']>
  const reporting = reportingOpcodes(common, options)

  /** A call. Where Ethereum moves coins, or finds too few, the chain may stop the caller. */
  const call = (opcode: number, opcodeName: string): AddOpcode => ({
    opcode,
    opcodeName,
    baseFee: CALL_ENERGY,
    gasFunction: dynamicGasHandlers.get(opcode) as NonNullable<AddOpcode['gasFunction']>,
    async logicFunction(runState, common) {
      const [, to, value] = runState.stack.peek(3) as [bigint, bigint, bigint]
      const receiver = stackAddress(to)
      assertAmount(runState, receiver, value)
      if (opcode === CALL && value > 0n) await assertReceiver(runState, receiver, value)
      return handler(opcode)(runState, common)
    },
  })

  return [
    ...reporting,
    call(CALL, 'CALL'),
    call(0xf2, 'CALLCODE'),
    {
      opcode: 0x3e,
      opcodeName: 'RETURNDATACOPY',
      baseFee: 0,
      // The EVM calls a copy beyond the return data out of gas.
      async gasFunction(runState, gas, common) {
        const [, offset, size] = runState.stack.peek(3) as [bigint, bigint, bigint]
        const available = runState.interpreter.getReturnDataSize()
        if (offset + size > available) throw new ReturnDataError(offset, size, available)
        return copyGas(runState, gas, common)
      },
      logicFunction: handler(0x3e),
    },
    {
      opcode: 0x55,
      opcodeName: 'SSTORE',
      baseFee: 0,
      async gasFunction(runState, gas) {
        if (runState.interpreter.isStatic()) trap('STATIC_STATE_CHANGE')
        const [slot, value] = runState.stack.peek(2) as [bigint, bigint]
        const exists = await options.hasSlot(
          runState.interpreter.getAddress(),
          setLengthLeft(bigIntToBytes(slot), 32),
        )
        return gas + (!exists && value !== 0n ? SET_STORAGE : CHANGE_STORAGE)
      },
      logicFunction: handler(0x55),
    },
    {
      ...(reporting.find(({ opcode }) => opcode === 0xff) as AddOpcode),
      async gasFunction(runState, gas) {
        if (runState.interpreter.isStatic()) trap('STATIC_STATE_CHANGE')
        const [heir] = runState.stack.peek(1) as [bigint]
        const dead = (await runState.stateManager.getAccount(stackAddress(heir))) === undefined
        return gas + (options.adjusted && dead ? NEW_ACCOUNT : 0n)
      },
    },
  ]
}

export declare namespace energyOpcodes {
  type Options = reportingOpcodes.Hooks & {
    /** Whether the proposal "energy adjustment" is in force: SELFDESTRUCT to a new account costs its creation. */
    adjusted: boolean
    /** Whether a storage slot was written and not cleared in an earlier transaction. */
    hasSlot: (contract: Address, slot: Uint8Array) => boolean | Promise<boolean>
  }
}
