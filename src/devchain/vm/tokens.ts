import type { EVMOpts, Message } from '@ethereumjs/evm'

import { stackAddress } from './energy.ts'
import { native } from './vmState.ts'
import type { VmState } from './vmState.ts'

type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]

/** The operations that read TRC-10 tokens. Sending them on from inside a contract (0xd0) is not simulated. */
export function tokenOpcodes(
  state: VmState,
  sent?: { id: bigint; amount: bigint },
): {
  opcodes: NonNullable<EVMOpts['customOpcodes']>
  enter: (message: Message) => undefined
  sent: (message: Message) => { id: string; amount: bigint } | undefined
} {
  const opcodes: CustomOpcode[] = [
    {
      opcode: 0xd1,
      opcodeName: 'TOKENBALANCE',
      baseFee: 20,
      logicFunction(runState) {
        const [id, holder] = runState.stack.popN(2) as [bigint, bigint]
        const account = state.top().get('account', native(stackAddress(holder)))
        runState.stack.push(account?.assets[id.toString()] ?? 0n)
      },
    },
    {
      opcode: 0xd2,
      opcodeName: 'CALLTOKENVALUE',
      baseFee: 2,
      logicFunction(runState) {
        runState.stack.push(runState.env.depth === 0 ? (sent?.amount ?? 0n) : 0n)
      },
    },
    {
      opcode: 0xd3,
      opcodeName: 'CALLTOKENID',
      baseFee: 2,
      logicFunction(runState) {
        runState.stack.push(runState.env.depth === 0 ? (sent?.id ?? 0n) : 0n)
      },
    },
    {
      opcode: 0xd4,
      opcodeName: 'ISCONTRACT',
      baseFee: 20,
      logicFunction(runState) {
        const address = native(stackAddress(runState.stack.pop()))
        runState.stack.push(state.top().get('contract', address) ? 1n : 0n)
      },
    },
  ]
  return {
    opcodes,
    enter: (_message: Message) => undefined,
    sent: (_message: Message): { id: string; amount: bigint } | undefined => undefined,
  }
}
