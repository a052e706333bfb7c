import { stringifyNative } from '../../native/wire/json.ts'
import type { Transaction } from '../../native/wire/types.ts'
import { RefusedError } from '../state/errors.ts'
import { packTransaction, printTransaction, readTransaction } from '../transactions/transaction.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import type { Call, Operations } from './operation.ts'
import { NodeError, nullPointer } from './request.ts'
import { spell } from './spelling.ts'

const PREFIXES: Partial<Record<RefusedError.Code, string>> = {
  SIGERROR: 'Validate signature error: ',
  CONTRACT_VALIDATE_ERROR: 'Contract validate error : ',
  CONTRACT_EXE_ERROR: 'Contract execute error : ',
  OTHER_ERROR: 'Error: ',
}

/** The id of an empty message, which the node returns for a request without a transaction. */
const EMPTY_ID = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** A transaction whose content is empty. */
const EMPTY_CONTENT = '0a00'

type Verdict = { code: RefusedError.Code; message: string } | undefined

async function submit(call: Call, transaction: ChainTransaction): Promise<Verdict> {
  try {
    await call.submit(transaction)
    return undefined
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    return { code: error.code, message: (PREFIXES[error.code] ?? '') + error.message }
  }
}

const nothing: Verdict = {
  code: 'CONTRACT_VALIDATE_ERROR',
  message: 'Contract validate error : No contract!',
}

/** The calls of a mined transaction if it has called the console: tools show what it has printed. */
function consoleCalls({ ledger, params }: Call, txid: string): Record<string, unknown> {
  const place = ledger.placeOf(txid)
  const calls = place && ledger.block(place.block)?.infos[place.index]?.internal_transactions
  return calls?.some(({ data }) => data !== undefined)
    ? { internal_transactions: spell(calls, params.visible) }
    : {}
}

/** The operations that send signed transactions. */
export const broadcastOperations: Operations = {
  broadcasttransaction: {
    prefix: 'wallet',
    get: 'refuse',
    async run(call) {
      const json = call.params.json as Transaction
      checkContent(json)
      const transaction = pack({ ...json, visible: call.params.visible })
      const verdict = transaction ? await submit(call, transaction) : nothing
      const txid = transaction?.id ?? EMPTY_ID
      if (!verdict) return { result: true, txid, ...consoleCalls(call, txid) }
      return { code: verdict.code, txid, message: Buffer.from(verdict.message).toString('hex') }
    },
  },

  broadcasthex: {
    prefix: 'wallet',
    get: 'refuse',
    strict: true,
    async run(call) {
      const hex = call.params.text('transaction').replace(/^0x/, '')
      if (/[^\da-f]/i.test(hex))
        throw new NodeError(
          'org.bouncycastle.util.encoders.DecoderException',
          'exception decoding Hex string: invalid characters encountered in Hex string',
        )
      const transaction = read(hex)
      if (!transaction && hex !== '' && hex !== EMPTY_CONTENT)
        throw new NodeError(
          'com.google.protobuf.InvalidProtocolBufferException',
          'Protocol message contained an invalid tag (zero).',
        )
      const verdict =
        transaction && transaction.contracts > 0 ? await submit(call, transaction) : nothing
      return {
        result: verdict === undefined,
        code: verdict?.code ?? 'SUCCESS',
        txid: transaction?.id ?? EMPTY_ID,
        message: verdict?.message ?? '',
        transaction:
          transaction && hex !== EMPTY_CONTENT
            ? stringifyNative(printTransaction(transaction, undefined, { visible: true }))
            : hex === EMPTY_CONTENT
              ? '{"raw_data": {}}'
              : '{}',
      }
    },
  },
}

/** Checks the content of a transaction. @throws NodeError when it is missing or has no list of contracts. */
export function checkContent(json: Partial<Transaction>): void {
  if (!json.raw_data)
    throw nullPointer(
      'Cannot invoke "com.alibaba.fastjson.JSONObject.getJSONArray(String)" because "rawData" is null',
    )
  if (!Array.isArray(json.raw_data.contract))
    throw nullPointer(
      'Cannot invoke "com.alibaba.fastjson.JSONArray.size()" because "rawContractArray" is null',
    )
}

/** Packs a transaction; undefined if members are invalid. The node then skips the contract, so the transaction has none. */
function pack(json: Transaction): ChainTransaction | undefined {
  try {
    return packTransaction(json)
  } catch {
    return undefined
  }
}

function read(hex: string): ChainTransaction | undefined {
  try {
    return readTransaction(hex)
  } catch {
    return undefined
  }
}
