import type { Address, Hex } from 'viem'

import { toNativeAddress } from '../../lib/address.ts'
import { runProbe } from './call.ts'
import type { StateRead } from './stateRead.ts'

/** The code that runs at an address, `0x` when there is none. @throws HistoricalStateError */
export async function codeAt(address: Address, state: StateRead): Promise<Hex> {
  const { native, source, call } = state
  if (source.at !== 'latest') return runProbe(extCodeCopy(address), state)
  const code = await native.wallet.getRuntimeCode({ value: toNativeAddress(address) }, call)
  return `0x${code ?? ''}`
}

/** Creation code that reverts with the code of an account: the solidified state has no query for it. */
function extCodeCopy(address: Address): Hex {
  const account = address.slice(2)
  // PUSH20 a · EXTCODESIZE · DUP1 · PUSH1 0 · PUSH1 0 · PUSH20 a · EXTCODECOPY · PUSH1 0 · REVERT
  return `0x73${account}3b806000600073${account}3c6000fd`
}
