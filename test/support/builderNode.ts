import { rawDataFromJson, transactionId } from '../../src/native/protobuf/transaction.ts'
import { parseNative, stringifyNative } from '../../src/native/wire/json.ts'
import type { Transaction } from '../../src/native/wire/types.ts'
import { createReplayContext } from './context.ts'

/** The body of a builder's call. */
export type BuilderBody = Record<string, unknown> & {
  extra_data?: string
  fee_limit?: number
  Permission_id?: number
}

/** The answer of the node's builders to a body. `spoil` corrupts it, like a faulty or malicious node. */
function build(
  type: string,
  body: BuilderBody,
  spoil: (value: BuilderBody) => BuilderBody,
): Transaction {
  const { extra_data, fee_limit, Permission_id, ...fields } = body
  const { abi: _, bytecode, owner_address, call_token_value, token_id, ...terms } = fields
  const new_contract = { ...terms, abi: {}, bytecode, origin_address: owner_address }
  const value =
    type === 'CreateSmartContract'
      ? { owner_address, new_contract, call_token_value, token_id }
      : fields
  const type_url = `type.googleapis.com/protocol.${type}`
  const raw_data = {
    contract: [
      {
        type,
        parameter: { value: spoil(value), type_url },
        ...(Permission_id && { Permission_id }),
      },
    ],
    ref_block_bytes: '00df',
    expiration: 1_795_262_100_000,
    ...(extra_data && { data: extra_data }),
    ...(fee_limit && { fee_limit }),
  }
  const raw = rawDataFromJson(raw_data)
  return { txID: transactionId(raw), raw_data, raw_data_hex: raw.toString('hex'), visible: false }
}

const TYPES: Record<string, string> = {
  '/wallet/createtransaction': 'TransferContract',
  '/wallet/transferasset': 'TransferAssetContract',
  '/wallet/triggersmartcontract': 'TriggerSmartContract',
  '/wallet/deploycontract': 'CreateSmartContract',
}

/** A context whose node builds transactions like java-tron. `spoil` corrupts them. */
export const createBuilderContext = (
  spoil: (value: BuilderBody) => BuilderBody = (value) => value,
) =>
  createReplayContext({
    intercept({ body, path }) {
      const type = TYPES[path]
      if (!type) return undefined
      const transaction = build(type, parseNative(body) as BuilderBody, spoil)
      const answer =
        type === 'TriggerSmartContract' ? { result: { result: true }, transaction } : transaction
      return { text: stringifyNative(answer) }
    },
  })
