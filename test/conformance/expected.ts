import { parse } from 'lossless-json'
import { type Address, type Hash, type Hex, keccak256 } from 'viem'

import { recordedNative } from '../support/node.ts'

// The data that a client should read, computed from the raw answers of the node without code of the gateway. Amounts are
// bigints, as in viem and ethers.

// oxlint-disable-next-line typescript/no-explicit-any -- raw JSON of the node
type Json = any

/** A log as a client must see it. */
export type ExpectedLog = {
  address: Address
  blockHash: Hash
  blockNumber: bigint
  data: Hex
  logIndex: number
  topics: Hash[]
  transactionHash: Hash
  transactionIndex: number
}

/** A transaction as a client must see it. */
export type ExpectedTransaction = {
  hash: Hash
  from: Address
  to: Address | null
  value: bigint
  input: Hex
  gasPrice: bigint
  index: number
  r: bigint
  s: bigint
  yParity: number
}

/** A receipt as a client must see it. */
export type ExpectedReceipt = {
  transactionHash: Hash
  contractAddress: Address | null
  gasUsed: bigint
  cumulativeGasUsed: bigint
  effectiveGasPrice: bigint
  success: boolean
  logs: ExpectedLog[]
  logsBloom: Hex
}

/** A block as a client must see it. */
export type ExpectedBlock = {
  hash: Hash
  number: bigint
  parentHash: Hash
  /** Seconds. */
  timestamp: bigint
  miner: Address
  transactionsRoot: Hash
  /** Sun: the energy price of the block's time. */
  baseFeePerGas: bigint
  gasUsed: bigint
  logsBloom: Hex
  transactions: ExpectedTransaction[]
  /** Empty for genesis, because the node has no outcomes of its transactions. */
  receipts: ExpectedReceipt[]
}

const ZERO: Address = `0x${'0'.repeat(40)}`
const EMPTY_TRIE = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** A block of the recorded chain. */
export function expectedBlock(height: number): ExpectedBlock {
  const known = blocks.get(height)
  if (known) return known
  const block = computeBlock(height)
  blocks.set(height, block)
  return block
}

const blocks = new Map<number, ExpectedBlock>()

function computeBlock(height: number): ExpectedBlock {
  const block = read('/wallet/getblockbynum', height)
  const infos: Json[] = height === 0 ? [] : read('/wallet/gettransactioninfobyblocknum', height)
  const { raw_data } = block.block_header
  const milliseconds = raw_data.timestamp ?? 0n
  const place = { blockHash: hex(block.blockID), blockNumber: BigInt(height) }
  // The recorded history of prices is 0:100,1795261920000:210. The block of that time still pays the price before.
  const price = milliseconds > 1_795_261_920_000n ? 210n : 100n

  let cumulative = 0n
  let logIndex = 0
  const receipts = infos.map((info, transactionIndex): ExpectedReceipt => {
    const contract = block.transactions[transactionIndex].raw_data.contract[0]
    const gasUsed = info.receipt?.energy_usage_total ?? 0n
    cumulative += gasUsed
    const logs = (info.log ?? []).map((log: Json) => ({
      ...place,
      address: hex(log.address),
      data: hex(log.data ?? ''),
      logIndex: logIndex++,
      topics: (log.topics ?? []).map(hex),
      transactionHash: hex(info.id),
      transactionIndex,
    }))
    return {
      contractAddress:
        contract.type === 'CreateSmartContract' ? toAddress(info.contract_address) : null,
      cumulativeGasUsed: cumulative,
      effectiveGasPrice: price,
      gasUsed,
      logs,
      logsBloom: bloomOf(logs),
      success: [undefined, 'DEFAULT', 'SUCCESS'].includes(info.receipt?.result),
      transactionHash: hex(info.id),
    }
  })

  const transactions: Json[] = block.transactions ?? []
  return {
    baseFeePerGas: price,
    gasUsed: cumulative,
    hash: place.blockHash,
    logsBloom: bloomOf(receipts.flatMap(({ logs }) => logs)),
    miner: height === 0 ? ZERO : toAddress(raw_data.witness_address),
    number: BigInt(height),
    parentHash: hex(raw_data.parentHash),
    receipts,
    timestamp: milliseconds / 1000n,
    transactions: transactions.map((transaction, index) => ({
      ...partiesOf(transaction, infos[index]),
      ...signatureOf(transaction.signature?.[0]),
      gasPrice: price,
      hash: hex(transaction.txID),
      index,
    })),
    transactionsRoot: transactions.length === 0 ? EMPTY_TRIE : hex(raw_data.txTrieRoot),
  }
}

