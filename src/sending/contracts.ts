import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Address, getContractAddress, type Hash } from 'viem'

import { toNativeAddress, toRpcAddress } from '../codec/address.ts'
import type { Context } from '../context.ts'
import type { AnyMethod } from '../jsonrpc/method.ts'
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

/** The first parameter of these methods names contracts. */
const rewrites: Readonly<Record<string, Rewrite>> = {
  buildTransaction: target,
  eth_call: target,
  eth_estimateGas: target,
  eth_fillTransaction: target,
  eth_getBalance: whole,
  eth_getCode: whole,
  eth_getLogs: filter,
  eth_getStorageAt: whole,
  eth_newFilter: filter,
}

/** The same methods, in which an address that an Ethereum library predicted for a contract means that contract. */
export function resolvingContracts<const table extends Record<string, AnyMethod>>(
  methods: table,
): table {
  const entries = Object.entries(methods).map(([name, method]) => {
    const rewrite = rewrites[name]
    if (!rewrite) return [name, method]
    const handler = (context: Context, [first, ...rest]: readonly unknown[]): unknown =>
      method.handler(context, [
        rewrite(first, (address) => context.sending.contractAt(address)),
        ...rest,
      ])
    return [name, { ...method, handler }]
  })
  return Object.fromEntries(entries) as table
}
