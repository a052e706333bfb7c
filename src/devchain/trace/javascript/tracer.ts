import type { JavaScriptTracer } from '../../../codec/traceRequest.ts'
import type { Unit } from '../../../codec/unit.ts'
import { currentTurn } from '../../../lib/turn.ts'
import { balanceOf } from '../../state/balance.ts'
import { readFetching } from '../../state/missing.ts'
import { nonceOf } from '../../state/nonce.ts'
import type { StateReader } from '../../state/state.ts'
import { createdWithNonce, createdWithSalt } from '../../vm/createdAddress.ts'
import { native, slotKey } from '../../vm/vmState.ts'
import type { Frame, Step } from '../frame.ts'
import { recordFrames } from '../frames.ts'
import { sliceOf } from '../memory.ts'
import { touchedBy, word } from '../touched.ts'
import type { TracedRun, Tracer } from '../tracer.ts'
import { type Sandbox, TracerError } from './sandbox.ts'

/** A running frame, as `log.contract` shows it. */
type Contract = { address: string; caller: string; value: bigint; input: Uint8Array; last?: Step }

/** Milliseconds after which other work has a turn. */
const SLICE = 50

/** Most bytes beyond the memory that a tracer may read, as in geth. */
const PADDING = 1024 * 1024

const NO_ADDRESS = '00'.repeat(20)

