import type { Abi, AbiFunction } from 'viem'
import { toFunctionSelector } from 'viem/utils'

import type { Artifacts, EmptyRevert } from '../index.ts'

/** Hardhat’s words for a revert without data, after “Transaction reverted”. Those about functions need the artifact of the contract. */
export function emptyRevertText(revert: EmptyRevert | undefined, artifacts: Artifacts): string {
  const text = revert && (abiText(revert, artifacts) ?? CAUSES[revert.cause ?? 'unknown'])
  return text === undefined ? ' without a reason string' : `: ${text}`
}

const CAUSES: Partial<Record<NonNullable<EmptyRevert['cause']> | 'unknown', string>> = {
  noData: 'function returned an unexpected amount of data',
  noGas: 'contract call run out of gas and made the transaction revert',
  notCalled: 'function call failed to execute',
  notContract: 'function call to a non-contract account',
}

/** The words for a call that no function of the contract takes; undefined for other calls and unknown contracts. */
function abiText({ code, input, isCreation, value }: EmptyRevert, artifacts: Artifacts) {
  const contract = isCreation ? undefined : artifacts.contractOf(code)
  if (!contract?.abi.every(hasSelector)) return undefined
  const called = functionOf(contract.abi, input)
  const fallback = contract.abi.find(({ type }) => type === 'fallback')
  const hasReceive = contract.abi.some(({ type }) => type === 'receive')
  const isPayable = (one: object) => 'stateMutability' in one && one.stateMutability === 'payable'
  if (called)
    return value > 0n && !isPayable(called)
      ? `non-payable function was called with value ${value}`
      : undefined
  if (input.length === 0 && hasReceive) return undefined
  const needsReceive = input.length === 0 && !isOld(code)
  if (!fallback)
    return `function selector was not recognized and there's no fallback ${needsReceive ? 'nor receive ' : ''}function`
  if (value === 0n || isPayable(fallback)) return undefined
  const missing = needsReceive ? "there's no receive function, " : ''
  return `${missing}fallback function is not payable and was called with value ${value}`
}

/** Whether the metadata at the end of code is that of Solidity 0.5 or an older one, which has no receive functions. */
const isOld = (code: Uint8Array) =>
  /(?:a165627a7a72305820.{64}0029|64736f6c63430005..0032)$/.test(Buffer.from(code).toString('hex'))

/** Whether the selector follows from the types. Functions of libraries can have types that are no types of an ABI. */
const hasSelector = (item: Abi[number]) =>
  item.type !== 'function' || item.inputs.every(({ type }) => /^[a-z\d[\]]+$/.test(type))

function functionOf(abi: Abi, input: Uint8Array): AbiFunction | undefined {
  const selector = `0x${Buffer.from(input.subarray(0, 4)).toString('hex')}`
  return abi.find(
    (item): item is AbiFunction =>
      item.type === 'function' && toFunctionSelector(item) === selector,
  )
}
