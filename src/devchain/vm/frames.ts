import type { EVM, Message } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'

import { isTaken, recordCreated } from '../state/created.ts'
import type { Hardfork } from '../state/hardforks.ts'
import { newContract } from '../state/model.ts'
import { countNonce, nonceOf } from '../state/nonce.ts'
import { evmAddress } from './adapters.ts'
import { createdInside, createdWithNonce, createdWithSalt } from './createdAddress.ts'
import type { AddressRule } from './createdAddress.ts'
import type { createInternalLog } from './internal.ts'
import type { TokenCalls } from './tokens.ts'
import { native, type VmState } from './vmState.ts'

/** The account that `console.sol` calls with its output. It has no code. */
const CONSOLE = '41000000000000000000636f6e736f6c652e6c6f67'

const CREATED_NAME = Buffer.from('CreatedByContract').toString('hex')

/**
 * Follows the calls and creations inside one run: records them as internal transactions, and creates the records of new
 * contracts. Returns the function by which the EVM gets the address of a new contract.
 */
export function followFrames(
  evm: EVM,
  options: followFrames.Options,
): (message: Message) => Address {
  const { internal, rule, state, tokens, transactionId } = options
  const addresses = new WeakMap<Message, Address>()
  /** The caller of each frame. */
  const callers: Address[] = []
  let salted = false

  // Before the proposal "Istanbul" CREATE2 used the caller of the creating contract instead of the contract.
  const deployerOf = (message: Message) =>
    options.isIstanbul ? message.caller : (callers.at(-1) ?? message.caller)

  function derive(message: Message): string {
    const top = state.top()
    const creator = native(message.caller)
    if (rule === 'ethereum') countNonce(top, creator)
    if (message.salt) {
      const code = (message.code as Uint8Array | undefined) ?? message.data
      return createdWithSalt(rule, native(deployerOf(message)), message.salt, code)
    }
    return rule === 'ethereum'
      ? createdWithNonce(creator, nonceOf(top, creator) - 1n)
      : createdInside(transactionId, internal.nonce())
  }

  function addressFor(message: Message): Address {
    const known = addresses.get(message)
    if (known) return known
    const address = evmAddress(message.depth === 0 ? options.to : derive(message))
    addresses.set(message, address)
    return address
  }

  evm.events.on('beforeMessage', (message) => {
    if (message.depth === 0) return
    const token = tokens.enter(message)
    if (!message.to) {
      const to = native(addressFor(message))
      const caller = native(message.caller)
      internal.enter({ caller, to, value: message.value, note: 'create' }, message.data)
      return
    }
    if (evm.getPrecompile(message.codeAddress)) return internal.enter()
    const to = native(message.to)
    // A copy, because the data lies in the memory of the caller, which changes it later.
    if (to === CONSOLE) options.printed.push(message.data.slice())
    const text = to === CONSOLE && { data: Buffer.from(message.data).toString('hex') }
    const caller = message.delegatecall ? to : native(message.caller)
    const value = message.delegatecall ? 0n : message.value
    const entry = {
      caller,
      to,
      value,
      note: 'call',
      ...(token && { tokens: [token] }),
      ...text,
    } as const
    internal.enter(entry, message.data)
  })
  evm.events.on('beforeMessage', ({ caller, salt }) => {
    salted = salt !== undefined
    callers.push(caller)
  })
  evm.events.on('afterMessage', (result) => {
    callers.pop()
    if (callers.length > 0) internal.leave(result.execResult.exceptionError !== undefined)
  })
  evm.events.on('newContract', ({ address }) => {
    state.markUsed(address)
    if (callers.length > 1) recordContract(native(address))
  })

  function recordContract(address: string): void {
    const record = internal.records.findLast(({ note, to }) => to === address && note === 'create')
    const contract = newContract(address, record?.caller ?? options.to)
    recordCreated(
      state.top(),
      { ...contract, ...(salted && { trxHash: transactionId }) },
      CREATED_NAME,
    )
  }

  return (message) => {
    const address = addressFor(message)
    if (message.depth === 0 || !isTaken(state.top(), native(address), options.hardfork))
      state.vacate(address)
    return address
  }
}

export declare namespace followFrames {
  type Options = {
    hardfork: Hardfork | undefined
    internal: ReturnType<typeof createInternalLog>
    isIstanbul: boolean
    /** Called with the data of each call of the console. */
    printed: Uint8Array[]
    rule: AddressRule
    state: VmState
    /** The called account or the created contract. */
    to: string
    tokens: TokenCalls
    transactionId: string
  }
}
