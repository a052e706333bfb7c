import { type Hex, TransactionReceiptNotFoundError } from 'viem'

import { broadcastVerdict } from '../../native/broadcastVerdict.ts'
import type { ConstantCall, EnergyEstimate } from '../../native/wire/accountTypes.ts'
import type { Block, TransactionInfo } from '../../sdk/client.ts'
import { type Attempt, UNCERTAIN } from '../../sdk/unconfirmed.ts'
import { CommandError, EXIT, usageError } from '../base/errors.ts'
import { failureOf, NotServedError } from '../base/failures.ts'
import { get } from '../base/json.ts'
import { type Node, textOf } from '../base/node.ts'
import { RpcFailure } from '../base/rpcClient.ts'
import type { Target } from '../node/target.ts'
import { describeRevert } from '../text/abi.ts'
import type { AddressForms } from '../text/address.ts'
import type { Intent } from './intent.ts'

/** The calls that sending a transaction needs, over JSON-RPC or the native HTTP API. */
export type Channel = {
  head(): Promise<Head>
  hasCode(address: AddressForms): Promise<boolean>
  /** What the call returns in the state of this block. @throws CommandError with exit code 3 when it reverts. */
  call(intent: Intent, block: string): Promise<Hex>
  /** Energy that a call or creation needs. @throws CommandError with exit code 3 when it would revert. */
  energy(intent: Intent): Promise<bigint>
  /** The cost of one unit of energy, in the smallest unit. */
  energyPrice(): Promise<bigint>
  /** Sends signed bytes once. Sending the same bytes again is not an error. */
  broadcast(signed: string): Promise<Attempt>
  /** The reason why the same call reverts now; undefined when it does not revert or the reason is unknown. */
  reason(intent: Intent): Promise<CommandError | undefined>
  /** The outcome; undefined while the transaction is not in a block. */
  outcome(txID: string): Promise<Outcome | undefined>
}

/** The newest block: the reference block of a transaction. The expiration counts from its time, in milliseconds. */
type Head = { number: number; hash: string; time: number }

/** The outcome of a transaction in a block. */
export type Outcome = {
  success: boolean
  block: bigint
  energy: bigint
  /** What the sender paid, in the smallest unit; undefined where only the energy is known. */
  fee: bigint | undefined
  /** The price of the energy, of which stakes may have paid a part. */
  energyCost: bigint
  contract: string | undefined
  logs: number
  /** The reason of the failure, if it is known. */
  reason: string | undefined
  /** The receipt or transaction info as received. */
  receipt: unknown
}

/** The node if only a node is given, otherwise the gateway. */
export async function openChannel(target: Target): Promise<Channel> {
  return target.isNodeOnly ? nodeChannel(target.node) : rpcChannel(target)
}

async function rpcChannel(target: Target): Promise<Channel> {
  const client = await target.client()
  const callOf = async ({ call }: Intent) => {
    const { from, value = 0n, ...rest } = call ?? { from: undefined }
    return { ...rest, account: from, value: value * (await target.scale()) } as const
  }
  return {
    async head() {
      const { hash, number, timestamp } = await client.getBlock()
      return { number: Number(number), hash, time: Number(timestamp) * 1000 }
    },
    hasCode: async (address) => (await client.getCode({ address: address.eth })) !== undefined,
    async call({ call }, block) {
      const value = `0x${((call?.value ?? 0n) * (await target.scale())).toString(16)}`
      return (await target.rpc.call('eth_call', [{ ...call, value }, block])) as Hex
    },
    energy: async (intent) => client.estimateGas({ ...(await callOf(intent)), prepare: false }),
    energyPrice: async () => (await client.getGasPrice()) / (await target.scale()),
    broadcast: (signed) =>
      target.rpc.call('eth_sendRawTransaction', [`0x${signed}`]).then(
        () => ({ accepted: true }),
        (error: unknown) =>
          error instanceof RpcFailure && !UNCERTAIN.has(error.code)
            ? { refused: error }
            : { unknown: error },
      ),
    async reason(intent) {
      try {
        await client.call(await callOf(intent))
        return undefined
      } catch (error) {
        const failure = failureOf(error)
        return failure instanceof RpcFailure ? failure : undefined
      }
    },
    async outcome(txID) {
      const hash: Hex = `0x${txID}`
      const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError) return undefined
        throw error
      })
      if (!receipt) return undefined
      const energyCost = (receipt.gasUsed * receipt.effectiveGasPrice) / (await target.scale())
      const isWei = (await target.unit()).decimals === 18
      // A development chain and gateways with the native HTTP API have the exact fee.
      const info = isWei
        ? undefined
        : await target.node.call('gettransactioninfobyid', { value: txID }).catch(() => undefined)
      const burned = BigInt((info as Partial<TransactionInfo> | undefined)?.fee ?? 0)
      const isExact = isWei || burned > 0n || energyCost === 0n
      return {
        success: receipt.status === 'success',
        block: receipt.blockNumber,
        energy: receipt.gasUsed,
        fee: isExact ? (isWei ? energyCost : burned) : undefined,
        energyCost,
        contract: receipt.contractAddress ?? undefined,
        logs: receipt.logs.length,
        reason: undefined,
        receipt: await target.rpc.call('eth_getTransactionReceipt', [hash]),
      }
    },
  }
}

