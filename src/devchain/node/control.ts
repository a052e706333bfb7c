import type { Hash } from 'viem'
import { numberToHex } from 'viem/utils'

import { toNativeAddress } from '../../lib/address.ts'
import { RpcError } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import {
  address,
  bytes,
  hash,
  maybe,
  member,
  optional,
  type Param,
  show,
} from '../../rpc/params/params.ts'
import { type DevChain, readFaults, type Unlocked } from '../index.ts'
import { answeringNull, named, returningNull, returningTrue } from './named.ts'
import { amount } from './requests.ts'

type Forking = { jsonRpcUrl?: string | undefined; blockNumber?: bigint | undefined }

const text: Param<string> = (input) => {
  if (typeof input !== 'string') throw new Error(`expected a string, got ${show(input)}`)
  return input
}

/** Parameter of `hardhat_reset`: nothing, or the chain to fork. */
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

/** The input or the output of the Solidity compiler. */
const compilerObject: Param<Record<string, unknown>> = (input) => {
  if (!isObject(input)) throw new Error(`expected an object, got ${show(input)}`)
  return input
}

/** Methods for snapshots, the pool, state dumps, names of errors and faults. */
export function controlMethods(chain: DevChain, unlocked: Unlocked): Record<string, AnyMethod> {
  const { ledger } = chain

  /** A running chain cannot change the node or block that it forks. @throws RpcError when the request gives another one */
  function checkForking({ blockNumber, jsonRpcUrl }: Forking): void {
    const advice = 'start one with “ethgate dev --fork URL --fork-block N”'
    const { fork } = chain
    if (!fork) throw new RpcError(-32000, `this chain is not a fork: ${advice}`)
    if (jsonRpcUrl !== undefined && !fork.urls.includes(jsonRpcUrl))
      throw new RpcError(-32000, `this chain is a fork of another node: ${advice}`)
    const { number } = fork.block.header
    if (blockNumber !== undefined && Number(blockNumber) !== number)
      throw new RpcError(
        -32000,
        `this chain was forked at block ${number}; for another block ${advice}`,
      )
  }

  const evm_snapshot = defineMethod({
    params: [],
    summary: 'takes a snapshot of the chain; returns its id for evm_revert',
    handler: () => numberToHex(chain.snapshot()),
  })

  const evm_revert = defineMethod({
    params: [amount],
    summary:
      'restores a snapshot and deletes it and all later ones; returns false when there is none',
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
    summary: 'makes the native interface slow or faulty, to test its clients',
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
    summary:
      'removes a transaction from the pool; returns false for an unknown one, and fails for a mined one',
    handler(_, [transaction]) {
      // Hardhat's words and code.
      if (ledger.placeOf(transaction.slice(2)))
        throw new RpcError(
          -32602,
          `Transaction ${transaction} cannot be dropped because it's already mined`,
        )
      return drop(transaction)
    },
  })

  const anvil_dropTransaction = defineMethod({
    params: [hash],
    summary: 'removes a transaction from the pool; returns its hash, or null when it is not there',
    handler: async (_, [transaction]) => ((await drop(transaction)) ? transaction : null),
  })

  const dropAllTransactions = returningNull('removes all transactions from the pool', [], () =>
    ledger.drop(() => true),
  )

  const removePoolTransactions = returningNull(
    'removes the transactions of an account from the pool',
    [address],
    async (who) => {
      const from = toNativeAddress(who)
      await ledger.drop(({ ethereum }) => ethereum?.from === from)
    },
  )

  const reset = returningTrue(
    'restores the chain as it was at the start, on the same fork block',
    [optional(resetRequest, {})],
    async ({ forking }) => {
      if (forking) checkForking(forking)
      await chain.reset()
      unlocked.clear()
    },
  )

  const hardhat_reset: AnyMethod = {
    ...reset,
    async handler(...asked) {
      const result = await reset.handler(...asked)
      // As on Hardhat. On anvil they stay as they are.
      chain.restartMining()
      return result
    },
  }

  const dumpState = defineMethod({
    params: [],
    summary: 'returns the chain as bytes, for loadState: blocks, and the state after each of them',
    handler: () => `0x${Buffer.from(chain.dumpState()).toString('hex')}`,
  })

  const loadState = returningTrue('replaces the chain by a dumped one', [bytes], (dump) =>
    chain.loadState(Buffer.from(dump.slice(2), 'hex')).catch((error: unknown) => {
      throw new RpcError(-32602, (error as Error).message, { cause: error })
    }),
  )

  const hardhat_addCompilationResult = returningTrue(
    'adds the errors, ABIs and sources of a compilation, so that failures, pages and the API of Etherscan have them',
    [text, compilerObject, compilerObject],
    (compiler, input, output) => chain.artifacts.addOutput(compiler, input, output),
  )

  return {
    ...named(['evm', 'anvil'], 'snapshot', evm_snapshot),
    ...named(['evm', 'anvil'], 'revert', evm_revert),
    anvil_dropTransaction,
    hardhat_addCompilationResult,
    hardhat_dropTransaction,
    ...named(['anvil', 'hardhat'], 'dropAllTransactions', dropAllTransactions),
    anvil_removePoolTransactions: removePoolTransactions,
    anvil_reset: answeringNull(reset),
    hardhat_reset,
    ...named(['anvil', 'hardhat'], 'dumpState', dumpState),
    ...named(['anvil', 'hardhat'], 'loadState', loadState),
    dev_setFaults,
  }
}