/** Sender, receiver, amount and call data, for each type of contract in the recorded chain. */
function partiesOf(transaction: Json, info: Json) {
  const { type, parameter } = transaction.raw_data.contract[0]
  const fields = parameter.value
  // The owner in genesis is ASCII text.
  const from = fields.owner_address.length === 42 ? toAddress(fields.owner_address) : ZERO
  const common = { from, input: '0x' as Hex, to: null as Address | null, value: 0n }
  switch (type) {
    case 'TransferContract':
    case 'TransferAssetContract':
      // A quantity has no sign; genesis gives one account −2^63.
      return {
        ...common,
        to: toAddress(fields.to_address),
        value: fields.amount > 0n ? fields.amount : 0n,
      }
    case 'AccountCreateContract':
      return { ...common, to: toAddress(fields.account_address) }
    case 'TriggerSmartContract':
      return {
        ...common,
        input: hex(fields.data ?? ''),
        to: toAddress(fields.contract_address),
        value: fields.call_value ?? 0n,
      }
    case 'CreateSmartContract':
      return {
        ...common,
        input: hex(fields.new_contract.bytecode),
        value: fields.new_contract.call_value ?? 0n,
      }
    case 'DelegateResourceContract':
    case 'UnDelegateResourceContract':
      return { ...common, to: toAddress(fields.receiver_address) }
    case 'UpdateSettingContract':
    case 'ClearABIContract':
      return { ...common, to: toAddress(fields.contract_address) }
    case 'UnfreezeBalanceV2Contract':
      return { ...common, value: info.unfreeze_amount ?? 0n }
    case 'AssetIssueContract':
    case 'ExchangeCreateContract':
      return { ...common, value: 1_024_000_000n }
    case 'AccountPermissionUpdateContract':
      return { ...common, value: 100_000_000n }
    case 'AccountUpdateContract':
    case 'FreezeBalanceV2Contract':
    case 'ProposalApproveContract':
    case 'ProposalCreateContract':
    case 'SetAccountIdContract':
      return common
    default:
      throw new Error(`no expectation for ${type}`)
  }
}

function signatureOf(signature: string | undefined) {
  if (!signature) return { r: 0n, s: 0n, yParity: 0 }
  const v = Number.parseInt(signature.slice(128, 130), 16)
  return {
    r: BigInt(`0x${signature.slice(0, 64)}`),
    s: BigInt(`0x${signature.slice(64, 128)}`),
    yParity: v < 27 ? v : v - 27,
  }
}

/** The bloom of the yellow paper: for each item, eleven bits of each of the first three words of its hash. */
function bloomOf(logs: readonly ExpectedLog[]): Hex {
  let bloom = 0n
  for (const item of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const hash = keccak256(item)
    for (const start of [2, 6, 10])
      bloom |= 1n << BigInt(Number.parseInt(hash.slice(start, start + 4), 16) & 2047)
  }
  return `0x${bloom.toString(16).padStart(512, '0')}`
}

function toAddress(native: string): Address {
  if (!/^41[0-9a-f]{40}$/.test(native)) throw new Error(`not an address: ${native}`)
  return `0x${native.slice(2)}`
}

function hex(digits: string): Hex {
  return `0x${digits}`
}

function read(path: string, num: number): Json {
  return parse(recordedNative(path, { num }), undefined, (digits) => BigInt(digits))
}
