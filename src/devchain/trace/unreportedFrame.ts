import type { CallKind } from '../../codec/callFrame.ts'
import { stackAddress } from '../vm/energy.ts'
import { native, type VmState } from '../vm/vmState.ts'
import type { Frame, Step } from './frame.ts'
import { sliceOf } from './memory.ts'

/** The kind of frame that each operation begins. CALLTOKEN (0xd0) is a call with a TRC-10 token. */
const KINDS: Readonly<Record<number, CallKind>> = {
  0xd0: 'CALL',
  0xf0: 'CREATE',
  0xf1: 'CALL',
  0xf2: 'CALLCODE',
  0xf4: 'DELEGATECALL',
  0xf5: 'CREATE2',
  0xfa: 'STATICCALL',
  0xff: 'SELFDESTRUCT',
}

const CALLTOKEN = 0xd0

/** Greatest depth of calls on the real chain; a hardfork of Ethereum has a greater one. */
const MAX_DEPTH = 64

/** Additional gas of a call with a value. */
const STIPEND = 2_300n

/**
 * The frame of an operation for which the EVM reports no frame: a destruction, or a call that fails at once because of an
 * insufficient balance or its depth. `parent` is the frame of the operation.
 */
export function unreportedFrame(step: Step, parent: Frame, state: VmState): Frame | undefined {
  const kind = KINDS[step.code]
  if (!kind) return undefined
  const balance = state.top().get('account', step.address)?.balance ?? 0n
  const at = (index: number) => step.stack.at(-1 - index) ?? 0n
  const input = (index: number) => sliceOf(step.memory, at(index), at(index + 1))
  const creates = kind === 'CREATE' || kind === 'CREATE2'
  const takesValue = kind === 'CALL' || kind === 'CALLCODE'
  const sent = creates ? at(0) : takesValue ? at(2) : 0n
  const error =
    step.depth < MAX_DEPTH || sent > balance
      ? 'insufficient balance for transfer'
      : 'max call depth exceeded'
  const frame = {
    from: step.address,
    gas: 0n,
    gasUsed: 0n,
    input: new Uint8Array(0),
    output: new Uint8Array(0),
    calls: [],
    logs: [],
  }
  if (kind === 'SELFDESTRUCT')
    return { ...frame, kind, to: native(stackAddress(at(0))), value: balance }
  const left = step.gas - step.cost
  const most = left - left / 64n
  if (creates) return { ...frame, kind, value: sent, gas: most, input: input(1), error }
  const to = native(stackAddress(at(1)))
  const gas = (at(0) < most ? at(0) : most) + (sent > 0n ? STIPEND : 0n)
  const common = { ...frame, kind, to, gas, error }
  if (step.code === CALLTOKEN) return { ...common, value: 0n, input: input(4) }
  if (kind === 'STATICCALL') return { ...common, input: input(2) }
  if (kind === 'DELEGATECALL') return { ...common, value: parent.value ?? 0n, input: input(2) }
  return { ...common, value: sent, input: input(3) }
}