function nodeChannel(node: Node): Channel {
  const ask = async <answer>(operation: string, body?: unknown) =>
    (await node.call(operation, body)) as answer
  async function simulate({ call, value }: Intent) {
    const body = { ...value, ...(call && !call.to && { data: call.data?.slice(2) }) }
    const answer = await ask<ConstantCall>('triggerconstantcontract', body)
    const output: Hex = `0x${answer.constant_result?.join('') ?? ''}`
    if (answer.transaction?.ret?.[0]?.ret === 'FAILED')
      throw new CommandError(`the call would revert: ${describeRevert(output, []).text}`, {
        exitCode: EXIT.reverted,
        details: { data: output },
      })
    return { answer, body, output }
  }
  return {
    async head() {
      const { block_header, blockID } = await ask<Block>('getnowblock')
      const { number = 0, timestamp = 0 } = block_header.raw_data
      return { number, hash: blockID, time: timestamp }
    },
    async hasCode(address) {
      return Object.keys(await ask<object>('getcontract', { value: address.hex })).length > 0
    },
    async call(intent, block) {
      if (block !== 'latest')
        throw usageError('a node calls only in the latest state: give a gateway with --rpc-url')
      // A plain transfer runs no code.
      if (!intent.runsCode) return '0x'
      return (await simulate(intent)).output
    },
    async energy(intent) {
      const { answer, body } = await simulate(intent)
      // Most nodes have no estimate. Then the energy that the simulation used is the estimate. It can be too low, so no other
      // failure leads to it.
      const estimate = await ask<EnergyEstimate>('estimateenergy', body).catch((error: unknown) => {
        if (lacksEstimates(error)) return undefined
        throw error
      })
      return BigInt(estimate?.energy_required ?? answer.energy_used ?? 0)
    },
    async energyPrice() {
      const { prices } = await ask<{ prices: string }>('getenergyprices')
      return BigInt(prices.split(':').at(-1) || '0')
    },
    broadcast: (transaction) =>
      ask('broadcasthex', { transaction }).then(
        (answer) =>
          broadcastVerdict(answer) === 'accepted'
            ? { accepted: true }
            : {
                unknown: new CommandError('broadcasthex: the node did not accept the transaction'),
              },
        (error: unknown) => {
          const verdict = broadcastVerdict(get(failureOf(error).details, 'answer'))
          if (verdict === 'duplicate') return { accepted: true }
          return verdict === 'refused' ? { refused: error } : { unknown: error }
        },
      ),
    // The transaction info contains the reason.
    reason: async () => undefined,
    async outcome(txID) {
      const info = await ask<Partial<TransactionInfo>>('gettransactioninfobyid', { value: txID })
      if (info.id === undefined) return undefined
      const { energy_usage_total = 0, result = 'SUCCESS' } = info.receipt ?? {}
      return {
        success: info.result !== 'FAILED' && result === 'SUCCESS',
        block: BigInt(info.blockNumber ?? 0),
        energy: BigInt(energy_usage_total),
        fee: BigInt(info.fee ?? 0),
        energyCost: 0n,
        contract: info.contract_address,
        logs: info.log?.length ?? 0,
        reason: info.result === 'FAILED' ? reasonOf(info) : undefined,
        receipt: info,
      }
    },
  }
}

/** Whether a node has no estimates: it lacks the operation, or its configuration disables it. */
function lacksEstimates(error: unknown): boolean {
  return (
    error instanceof NotServedError ||
    (error instanceof CommandError &&
      /does not support (?:estimate energy|constant)/.test(error.message))
  )
}

function reasonOf({ contractResult, receipt, resMessage }: Partial<TransactionInfo>): string {
  const output = contractResult?.[0] ?? ''
  return output === '' || receipt?.result !== 'REVERT'
    ? textOf(resMessage ?? '')
    : describeRevert(`0x${output}`, []).text
}
