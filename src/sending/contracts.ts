import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address, Hash } from 'viem'
import { getContractAddress } from 'viem/utils'

import type { Context } from '../context.ts'
import type { AnyMethod } from '../jsonrpc/method.ts'
import { toNativeAddress, toRpcAddress } from '../lib/address.ts'
import type { SentStore } from './sentStore.ts'

/** A contract that was created from here: where it is, and where an Ethereum library believes it to be. */
export type CreatedContract = { actual: Address; predicted: Address }

/**
 * Where a creation puts its contract. The chain derives the address from the transaction's id; Ethereum libraries derive
 * one from the sender and the nonce before they see a receipt.
 */
export function createdContract(id: Hash, from: Address, nonce: number): CreatedContract {
  const seed = Buffer.from(id.slice(2) + toNativeAddress(from), 'hex')
  const actual = Buffer.from(keccak_256(seed).subarray(12)).toString('hex')
  const predicted = getContractAddress({ from, nonce: BigInt(nonce) })
  return { actual: toRpcAddress(actual), predicted: predicted.toLowerCase() as Address }
}

/** What replicas know of contracts that were created through any of them. */
export type Contracts = {
  add(contract: CreatedContract): void
  /** The contract that a predicted address means; any other address is itself. */
  resolve(address: Address): Address
  /** Learns what other replicas have sent. */
  refresh(): Promise<void>
}

export function createContracts(store: Pick<SentStore, 'contracts'>): Contracts {
  const actualOf = new Map<Address, Address>()
  let cursor = 0

  function add({ actual, predicted }: CreatedContract) {
    actualOf.set(predicted, actual)
  }

  return {
    add,
    resolve: (address) => actualOf.get(address) ?? address,
    async refresh() {
      const { contracts, next } = await store.contracts(cursor)
      cursor = next
      for (const contract of contracts) add(contract)
    },
  }
}

type Rewrite = (param: unknown, resolve: (address: Address) => Address) => unknown

const whole: Rewrite = (address, resolve) => resolve(address as Address)

const target: Rewrite = (call, resolve) => {
  const { to } = call as { to?: Address }
  return to ? { ...(call as object), to: resolve(to) } : call
}

const filter: Rewrite = (query, resolve) => {
  const { addresses } = query as { addresses: Address[] }
  return { ...(query as object), addresses: addresses.map((address) => resolve(address)) }
}

const subscription: Rewrite = (options, resolve) => {
  const given = options as { filter: unknown }
  return { ...given, filter: filter(given.filter, resolve) }
}

/** Which parameter of which method names contracts, and where in it. */
const rewrites: Readonly<Record<string, readonly [position: number, rewrite: Rewrite]>> = {
  buildTransaction: [0, target],
  eth_call: [0, target],
  eth_estimateGas: [0, target],
  eth_fillTransaction: [0, target],
  eth_getBalance: [0, whole],
  eth_getCode: [0, whole],
  eth_getLogs: [0, filter],
  eth_getStorageAt: [0, whole],
  eth_newFilter: [0, filter],
  eth_subscribe: [1, subscription],
}

/** The same methods, in which an address that an Ethereum library predicted for a contract means that contract. */
export function resolvingContracts<const table extends Record<string, AnyMethod>>(
  methods: table,
): table {
  const entries = Object.entries(methods).map(([name, method]) => {
    const [position, rewrite] = rewrites[name] ?? []
    if (position === undefined || !rewrite) return [name, method]
    const handler = (context: Context, params: readonly unknown[]): unknown => {
      const resolve = (address: Address) => context.sending.contractAt(address)
      return method.handler(context, params.with(position, rewrite(params[position], resolve)))
    }
    return [name, { ...method, handler }]
  })
  return Object.fromEntries(entries) as table
}
