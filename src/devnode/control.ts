import type { Hash } from 'viem'
import { numberToHex } from 'viem/utils'

import { readFaults } from '../devchain/index.ts'
import type { DevChain } from '../devchain/index.ts'
import { RpcError } from '../errors.ts'
import { type AnyMethod, defineMethod } from '../jsonrpc/method.ts'
import {
  address,
  bytes,
  hash,
  isObject,
  maybe,
  member,
  optional,
  type Param,
  show,
} from '../jsonrpc/params.ts'
import { toNativeAddress } from '../lib/address.ts'
import { named, twins } from './named.ts'
import { amount } from './requests.ts'
import type { Unlocked } from './unlocked.ts'

type Forking = { jsonRpcUrl?: string | undefined; blockNumber?: bigint | undefined }

const text: Param<string> = (input) => {
  if (typeof input !== 'string') throw new Error(`expected a text, got ${show(input)}`)
  return input
}

/** What `hardhat_reset` takes: nothing, or the chain to fork. */
const resetRequest: Param<{ forking?: Forking }> = (input) => {
  if (!isObject(input)) throw new Error(`expected an object, got ${show(input)}`)
  const { forking } = input
  if (forking === undefined || forking === null) return {}
  if (!isObject(forking)) throw new Error(`forking: expected an object, got ${show(forking)}`)
  return {
    forking: {
      jsonRpcUrl: member(forking, 'jsonRpcUrl', maybe(text)),
      blockNumber: member(forking, 'blockNumber', maybe(amount)),
    },
  }
}

/** The methods for snapshots, the pool, the whole state and faults. */
export function controlMethods(chain: DevChain, unlocked: Unlocked): Record<string, AnyMethod> {
  const { ledger } = chain

  /** A running chain keeps to what it was started from. */
  function checkForking({ blockNumber, jsonRpcUrl }: Forking): void {
    const advice = 'start one with “ethgate dev --fork URL --fork-block N”'
    const { fork } = chain
    if (!fork) throw new RpcError(-32000, `this chain is not a fork: ${advice}`)
    if (jsonRpcUrl !== undefined && !fork.urls.includes(jsonRpcUrl))
      throw new RpcError(-32000, `this chain is a fork of another node: ${advice}`)
    const { number } = fork.block.header
    if (blockNumber !== undefined && Number(blockNumber) !== number)
      throw new RpcError(-32000, `this chain goes on from block ${number}; for another ${advice}`)
  }

  const evm_snapshot = defineMethod({
    params: [],
    summary: 'remembers the chain as it is; the answer is for evm_revert',
    handler: () => numberToHex(chain.snapshot()),
  })

  const evm_revert = defineMethod({
    params: [amount],
    summary: 'goes back to a snapshot, which is used up with all that were made after it',
    handler: (_, [id]) => chain.revert(Number(id)),
  })

  const dev_setFaults = defineMethod({
    params: [
      (input) => {
        try {
          return readFaults(input)
        } catch (error) {
          throw new Error((error as Error).message, { cause: error })
        }
      },
    ],
    summary:
      'makes the native interface slow, wrong or absent, to drill what stands in front of it',
    handler(_, [faults]) {
      chain.setFaults(faults)
      return faults
    },
  })

  async function drop(transaction: Hash): Promise<boolean> {
    const id = transaction.slice(2)
    const isWaiting = ledger.pool().some((item) => item.transaction.id === id)
    await ledger.drop((item) => item.id === id)
    return isWaiting
  }

  const hardhat_dropTransaction = defineMethod({
    params: [hash],
    summary: 'takes a transaction out of the pool; false when it does not wait',
    handler: (_, [transaction]) => drop(transaction),
  })

  const anvil_dropTransaction = defineMethod({
    params: [hash],
    summary: 'takes a transaction out of the pool; answers its hash, null when it does not wait',
    handler: async (_, [transaction]) => ((await drop(transaction)) ? transaction : null),
  })

  const dropAllTransactions = defineMethod({
    params: [],
    summary: 'empties the pool',
    async handler() {
      await ledger.drop(() => true)
      return null
    },
  })

  const removePoolTransactions = defineMethod({
    params: [address],
    summary: 'takes the transactions of an account out of the pool',
    async handler(_, [who]) {
      const from = toNativeAddress(who)
      await ledger.drop(({ ethereum }) => ethereum?.from === from)
      return null
    },
  })

  const reset = defineMethod({
    params: [optional(resetRequest, {})],
    summary: 'goes back to the chain as it was when it was started, on the same fork block',
    async handler(_, [{ forking }]) {
      if (forking) checkForking(forking)
      await chain.reset()
      unlocked.clear()
      return true
    },
  })

  const dumpState = defineMethod({
    params: [],
    summary: 'accounts, code and storage as bytes, for loadState',
    handler: () => `0x${Buffer.from(chain.dumpState()).toString('hex')}`,
  })

  const loadState = defineMethod({
    params: [bytes],
    summary: 'adds a dumped state to the newest one',
    async handler(_, [dump]) {
      await chain.loadState(Buffer.from(dump.slice(2), 'hex')).catch((error: unknown) => {
        throw new RpcError(-32602, (error as Error).message, { cause: error })
      })
      return true
    },
  })

  return {
    ...named(['evm', 'anvil'], 'snapshot', evm_snapshot),
    ...named(['evm', 'anvil'], 'revert', evm_revert),
    anvil_dropTransaction,
    hardhat_dropTransaction,
    ...named(['anvil', 'hardhat'], 'dropAllTransactions', dropAllTransactions),
    anvil_removePoolTransactions: removePoolTransactions,
    ...twins({}, 'reset', reset),
    ...named(['anvil', 'hardhat'], 'dumpState', dumpState),
    ...named(['anvil', 'hardhat'], 'loadState', loadState),
    dev_setFaults,
  }
}
