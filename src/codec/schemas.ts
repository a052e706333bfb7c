import type { Hex } from 'viem'

import type { JsonSchema, Schema, ValueOf } from '../lib/jsonSchema.ts'
import { type Kind, KINDS } from './accounts.ts'

// The types in types.ts are those of these schemas. A test validates every block of the recorded chain with them, and allows no
// other fields.

const hex = (pattern: string, title: string): Schema<Hex> => ({ title, type: 'string', pattern })

/** A quantity: the shortest hex of a number below 2^256. */
export const quantity = hex('^0x(0|[1-9a-f][0-9a-f]{0,63})$', 'quantity')
/** An amount of the coin. By this schema, endpoints with another unit than sun find the amounts to convert. */
export const amount = hex('^0x(0|[1-9a-f][0-9a-f]{0,63})$', 'amount')
/** 32 bytes as hex. */
export const hash = hex('^0x[0-9a-f]{64}$', 'hash')
/** 20 bytes as hex. */
export const address = hex('^0x[0-9a-fA-F]{40}$', 'address')
/** Any number of bytes as hex. */
export const bytes = hex('^0x([0-9a-f]{2})*$', 'bytes')
const bytes8 = hex('^0x[0-9a-f]{16}$', 'nonce of a block')
const bytes256 = hex('^0x[0-9a-f]{512}$', 'bloom filter')

/** True or false. */
export const boolean: Schema<boolean> = { type: 'boolean' }
/** Any text. */
export const text: Schema<string> = { type: 'string' }

/** Null or a value of the schema. */
export function nullable<value>(schema: Schema<value>): Schema<value | null> {
  return { oneOf: [{ type: 'null' }, schema] }
}

/** A list of values of the schema. */
export function listOf<value>(items: Schema<value>): Schema<value[]> {
  return { type: 'array', items }
}

/** An object with exactly these fields. Those in `optional` may be absent. */
export function object<
  properties extends Record<string, JsonSchema>,
  optional extends keyof properties & string = never,
>(
  properties: properties,
  optional: readonly optional[] = [],
): Schema<Members<properties, optional>> {
  const mayLack: readonly string[] = optional
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !mayLack.includes(name)),
    additionalProperties: false,
  }
}

type Members<properties, optional extends keyof properties> = Flat<
  { [name in Exclude<keyof properties, optional>]: ValueOf<properties[name]> } & {
    [name in optional]?: ValueOf<properties[name]>
  }
>

/** The same type as one list of members, as errors of the compiler show it. */
type Flat<type> = { [name in keyof type]: type[name] }

/** An `RpcLog`. */
export const log = {
  title: 'log',
  ...object({
    address,
    blockHash: hash,
    blockNumber: quantity,
    // Seconds.
    blockTimestamp: quantity,
    data: bytes,
    // Counted over the whole block.
    logIndex: quantity,
    removed: boolean,
    topics: listOf(hash),
    transactionHash: hash,
    transactionIndex: quantity,
  }),
}

/** An `RpcTransaction`. */
export const transaction = {
  title: 'transaction',
  ...object(
    {
      blockHash: nullable(hash),
      blockNumber: nullable(quantity),
      // Seconds.
      blockTimestamp: nullable(quantity),
      // Absent where an Ethereum transaction was signed for any chain.
      chainId: quantity,
      from: address,
      gas: quantity,
      gasPrice: amount,
      hash,
      input: bytes,
      maxFeePerGas: amount,
      maxPriorityFeePerGas: amount,
      accessList: listOf({ type: 'object' }),
      nonce: quantity,
      r: quantity,
      s: quantity,
      to: nullable(address),
      transactionIndex: nullable(quantity),
      type: quantity,
      v: quantity,
      value: amount,
      // Absent in legacy transactions of Ethereum.
      yParity: quantity,
    },
    ['chainId', 'maxFeePerGas', 'maxPriorityFeePerGas', 'accessList', 'yParity'],
  ),
}

/** A filled transaction and its bytes. */
export const filled = object({
  raw: bytes,
  tx: {
    type: 'object',
    properties: {
      gasPrice: nullable(amount),
      maxFeePerGas: nullable(amount),
      maxPriorityFeePerGas: nullable(amount),
      value: amount,
    },
  },
})

