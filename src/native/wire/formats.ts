/**
 * Whether a value has a format. Members that may be absent are undefined; a proxy's `null` is never right.
 *
 * @param areTexts - whether integers may also be texts, see `asksForTexts`.
 */
type Format = (value: unknown, areTexts: boolean) => boolean

const text: Format = (value) => value === undefined || typeof value === 'string'

/** Of any size: an int64, or an amount of a development chain with 18 decimals. */
const integer: Format = (value, areTexts) =>
  value === undefined ||
  typeof value === 'bigint' ||
  Number.isInteger(value) ||
  (areTexts && typeof value === 'string' && /^-?\d+$/.test(value))

/** A height, or a time of a block in milliseconds. */
const whole: Format = (value, areTexts) =>
  value === undefined ||
  (Number.isSafeInteger(value) && (value as number) >= 0) ||
  (areTexts && typeof value === 'string' && /^\d+$/.test(value))

const listOf =
  (item: Format): Format =>
  (value, areTexts) =>
    value === undefined || (Array.isArray(value) && value.every((member) => item(member, areTexts)))

/** An object. Members that are not listed may be anything. */
function object(members: Readonly<Record<string, Format>>, required = ''): Format {
  const formats = Object.entries(members)
  return (value, areTexts) => {
    if (value === undefined) return true
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    if (required !== '' && (value as Members)[required] === undefined) return false
    for (const [name, has] of formats) if (!has((value as Members)[name], areTexts)) return false
    return true
  }
}

type Members = Readonly<Record<string, unknown>>

/** Only the members whose format the gateway relies on. */
const contract = object({
  parameter: object({
    value: object({
      amount: integer,
      call_value: integer,
      from_amount: integer,
      frozen_balance: integer,
      new_contract: object({ call_value: integer }),
      quant: integer,
      to_amount: integer,
      votes: listOf(object({ vote_count: integer })),
    }),
  }),
  type: text,
})

const transaction = object(
  {
    raw_data: object({
      contract: listOf(contract),
      data: text,
      expiration: integer,
      fee_limit: integer,
      timestamp: integer,
    }),
    ret: listOf(object({ contractRet: text, fee: integer })),
    signature: listOf(text),
    txID: text,
  },
  'raw_data',
)

const header = object(
  {
    raw_data: object({
      number: whole,
      parentHash: text,
      timestamp: whole,
      txTrieRoot: text,
      version: integer,
      witness_address: text,
    }),
    witness_signature: text,
  },
  'raw_data',
)

const block = object(
  { blockID: text, block_header: header, transactions: listOf(transaction) },
  'block_header',
)

const blocks = object({ block: listOf(block) })

const log = object({ address: text, data: text, topics: listOf(text) })

const internal = object({
  callValueInfo: listOf(object({ callValue: integer, tokenId: text })),
  caller_address: text,
  extra: text,
  hash: text,
  note: text,
  transferTo_address: text,
})

const info = object(
  {
    blockNumber: whole,
    blockTimeStamp: whole,
    cancel_unfreezeV2_amount: listOf(object({ value: integer })),
    contractResult: listOf(text),
    contract_address: text,
    fee: integer,
    id: text,
    internal_transactions: listOf(internal),
    log: listOf(log),
    receipt: object({
      energy_fee: integer,
      energy_penalty_total: integer,
      energy_usage: integer,
      energy_usage_total: integer,
      net_fee: integer,
      net_usage: integer,
      origin_energy_usage: integer,
      result: text,
    }),
    resMessage: text,
    result: text,
    unfreeze_amount: integer,
    withdraw_amount: integer,
    withdraw_expire_amount: integer,
  },
  'id',
)

const permission = object({
  keys: listOf(object({ address: text, weight: integer })),
  threshold: integer,
})

const account = object(
  {
    active_permission: listOf(permission),
    address: text,
    balance: integer,
    create_time: integer,
    owner_permission: permission,
    type: text,
  },
  'address',
)

/** `0:100,1542607200000:20`: milliseconds since 1970 and sun. */
const prices: Format = (value) =>
  typeof value === 'string' && /^(?:\s*\d+:\d+\s*(?:,|$))+$/.test(value)

/**
 * The formats of answers, by operation. A member that every answer of the node has is required: a proxy may send a body of its
 * own, such as `{"message":"…"}`, which would be an account without coins or a transaction that does not exist.
 */
const FORMATS: Readonly<Record<string, Format>> = {
  estimateenergy: object({ energy_required: integer }),
  getaccount: account,
  getaccountbalance: object(
    { balance: integer, block_identifier: object({ hash: text, number: whole }) },
    'balance',
  ),
  getblock: block,
  getblockbyid: block,
  getblockbylatestnum: blocks,
  getblockbylimitnext: blocks,
  getblockbynum: block,
  getchainparameters: object(
    { chainParameter: listOf(object({ key: text, value: integer })) },
    'chainParameter',
  ),
  getcontract: object({ bytecode: text, contract_address: text }, 'contract_address'),
  getcontractinfo: object({ runtimecode: text, smart_contract: object({}) }, 'smart_contract'),
  getenergyprices: object({ prices }, 'prices'),
  getnowblock: block,
  getpendingsize: object({ pendingSize: whole }),
  gettransactionbyid: transaction,
  gettransactioncountbyblocknum: object({ count: whole }),
  gettransactionfrompending: transaction,
  gettransactioninfobyblocknum: listOf(info),
  gettransactioninfobyid: info,
  gettransactionlistfrompending: object({ txId: listOf(text) }, 'txId'),
  triggerconstantcontract: object({
    constant_result: listOf(text),
    energy_penalty: integer,
    energy_used: integer,
  }),
}

/** Answers that were checked. The pool checks an answer before it chooses another node, the client checks every answer. */
const checked = new WeakSet()

/**
 * Whether an answer can be from the node: an object or a list, whose members have the types of the node's answers.
 *
 * @param areTexts - whether integers may also be texts, see `asksForTexts`.
 */
export function hasFormat(operation: string, answer: unknown, areTexts = false): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  if (checked.has(answer) || isEmpty(answer)) return true
  const format = Object.hasOwn(FORMATS, operation) ? FORMATS[operation] : undefined
  if (format && !format(answer, areTexts)) return false
  // The gateway itself can only use numbers.
  if (!areTexts) checked.add(answer)
  return true
}

/** Whether a GET asks for 64-bit integers as texts, which nodes from release 4.8.2 on then answer. */
export function asksForTexts(path: string): boolean {
  const query = path.indexOf('?')
  if (query === -1) return false
  const value = new URLSearchParams(path.slice(query)).get('int64_as_string')
  return value?.toLowerCase() === 'true'
}

/** Whether an object has no members. */
export function isEmpty(answer: object): boolean {
  for (const _ in answer) return false
  return true
}
