import type { StateReader } from '../state/state.ts'

/** The first bytes of the code of an account that uses the code of a contract (EIP-7702). The address of the contract follows. */
const PREFIX = Uint8Array.of(0xef, 0x01, 0x00)

const NONE = new Uint8Array(0)

/** The code with which an account uses that of a contract. Addresses are 42 hex characters. */
export function delegationTo(contract: string): Uint8Array {
  return Uint8Array.from([...PREFIX, ...Buffer.from(contract.slice(2), 'hex')])
}

/** Whether an account uses the code of a contract. */
export function isDelegation(code: Uint8Array | undefined): code is Uint8Array {
  return code?.length === 23 && PREFIX.every((byte, index) => code[index] === byte)
}

/** The code that runs in a call of an account: its own, or that of the contract that it uses. */
export function executedCode(
  state: Pick<StateReader, 'get'>,
  address: string,
): Uint8Array | undefined {
  const code = state.get('code', address)
  if (!isDelegation(code)) return code
  return state.get('code', `41${Buffer.from(code.subarray(3)).toString('hex')}`) ?? NONE
}
