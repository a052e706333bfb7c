import type { AddressForms } from './address.ts'
import { CommandError, EXIT } from './errors.ts'
import type { Intent } from './intent.ts'
import { get, integer, isRecord, scalar } from './json.ts'
import { type Node, textOf } from './node.ts'
import { type Rpc, RpcFailure } from './rpc.ts'

/** The calls that sending a transaction needs, over JSON-RPC or the native HTTP API. */
export type Channel = {
  head(): Promise<Head>
  hasCode(address: AddressForms): Promise<boolean>
  /** Energy that a call or creation needs. @throws CommandError with exit code 3 when it would revert. */
  energy(intent: Intent, owner: AddressForms): Promise<bigint>
  /** Sun for one unit of energy. */
  energyPrice(): Promise<bigint>
  /** Sends signed bytes (hex). Sending the same bytes again is not an error. */
  broadcast(signed: string): Promise<void>
  /** The reason why the same call reverts now; undefined when it does not revert or the reason is unknown. */
  reason(intent: Intent, owner: AddressForms): Promise<CommandError | undefined>
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
  /** Sun; absent in JSON-RPC. */
  fee: bigint | undefined
  contract: string | undefined
  logs: number
  /** The reason of the failure, if it is known. */
  reason: string | undefined
  /** The receipt or transaction info as received. */
  receipt: unknown
}

/** A gateway, or any JSON-RPC server that accepts native bytes. */
export function createRpcChannel(rpc: Rpc): Channel {
  return {
    async head() {
      const block = await rpc.call('eth_getBlockByNumber', ['latest', false])
      const number = Number(scalar(get(block, 'number')) ?? Number.NaN)
      if (!Number.isSafeInteger(number))
        throw new CommandError('eth_getBlockByNumber: the server has no latest block')
      return {
        number,
        hash: scalar(get(block, 'hash')) ?? '',
        time: Number(scalar(get(block, 'timestamp'))) * 1000,
      }
    },
    async hasCode(address) {
      return (await rpc.call('eth_getCode', [address.eth, 'latest'])) !== '0x'
    },
    async energy(intent, owner) {
      const estimate = await rpc.call('eth_estimateGas', [callObject(intent, owner)])
      return BigInt(scalar(estimate) ?? '0x0')
    },
    async energyPrice() {
      return BigInt(scalar(await rpc.call('eth_gasPrice')) ?? '0x0')
    },
    async broadcast(signed) {
      await rpc.call('eth_sendRawTransaction', [`0x${signed}`])
    },
    async reason(intent, owner) {
      try {
        await rpc.call('eth_call', [callObject(intent, owner), 'latest'])
        return undefined
      } catch (error) {
        return error instanceof RpcFailure ? error : undefined
      }
    },
    async outcome(txID) {
      const receipt = await rpc.call('eth_getTransactionReceipt', [`0x${txID}`])
      return isRecord(receipt) ? outcomeOfReceipt(receipt) : undefined
    },
  }
}

function outcomeOfReceipt(receipt: Record<string, unknown>): Outcome {
  return {
    success: receipt['status'] === '0x1',
    block: BigInt(scalar(receipt['blockNumber']) ?? '0x0'),
    energy: BigInt(scalar(receipt['gasUsed']) ?? '0x0'),
    fee: undefined,
    contract: scalar(receipt['contractAddress']),
    logs: Array.isArray(receipt['logs']) ? receipt['logs'].length : 0,
    reason: undefined,
    receipt,
  }
}

/** The call object of JSON-RPC for an intent. */
export function callObject(intent: Intent, owner: AddressForms): Record<string, string> {
  const value = `0x${intent.amount.toString(16)}`
  if (intent.kind === 'creation') return { from: owner.eth, data: `0x${intent.bytecode}`, value }
  const data = intent.kind === 'call' && intent.data !== '' ? { data: `0x${intent.data}` } : {}
  return { from: owner.eth, to: intent.to.eth, value, ...data }
}

