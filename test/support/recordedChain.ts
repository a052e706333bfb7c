import { readFileSync } from 'node:fs'

import type { Abi, Address, Hex } from 'viem'

// The recorded chain of `fixtures/recorded`: its accounts, contracts and labelled transactions.

/** An account of the recorded chain. */
export type TestAccount = {
  /** Private key, hex without 0x. */
  pk: string
  base58: string
  /** 21 bytes. */
  hex: string
  eth: Address
}

/** A contract of the recorded chain. */
export type TestContract = { name: string; address: string; tx: string; result: string }

/** A transaction of the recorded chain. */
export type TestTransaction = {
  label: string
  id: string
  /** `false`: the node rejected it at the broadcast, so it is not in a block. */
  accepted: boolean
}

/** A compiled contract. */
export type Artifact = { abi: Abi; bytecode: string; runtime: string }

type Name =
  | 'sr1'
  | 'sr2'
  | 'sr3'
  | 'sr4'
  | 'sr5'
  | 'rich'
  | 'alice'
  | 'bob'
  | 'carol'
  | 'dave'
  | 'erin'
type ContractName = 'Token' | 'Kitchen' | 'Multicall3Lite' | 'BadCtor' | 'Child payable'

/** Test accounts with their keys. */
export const keys = json('keys') as Record<Name, TestAccount>

/** Contracts by name (hex without 0x in artifacts), and the label of each transaction. */
export const labels = json('labels') as {
  contracts: Record<ContractName, TestContract>
  tokenId: string
  transactions: TestTransaction[]
}

/** Compiled contracts by name. */
export const artifacts = json('artifacts') as Record<
  'BadCtor' | 'Child' | 'Kitchen' | 'Multicall3Lite' | 'Token',
  Artifact
>

/** Facts of the recorded chain. */
export const CHAIN = {
  chainId: 0xb24e27cc,
  head: 223,
  headHash: '0x00000000000000df3e5a955d7b8a4ea0aa156b13a1e78a548d041a9c9c129966' as Hex,
}

function json(name: string): unknown {
  const file = new URL(`../fixtures/chain/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))
}