/** A tracer in JavaScript, with the interface of geth. Amounts are in `unit`. @throws TracerError when it is not a tracer */
export function createJavaScriptTracer(
  { code, config }: JavaScriptTracer,
  sandbox: Sandbox,
  unit: Unit,
): Tracer {
  const { hasFrames, hasStep } = JSON.parse(sandbox.call('open', { code, config }) as string) as {
    hasFrames: boolean
    hasStep: boolean
  }
  const open: Contract[] = []
  let builtIns: { has(address: string): boolean } = new Set()
  let state: Pick<StateReader, 'get'>
  let root: () => Frame | undefined = () => undefined
  let refund = 0n
  let current: Step | undefined
  /** A creation whose address is not known yet. */
  let entering: Frame | undefined

  const amount = (value: bigint) => unit.fromSun(value).toString(16)

  /** Answers a question of the tracer, which can be anything. */
  function answerOf(question: unknown): unknown {
    const [name, ...words] = question as readonly unknown[]
    const hex = (index: number) => {
      const word = words[index]
      if (typeof word !== 'string' || !/^([0-9a-f]{2})*$/.test(word)) throw invalid()
      return word
    }
    const number = (index: number) => {
      const word = words[index]
      if (typeof word !== 'number' || !Number.isSafeInteger(word) || word < 0) throw invalid()
      return word
    }
    const address = () => `41${hex(0)}`
    const bytes = (index: number) => Buffer.from(hex(index), 'hex')
    switch (name) {
      case 'memory': {
        const [start, end] = [number(0), number(1)]
        const memory = current?.memory ?? new Uint8Array(0)
        if (end - Math.max(memory.length, start) > PADDING)
          throw new TracerError(`reached limit for padding memory slice: ${end - memory.length}`)
        return toHex(sliceOf(memory, BigInt(start), BigInt(end - start)))
      }
      case 'input':
        return toHex(open.at(-1)?.input ?? new Uint8Array(0))
      case 'getBalance':
        return amount(balanceOf(state, address()))
      case 'getNonce':
        return Number(nonceOf(state, address()))
      case 'getCode':
        return toHex(state.get('code', address()) ?? new Uint8Array(0))
      case 'getState':
        return (state.get('storage', slotKey(state, address(), bytes(1))) ?? '').padStart(64, '0')
      case 'exists':
        return state.get('account', address()) !== undefined
      case 'isPrecompiled':
        return builtIns.has(hex(0))
      case 'toContract':
        return createdWithNonce(address(), BigInt(number(1))).slice(2)
      case 'toContract2':
        return createdWithSalt('ethereum', address(), bytes(1), bytes(2)).slice(2)
      default:
        throw invalid()
    }
  }

  const call = (name: string, values: object) => sandbox.call(name, values, answerOf)

  function log(name: 'fault' | 'step', step: Step, error: string | undefined): void {
    const { address, caller, value } = open[step.depth] as Contract
    current = step
    call(name, {
      op: step.code,
      name: step.name,
      pc: step.pc,
      gas: Number(step.gas),
      cost: Number(step.cost),
      depth: step.depth + 1,
      refund: Number(refund),
      error,
      memory: step.memory.length,
      stack: step.stack.map((item) => item.toString(16)).join(),
      address: address.slice(2),
      caller: caller.slice(2),
      value: amount(value),
    })
  }

  function step(step: Step): void {
    enterCreated()
    const contract = open[step.depth] as Contract
    contract.last = step
    contract.address = step.address
    if (hasStep) log('step', step, lacksGas(step) ? 'out of gas' : undefined)
  }

  function enter(frame: Frame, depth: number): void {
    enterCreated()
    const { from, input, kind, to, value = 0n } = frame
    const caller = kind === 'DELEGATECALL' ? (open.at(-1)?.caller ?? from) : from
    open[depth] = { address: to ?? `41${NO_ADDRESS}`, caller, input, value }
    open.length = depth + 1
    if (depth === 0) return
    entering = frame
    if (!kind.startsWith('CREATE')) enterCreated()
  }

  /** Reports a frame. The EVM says the address of a new contract after the beginning of its frame. */
  function enterCreated(): void {
    if (!entering) return
    const { from, gas, input, kind, to, value } = entering
    entering = undefined
    if (hasFrames)
      call('enter', {
        type: kind,
        from: from.slice(2),
        to: to?.slice(2) ?? NO_ADDRESS,
        input: toHex(input),
        gas: Number(gas),
        value: value === undefined ? undefined : amount(value),
      })
  }

  function leave({ error, gasUsed, output }: Frame, depth: number): void {
    enterCreated()
    const last = open[depth]?.last
    // Geth reports the lack of gas at the operation.
    if (error !== undefined && last && !lacksGas(last)) log('fault', last, error)
    open.length = depth
    if (depth > 0 && hasFrames)
      call('exit', { error, gasUsed: Number(gasUsed), output: toHex(output) })
  }

  /** Loads what an operation uses, which the tracer may read before the EVM does. It cannot wait for it. */
  function load(step: Pick<Step, 'address' | 'code' | 'stack'>, from: StateReader) {
    const { account, slot } = touchedBy(step)
    if (slot !== undefined)
      return readFetching(() =>
        from.get('storage', slotKey(from, step.address, Buffer.from(word(slot), 'hex'))),
      )
    if (account === undefined) return undefined
    const address = `41${word(account).slice(-40)}`
    return readFetching(() => [from.get('account', address), from.get('code', address)])
  }

  return {
    observe(events, vmState, precompiles) {
      const turn = currentTurn()
      let since = performance.now()
      state = { get: (...key) => vmState.top().get(...key) }
      builtIns = precompiles
      events.on('newContract', ({ address }) => {
        if (entering) entering.to ??= native(address)
      })
      // Before the listener of the tracer.
      events.on('step', ({ address, gasRefund, opcode, stack }, resume) => {
        refund = gasRefund
        const isOver = turn.isOver() || performance.now() - since > SLICE
        const used = { address: native(address), code: opcode.code, stack }
        const loading = hasStep ? load(used, vmState.top()) : undefined
        if (!isOver && !(loading instanceof Promise)) return resume?.()
        const next = isOver ? turn.next() : undefined
        const go = () => {
          since = performance.now()
          resume?.()
        }
        // If it cannot be loaded, its next read throws.
        void Promise.all([loading, next]).then(go, go)
      })
      ;({ root } = recordFrames(events, vmState, { enter, leave, step }))
    },
    result(run) {
      state = run.after
      const text = call('result', contextOf(run, root() ?? run.plain, amount))
      try {
        return text === undefined ? null : (JSON.parse(text) as unknown)
      } catch (cause) {
        throw new TracerError('the result of the tracer is no JSON', { cause })
      }
    },
  }
}

const invalid = () => new TracerError('a function of the tracer got an invalid argument')

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

const lacksGas = ({ cost, gas }: Step) => cost > gas

/** The first argument of `result`. */
function contextOf(
  { failed, gas, gasUsed, output, place, producer }: TracedRun,
  frame: Frame,
  amount: (value: bigint) => string,
) {
  const { blockHash, number, price, transaction } = place
  return {
    type: frame.kind,
    gas: Number(gas ?? frame.gas),
    gasUsed: Number(gasUsed),
    block: number,
    ...(failed && { error: frame.error ?? 'execution reverted' }),
    ...(transaction && { txIndex: transaction.index }),
    amounts: { gasPrice: amount(price), value: amount(frame.value ?? 0n) },
    bytes: {
      from: frame.from.slice(2),
      to: frame.to?.slice(2) ?? NO_ADDRESS,
      input: toHex(frame.input),
      output: toHex(output),
      coinbase: producer.slice(2),
      ...(blockHash && { blockHash }),
      ...(transaction && { txHash: transaction.hash }),
    },
  }
}