/** A node, or a development chain, over its native HTTP interface. */
export function createNodeChannel(node: Node): Channel {
  return {
    async head() {
      const block = await node.call('getnowblock')
      const raw = get(block, 'block_header', 'raw_data')
      return {
        number: Number(integer(get(raw, 'number'))),
        hash: scalar(get(block, 'blockID')) ?? '',
        time: Number(integer(get(raw, 'timestamp'))),
      }
    },
    async hasCode(address) {
      const contract = await node.call('getcontract', { value: address.hex })
      return isRecord(contract) && Object.keys(contract).length > 0
    },
    async energy(intent, owner) {
      const body = constantCall(intent, owner)
      const answer = await node.call('triggerconstantcontract', body)
      const ret = get(answer, 'transaction', 'ret')
      if (Array.isArray(ret) && get(ret[0], 'ret') === 'FAILED') throw await revertOf(answer)
      try {
        return integer(get(await node.call('estimateenergy', body), 'energy_required'))
      } catch {
        // Most nodes have no estimate. Then the energy that the simulation used is the estimate.
        return integer(get(answer, 'energy_used'))
      }
    },
    async energyPrice() {
      const prices = scalar(get(await node.call('getenergyprices'), 'prices')) ?? ''
      return BigInt(prices.split(':').at(-1) || '0')
    },
    async broadcast(signed) {
      const answer = await node
        .call('broadcasthex', { transaction: signed })
        .catch((error: unknown) => {
          if ((error as Error).message.includes('DUP_TRANSACTION_ERROR')) return { result: true }
          throw error
        })
      if (get(answer, 'result') !== true)
        throw new CommandError('broadcasthex: the node did not accept the transaction')
    },
    // The transaction info contains the reason.
    reason: async () => undefined,
    async outcome(txID) {
      const info = await node.call('gettransactioninfobyid', { value: txID })
      if (!isRecord(info) || info['id'] === undefined) return undefined
      const result = scalar(get(info, 'receipt', 'result'))
      return {
        success: info['result'] !== 'FAILED' && (result === undefined || result === 'SUCCESS'),
        block: integer(info['blockNumber']),
        energy: integer(get(info, 'receipt', 'energy_usage_total')),
        fee: integer(info['fee']),
        contract: scalar(info['contract_address']),
        logs: Array.isArray(info['log']) ? info['log'].length : 0,
        reason: await reasonOf(info),
        receipt: info,
      }
    },
  }
}

function constantCall(intent: Intent, owner: AddressForms): Record<string, unknown> {
  const value = { owner_address: owner.hex, call_value: intent.amount }
  if (intent.kind === 'creation') return { ...value, data: intent.bytecode }
  if (intent.kind !== 'call') return { ...value, contract_address: intent.to.hex }
  return {
    ...value,
    contract_address: intent.to.hex,
    data: intent.data,
    ...(intent.token && {
      token_id: BigInt(intent.token.id),
      call_token_value: intent.token.amount,
    }),
  }
}

async function revertOf(answer: unknown): Promise<CommandError> {
  const results = get(answer, 'constant_result')
  const data = `0x${(Array.isArray(results) && scalar(results[0])) || ''}` as const
  const { describeRevert } = await import('./abi.ts')
  return new CommandError(`the call would revert: ${describeRevert(data, []).text}`, {
    exitCode: EXIT.reverted,
    details: { data },
  })
}

async function reasonOf(info: Record<string, unknown>): Promise<string | undefined> {
  if (info['result'] !== 'FAILED') return undefined
  const message = textOf(scalar(info['resMessage']) ?? '')
  const outputs = info['contractResult']
  const data = (Array.isArray(outputs) && scalar(outputs[0])) || ''
  if (data === '' || get(info, 'receipt', 'result') !== 'REVERT') return message
  const { describeRevert } = await import('./abi.ts')
  return describeRevert(`0x${data}`, []).text
}
