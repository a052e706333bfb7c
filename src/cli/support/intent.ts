import type { Abi, AbiParameter } from 'viem'

import type { Transaction } from '../../native/wire/types.ts'
import { anchorFields } from '../../sending/nativeTransaction.ts'
import type { AddressForms } from './address.ts'

/** The native transaction to send. Amounts of the coin are in sun. */
export type Intent =
  | { kind: 'transfer'; to: AddressForms; amount: bigint }
  | { kind: 'token transfer'; to: AddressForms; token: string; amount: bigint }
  | { kind: 'call'; to: AddressForms; data: string; amount: bigint; token?: TokenValue }
  | {
      kind: 'creation'
      bytecode: string
      abi: Abi
      name: string
      amount: bigint
      /** Share of the energy that callers pay, percent. */
      percent: number
      /** Largest amount of energy that the creator pays for one call. */
      originEnergyLimit: bigint
    }

type TokenValue = { id: string; amount: bigint }

/** The validity and limits of a transaction. */
export type Envelope = {
  owner: AddressForms
  reference: { number: number; hash: string }
  /** Milliseconds. */
  expiration: number
  timestamp: number
  /** Sun; for calls and creations. */
  feeLimit: bigint | undefined
  memo: string | undefined
  permission: number | undefined
}

/** The unsigned content of the transaction, as the node's JSON. */
export function toRawData(intent: Intent, envelope: Envelope): Transaction['raw_data'] {
  const { type, value } = contractOf(intent, envelope.owner)
  return {
    contract: [
      {
        type,
        parameter: { value, type_url: `type.googleapis.com/protocol.${type}` },
        ...(envelope.permission && { Permission_id: envelope.permission }),
      },
    ],
    ...anchorFields({
      block: envelope.reference,
      expiration: envelope.expiration,
      timestamp: envelope.timestamp,
    }),
    ...(envelope.memo && { data: Buffer.from(envelope.memo).toString('hex') }),
    ...(envelope.feeLimit !== undefined && { fee_limit: envelope.feeLimit }),
  }
}

function contractOf(
  intent: Intent,
  owner: AddressForms,
): { type: string; value: Record<string, unknown> } {
  const owner_address = owner.hex
  switch (intent.kind) {
    case 'transfer':
      return {
        type: 'TransferContract',
        value: { owner_address, to_address: intent.to.hex, amount: intent.amount },
      }
    case 'token transfer':
      return {
        type: 'TransferAssetContract',
        value: {
          asset_name: Buffer.from(intent.token).toString('hex'),
          owner_address,
          to_address: intent.to.hex,
          amount: intent.amount,
        },
      }
    case 'call':
      return {
        type: 'TriggerSmartContract',
        value: {
          owner_address,
          contract_address: intent.to.hex,
          data: intent.data,
          call_value: intent.amount,
          ...(intent.token && {
            call_token_value: intent.token.amount,
            token_id: BigInt(intent.token.id),
          }),
        },
      }
    case 'creation':
      return {
        type: 'CreateSmartContract',
        value: {
          owner_address,
          new_contract: {
            origin_address: owner_address,
            abi: { entrys: toNativeAbi(intent.abi) },
            bytecode: intent.bytecode,
            call_value: intent.amount,
            consume_user_resource_percent: intent.percent,
            name: intent.name,
            origin_energy_limit: intent.originEnergyLimit,
          },
        },
      }
    default:
      return intent satisfies never
  }
}

/** An ABI as the chain stores it with a contract; it cannot store the members of tuples. */
function toNativeAbi(abi: Abi): Record<string, unknown>[] {
  return abi.map((item) => ({
    type: capital(item.type),
    ...('name' in item && { name: item.name }),
    ...('inputs' in item &&
      item.inputs && { inputs: item.inputs.map((input) => parameter(input)) }),
    ...('outputs' in item && { outputs: item.outputs.map((output) => parameter(output)) }),
    ...('anonymous' in item && item.anonymous && { anonymous: true }),
    ...('stateMutability' in item && { stateMutability: capital(item.stateMutability) }),
  }))
}

function parameter(input: AbiParameter & { indexed?: boolean | undefined }) {
  return { ...(input.indexed && { indexed: true }), name: input.name ?? '', type: input.type }
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
