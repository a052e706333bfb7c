import type { Common } from '@ethereumjs/common'
import { getOpcodesForHF, type Message } from '@ethereumjs/evm'

import { MAX_INT64 } from '../../lib/int64.ts'
import { readFetching } from '../state/missing.ts'
import { type Account, newAccount } from '../state/model.ts'
import { stackAddress } from './energy.ts'
import { ExecutionError, TransferError } from './failure.ts'
import {
  type AddOpcode,
  assertAmount,
  type CustomOpcode,
  refusedTransfer,
  STIPEND,
} from './opcode.ts'
import { isPrecompiled } from './precompiles.ts'
import { native, type VmState } from './vmState.ts'

type Token = { id: bigint; amount: bigint }

/** The tokens that the calls of one run transfer. */
export type TokenCalls = ReturnType<typeof createTokenCalls>

const CALL = 0xf1

/** Token ids are larger than this, and fit in an int64. */
export const MIN_TOKEN = 1_000_000n

const INVALID_ID = 'validateForSmartContract failure:not valid token id'
const NO_RECEIVER =
  'validateForSmartContract failure:Validate InternalTransfer error, no ToAccount. And not allowed to create account in smart contract.'

/** Index of the token's id among the operands of CALLTOKEN. The others are those of CALL. */
const TOKEN_ID = 3

/**
 * Tracks the tokens that the calls of one run transfer.
 *
 * @param sent - The token of the outermost call.
 * @param now - Creation time of new accounts, milliseconds.
 */
export function createTokenCalls(state: VmState, now: number, sent?: Token) {
  /** The token of the call at each depth. */
  const received: (Token | undefined)[] = [sent]
  let leaving: Token | undefined

  function move(from: string, to: string, { id, amount }: Token): void {
    const top = state.top()
    const change = (address: string, by: bigint) => {
      const account: Account = top.get('account', address) ?? newAccount(address, 'Normal', now)
      const key = id.toString()
      const assets = { ...account.assets, [key]: (account.assets[key] ?? 0n) + by }
      top.set('account', address, { ...account, assets })
    }
    change(from, -amount)
    change(to, amount)
  }

  return {
    state,
    receivedAt: (depth: number) => received[depth],
    holds: async (address: string, id: bigint): Promise<bigint> =>
      readFetching(() => state.top().get('account', address)?.assets[id.toString()] ?? 0n),

    move,

    /** Moves all tokens of a contract that destroys itself to its heir. If it is its own heir, they are destroyed with it. */
    moveAll(from: string, to: string): void {
      const held = Object.entries(state.top().get('account', from)?.assets ?? {})
      if (held.length === 0) return
      // Fetched before anything changes.
      state.top().get('account', to)
      for (const [id, amount] of held) if (amount > 0n) move(from, to, { id: BigInt(id), amount })
    },

    /** Sets the token of the next call; undefined for a call without a token. */
    leave: (token: Token | undefined) => void (leaving = token),

    /** Records the token of a call or creation. Returns it, if there is one. */
    enter(message: Message): { id: string; amount: bigint } | undefined {
      const token = leaving
      leaving = undefined
      received[message.depth] = token
      return token && { id: token.id.toString(), amount: token.amount }
    },
  }
}

/**
 * The operations for TRC-10 tokens: CALLTOKEN sends tokens with a call, the others read balances and the tokens of the
 * current call.
 *
 * @param calls - Returns the tokens of the current run.
 */
export function tokenOpcodes(common: Common, calls: () => TokenCalls): CustomOpcode[] {
  const { dynamicGasHandlers, handlers } = getOpcodesForHF(common)
  const callEnergy = dynamicGasHandlers.get(CALL) as NonNullable<AddOpcode['gasFunction']>
  const call = handlers.get(CALL) as AddOpcode['logicFunction']

  return [
    {
      opcode: 0xd0,
      opcodeName: 'CALLTOKEN',
      baseFee: 40,
      async gasFunction(runState, gas, common) {
        const operands = runState.stack.popN(8)
        const push = (items: readonly bigint[]) => {
          for (const item of items.toReversed()) runState.stack.push(item)
        }
        push(operands.toSpliced(TOKEN_ID, 1))
        const energy = await callEnergy(runState, gas, common)
        runState.stack.popN(7)
        push(operands)
        return energy
      },
      async logicFunction(runState, common) {
        const operands = runState.stack.popN(8)
        const [, to, amount, id] = operands as [bigint, bigint, bigint, bigint]
        const address = stackAddress(to)
        assertAmount(runState, address, amount)
        if (id <= MIN_TOKEN || id > MAX_INT64) throw refusedTransfer(runState, amount, INVALID_ID)
        const tokens = calls()
        const from = native(runState.interpreter.getAddress())
        const receiver = native(address)
        if (amount > (await tokens.holds(from, id))) {
          runState.interpreter.addStipend(STIPEND)
          delete runState.messageGasLimit
          runState.stack.push(0n)
          return
        }
        if (amount > 0n) {
          if (from === receiver)
            throw refusedTransfer(
              runState,
              amount,
              'transfer trc10 failed: Cannot transfer asset to yourself.',
            )
          runState.interpreter.addStipend(STIPEND)
          runState.messageGasLimit = (runState.messageGasLimit ?? 0n) + STIPEND
        }
        const account = await readFetching(() => tokens.state.top().get('account', receiver))
        if (amount > 0n && !account && isPrecompiled(address)) throw new ExecutionError(NO_RECEIVER)
        tokens.leave({ id, amount })
        // The transfer of tokens is reverted together with the call.
        await tokens.state.checkpoint()
        if (amount > 0n) tokens.move(from, receiver, { id, amount })
        for (const item of operands.with(2, 0n).toSpliced(TOKEN_ID, 1).toReversed())
          runState.stack.push(item)
        await call(runState, common)
        tokens.leave(undefined)
        const [succeeded] = runState.stack.peek(1)
        if (succeeded === 0n) await tokens.state.revert()
        else await tokens.state.commit()
      },
    },
    {
      opcode: 0xd1,
      opcodeName: 'TOKENBALANCE',
      baseFee: 20,
      async logicFunction(runState) {
        const [id, holder] = runState.stack.popN(2) as [bigint, bigint]
        const signed = BigInt.asIntN(256, id)
        if (signed !== BigInt.asIntN(64, id)) throw new TransferError(INVALID_ID)
        if (signed <= MIN_TOKEN) throw new ExecutionError(INVALID_ID)
        runState.stack.push(await calls().holds(native(stackAddress(holder)), id))
      },
    },
    {
      opcode: 0xd2,
      opcodeName: 'CALLTOKENVALUE',
      baseFee: 2,
      logicFunction(runState) {
        runState.stack.push(calls().receivedAt(runState.env.depth)?.amount ?? 0n)
      },
    },
    {
      opcode: 0xd3,
      opcodeName: 'CALLTOKENID',
      baseFee: 2,
      logicFunction(runState) {
        runState.stack.push(calls().receivedAt(runState.env.depth)?.id ?? 0n)
      },
    },
    {
      opcode: 0xd4,
      opcodeName: 'ISCONTRACT',
      baseFee: 20,
      async logicFunction(runState) {
        const address = native(stackAddress(runState.stack.pop()))
        const { state } = calls()
        runState.stack.push(
          await readFetching(() => (state.top().get('contract', address) ? 1n : 0n)),
        )
      },
    },
  ]
}
