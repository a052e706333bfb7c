import { Buffer } from 'buffer'

import { toNativeAddress } from '../lib/address.ts'
import {
  expirationOf,
  rawDataFromJson,
  rawDataToJson,
  transactionId,
} from '../native/protobuf/transaction.ts'
import type { Hex, Transaction } from '../native/wire/types.ts'

/** The transaction of a library, with Ethereum's fields. */
export type WantedTransaction = {
  from: `0x${string}`
  /** Absent: `data` is creation code. */
  to?: `0x${string}` | null | undefined
  data?: `0x${string}` | null | undefined
  /** In the unit of the endpoint: sun, or wei on `/wei`. */
  value?: bigint | undefined
  gas: bigint
  /** The most that one unit of gas may cost, as `value`: `gasPrice` or `maxFeePerGas`. */
  gasPrice: bigint
}

/** Calls a JSON-RPC method of the gateway. */
export type Request = (method: string, params: readonly unknown[]) => Promise<unknown>

/**
 * The longest time in milliseconds after the local clock for which a signature may be used. Gateways build for a minute; the rest is for
 * clocks that differ.
 */
const LONGEST_LIFE = 2 * 60 * 1000

/** Percent of the energy of a created contract that its callers pay: all of it. */
const CALLERS_PERCENT = 100

/** The most energy of its creator that one call of the contract may use. */
const ORIGIN_ENERGY = 10_000_000

/** Everything that the sender of a transaction chose, as text. */
export const intentOf = ({ data, gas, gasPrice, to, value = 0n }: WantedTransaction) => ({
  intent: [to?.toLowerCase(), data, value, gas, gasPrice].join(' '),
})

let lastTimestamp = 0

/**
 * Asks the gateway to build the native transaction, and checks its bytes before they are signed: sender, target, amount,
 * data and maximum cost must be those of `wanted`, callers must pay for the energy of a created contract, and it must expire within two
 * minutes. Its reference block is compared with the second source, if there is one.
 *
 * @throws Error that names the fields that differ.
 */
export async function buildNative(
  request: Request,
  wanted: WantedTransaction,
  { decimals = 6, now = Date.now, reference }: buildNative.Options = {},
): Promise<{ native: Hex; id: `0x${string}`; expiration: number }> {
  const { data, from, gas, to, value = 0n } = wanted
  const answer = (await request('buildTransaction', [
    {
      from,
      ...(to && { to }),
      ...(data && data !== '0x' && { data }),
      value: toQuantity(value),
      gas: toQuantity(gas),
      ...(!to && {
        abi: '[]',
        consumeUserResourcePercent: CALLERS_PERCENT,
        originEnergyLimit: ORIGIN_ENERGY,
      }),
    },
  ])) as { transaction: Pick<Transaction, 'raw_data_hex'> }
  const raw_data = rawDataToJson(Buffer.from(answer.transaction.raw_data_hex, 'hex'))
  check(raw_data, wanted, decimals === 18 ? 10n ** 12n : 1n, now())
  if (reference) await checkReference(reference, raw_data)
  // The time distinguishes two transactions with equal fields, so each gets a different time.
  lastTimestamp = Math.max(now(), lastTimestamp + 1)
  const raw = rawDataFromJson({ ...raw_data, timestamp: lastTimestamp })
  return {
    native: raw.toString('hex'),
    id: `0x${transactionId(raw)}`,
    expiration: expirationOf(raw_data),
  }
}

export declare namespace buildNative {
  type Options = {
    /** Of the amounts in `wanted`: 6 for sun, or 18 on `/wei`. @default 6 */
    decimals?: number
    /** Calls another gateway of the chain, which must have the reference block. */
    reference?: Request | undefined
    /** @default Date.now */
    now?: (() => number) | undefined
  }
}

/** Heights that the two bytes of a reference block distinguish. */
const REFERENCES = 0x1_0000

/**
 * Compares the reference block with the block of a second source. A transaction is valid on every chain that has its reference block, so
 * a gateway could name a block of another chain.
 */
async function checkReference(request: Request, raw_data: Transaction['raw_data']): Promise<void> {
  const finalized = Number(
    ((await request('eth_getBlockByNumber', ['finalized', false])) as { number: string }).number,
  )
  const low = Number.parseInt(raw_data.ref_block_bytes ?? '', 16)
  // The height nearest to that of the second source, which may be some blocks ahead or behind.
  const nearest = low + REFERENCES * Math.round((finalized - low) / REFERENCES)
  const block = (
    nearest >= 0
      ? await request('eth_getBlockByNumber', [toQuantity(BigInt(nearest)), false])
      : null
  ) as { hash: string } | null
  if (block?.hash.slice(18, 34) !== raw_data.ref_block_hash)
    throw new Error(
      'the gateway built a transaction for another chain: the second source does not have its reference block',
    )
}

/** @param unit - units of `wanted.value` in one sun */
function check(
  raw_data: Transaction['raw_data'],
  wanted: WantedTransaction,
  unit: bigint,
  now: number,
): void {
  const { from, gas, gasPrice, to, value = 0n } = wanted
  const [contract, ...others] = raw_data.contract ?? []
  const fields = contract?.parameter?.value ?? {}
  const created = (fields['new_contract'] ?? {}) as Record<string, unknown>
  const data = (wanted.data ?? '0x').slice(2).toLowerCase()
  const amount = BigInt(
    (fields['amount'] ?? fields['call_value'] ?? created['call_value'] ?? 0) as number | bigint,
  )
  const target = fields['to_address'] ?? fields['contract_address']
  const expected: Record<string, boolean> = {
    type: others.length === 0 && TYPES.has(contract?.type ?? ''),
    owner_address: fields['owner_address'] === toNativeAddress(from),
    target: target === (to ? toNativeAddress(to) : undefined),
    amount: amount * unit === value,
    data: (fields['data'] ?? created['bytecode'] ?? '') === data,
    fee_limit: BigInt(raw_data.fee_limit ?? 0) * unit <= gas * gasPrice,
    call_token_value: !fields['call_token_value'],
    consume_user_resource_percent:
      !!to || Number(created['consume_user_resource_percent'] ?? 0) === CALLERS_PERCENT,
    origin_energy_limit: !!to || Number(created['origin_energy_limit'] ?? 0) === ORIGIN_ENERGY,
    memo: !raw_data.data,
    Permission_id: !contract?.Permission_id,
    expiration: (raw_data.expiration ?? 0) <= now + LONGEST_LIFE,
  }
  const wrong = Object.keys(expected).filter((name) => !expected[name])
  if (wrong.length > 0)
    throw new Error(`the gateway built a different transaction than requested: ${wrong.join(', ')}`)
}

const TYPES = new Set(['TransferContract', 'TriggerSmartContract', 'CreateSmartContract'])

const toQuantity = (value: bigint) => `0x${value.toString(16)}`
