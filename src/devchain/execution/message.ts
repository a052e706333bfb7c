import { LRUCache } from 'lru-cache'
import type { AccessList } from 'viem'

import { isTaken, recordCreated } from '../state/created.ts'
import { newContract } from '../state/model.ts'
import { createOverlay, type State } from '../state/state.ts'
import type { AppliedAuthorizations } from '../transactions/authorization.ts'
import { COLLISION } from '../vm/failure.ts'
import { failedAtOnce, runVm, type VmResult } from '../vm/run.ts'
import { messageGas, withMessageGas } from './gas.ts'

/** The message of a transaction or call. Addresses are 42 hex characters, data hex without `0x`. */
export type Message = {
  from: string
  /** The called account, or the contract that the message creates. */
  to: string
  isCreation: boolean
  value: bigint
  data: string
  gas: bigint
  accessList?: AccessList | undefined
  authorized?: AppliedAuthorizations | undefined
}

/**
 * Runs a message. Its changes are in `state` afterwards, unless it fails.
 *
 * @throws EthereumError when it has less than the intrinsic gas.
 */
export async function runMessage(
  state: State,
  message: Message,
  options: runMessage.Options,
): Promise<VmResult> {
  const { accessList, authorized, data, from, gas, isCreation, to, value } = message
  const { hardfork } = options.block
  const cost =
    hardfork &&
    messageGas(hardfork, {
      to: isCreation ? undefined : to,
      data,
      gas,
      accessList,
      authorizations: authorized?.all,
    })
  const work = createOverlay(state)
  if (isCreation) {
    if (isTaken(state, to, hardfork)) return failedAtOnce(COLLISION, gas)
    recordCreated(work, {
      ...newContract(to, from),
      bytecode: data,
      callValue: value,
      originEnergyLimit: 10_000_000n,
    })
  }
  const result = await runVm(work, {
    kind: isCreation ? 'create' : 'call',
    caller: from,
    to,
    data: bytesOf(data),
    value,
    energyLimit: gas - (cost?.intrinsic ?? 0n),
    warm: [...(accessList ?? []), ...(authorized?.accounts ?? []).map(warmAccount)],
    ...options,
  })
  if (!result.failure) work.commit()
  return cost && hardfork
    ? withMessageGas(result, cost, { existing: authorized?.existing ?? 0, hardfork })
    : result
}

export declare namespace runMessage {
  type Options = Pick<
    runVm.Options,
    | 'price'
    | 'now'
    | 'transactionId'
    | 'constant'
    | 'timeout'
    | 'block'
    | 'addresses'
    | 'observe'
    | 'explain'
  >
}

/** Bytes of the data that is kept, and the length in hex digits from which data is kept. */
const KEPT_DATA = 4 * 1024 * 1024
const LEAST_KEPT = 4_096

/** Long data by its hex. An estimate runs it several times and the transaction once more; the EVM analyses the same array once. */
const keptData = new LRUCache<string, Uint8Array>({
  maxSize: KEPT_DATA,
  sizeCalculation: ({ length }) => length,
})

function bytesOf(data: string): Uint8Array {
  if (data.length < LEAST_KEPT) return Uint8Array.from(Buffer.from(data, 'hex'))
  let bytes = keptData.get(data)
  if (!bytes) keptData.set(data, (bytes = Uint8Array.from(Buffer.from(data, 'hex'))))
  return bytes
}

const warmAccount = (account: string): AccessList[number] => ({
  address: `0x${account.slice(2)}`,
  storageKeys: [],
})