/** An `RpcReceipt`. */
export const receipt = {
  title: 'receipt',
  ...object(
    {
      blockHash: hash,
      blockNumber: quantity,
      contractAddress: nullable(address),
      cumulativeGasUsed: quantity,
      effectiveGasPrice: amount,
      from: address,
      gasUsed: quantity,
      logs: listOf(log),
      logsBloom: bytes256,
      status: quantity,
      to: nullable(address),
      transactionHash: hash,
      transactionIndex: quantity,
      type: quantity,
      // Contracts whose predicted addresses the gateway replaced in the call data before it signed.
      predictedAddresses: listOf(object({ actual: address, predicted: address })),
    },
    ['predictedAddresses'],
  ),
}

/** Members that hardforks added, on the development chain. */
const forkMembers = {
  blobGasUsed: quantity,
  excessBlobGas: quantity,
  parentBeaconBlockRoot: hash,
  requestsHash: hash,
  withdrawals: { type: 'array', maxItems: 0 } as Schema<readonly []>,
  withdrawalsRoot: hash,
}

const optionalBlockMembers = [
  'baseFeePerGas',
  ...(Object.keys(forkMembers) as (keyof typeof forkMembers)[]),
] as const

const transactions: Schema<Hex[] | ValueOf<typeof transaction>[]> = {
  anyOf: [listOf(hash), listOf(transaction)],
}

const blockMembers = {
  ...forkMembers,
  // The energy price at the block's time. Absent if the fee signal is `legacy`.
  baseFeePerGas: amount,
  difficulty: quantity,
  extraData: bytes,
  gasLimit: quantity,
  gasUsed: quantity,
  hash,
  logsBloom: bytes256,
  miner: address,
  mixHash: hash,
  nonce: bytes8,
  number: quantity,
  parentHash: hash,
  receiptsRoot: hash,
  sha3Uncles: hash,
  size: quantity,
  stateRoot: hash,
  timestamp: quantity,
  totalDifficulty: quantity,
  transactions,
  transactionsRoot: hash,
  uncles: listOf(hash),
}

/** An `RpcBlock`. */
export const block = {
  title: 'block',
  ...object(blockMembers, optionalBlockMembers),
}

const {
  size: _size,
  transactions: _transactions,
  uncles: _uncles,
  withdrawals: _withdrawals,
  ...headerMembers
} = blockMembers

/** The header of a block, as geth shows it. */
export const header = {
  title: 'header',
  ...object(
    headerMembers,
    optionalBlockMembers.filter((name) => name !== 'withdrawals'),
  ),
}

/** A block of `eth_simulateV1`. */
export const simulatedBlock = {
  title: 'simulated block',
  ...object(
    {
      ...blockMembers,
      calls: listOf(
        object(
          {
            returnData: bytes,
            logs: listOf(log),
            gasUsed: quantity,
            maxUsedGas: quantity,
            status: quantity,
            error: object({ code: { type: 'integer' }, message: text, data: bytes }, ['data']),
          },
          ['error'],
        ),
      ),
    },
    optionalBlockMembers,
  ),
}

/** The result of `eth_createAccessList`. */
export const accessListResult = object(
  {
    accessList: listOf(object({ address, storageKeys: listOf(hash) })),
    gasUsed: quantity,
    error: text,
  },
  ['error'],
)

const number: Schema<number> = { type: 'number' }

/** The result of `eth_feeHistory`. */
export const feeHistory = object(
  {
    baseFeePerBlobGas: listOf(amount),
    baseFeePerGas: listOf(amount),
    blobGasUsedRatio: listOf(number),
    gasUsedRatio: listOf(number),
    oldestBlock: quantity,
    reward: listOf(listOf(amount)),
  },
  ['baseFeePerBlobGas', 'blobGasUsedRatio', 'reward'],
)

const kind: Schema<Kind> = { enum: Object.keys(KINDS) }

/** A page of the transactions of an account, newest first: the result of `ethgate_getTransactions`. */
export const history = object({
  transactions: listOf(
    object({ position: bytes, kinds: listOf(kind), timestamp: quantity, transaction, receipt }),
  ),
  newer: nullable(bytes),
  older: nullable(bytes),
  searched: object({ from: quantity, to: quantity }),
  complete: boolean,
})
