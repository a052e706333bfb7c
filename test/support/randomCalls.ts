import { isDeepStrictEqual } from 'node:util'

import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
} from 'viem'
import { expect } from 'vitest'

import { readConstantCall } from '../../src/native/constantCall.ts'
import { decodeMessage } from '../../src/native/errors.ts'
import type { ConstantCall } from '../../src/native/wire/accountTypes.ts'
import { artifacts, keys } from './recordedChain.ts'

/** A call of a random function with random arguments, or random bytes. */
export type RandomCall = { from: Hex; to?: Hex; data: Hex; value: bigint }

/** A contract of the recorded chains. */
export type Called = { address: Hex; abi: Abi }

const ACCOUNTS: readonly Hex[] = Object.values(keys).map(({ eth }) => eth)

/**
 * Functions of Kitchen that are not compared: the address of a contract that is made depends on the hash of a transaction, which
 * the node makes anew for each call, and endless loops end by time.
 */
const LEFT_OUT = new Set(['burn', 'events', 'make', 'make2'])

/** Random numbers below a limit, the same for the same seed (mulberry32). */
export function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/** Random calls of contracts: most by their ABI, some with bytes that no function expects, some that create contracts. */
export function randomCalls(
  contracts: readonly Called[],
  random: (limit: number) => number,
  count: number,
): RandomCall[] {
  const pick = <item>(items: readonly item[]) => items[random(items.length)] as item
  const bytes = (length: number): Hex =>
    `0x${Array.from({ length }, () => random(256).toString(16).padStart(2, '0')).join('')}`
  const places: readonly Hex[] = [...ACCOUNTS, ...contracts.map(({ address }) => address)]
  const address = (): Hex => (random(8) === 0 ? bytes(20) : pick(places))

  function valueOf(parameter: AbiParameter): unknown {
    const { type } = parameter
    if (type.endsWith('[]')) {
      const inner = { ...parameter, type: type.slice(0, -2) }
      return Array.from({ length: random(4) }, () => valueOf(inner))
    }
    if ('components' in parameter)
      return Object.fromEntries(
        parameter.components.map((part, index) => [part.name ?? String(index), valueOf(part)]),
      )
    if (type === 'address') return address()
    if (type === 'bool') return random(2) === 0
    if (type === 'string') return 'text'.repeat(random(20))
    if (type === 'bytes32') return bytes(32)
    if (type === 'bytes') return random(2) === 0 ? bytes(random(80)) : callOf(pick(contracts)).data
    return pick([0n, 1n, BigInt(random(1_000)), BigInt(random(2 ** 30)), 2n ** 255n + 7n])
  }

  function callOf({ abi, address: to }: Called): { to: Hex; data: Hex; isPayable: boolean } {
    const functions = abi.filter(
      (item): item is AbiFunction => item.type === 'function' && !LEFT_OUT.has(item.name),
    )
    if (random(12) === 0) return { to, data: bytes(random(70)), isPayable: random(4) === 0 }
    const { inputs, name, stateMutability } = pick(functions)
    const data = encodeFunctionData({
      abi,
      functionName: name,
      args: inputs.map((input) => valueOf(input)),
    })
    return { to, data, isPayable: stateMutability === 'payable' }
  }

  return Array.from({ length: count }, () => {
    const from = pick(ACCOUNTS)
    if (random(25) === 0) {
      const { abi, bytecode } = pick([artifacts.Token, artifacts.Child, artifacts.BadCtor])
      const inputs = abi.find((item) => item.type === 'constructor')?.inputs ?? []
      const code: Hex = `0x${bytecode.replace('0x', '')}`
      const args = inputs.map((input) => valueOf(input))
      return { from, data: encodeDeployData({ abi, bytecode: code, args }), value: 0n }
    }
    const { data, isPayable, to } = callOf(pick(contracts))
    return { from, to, data, value: isPayable && random(2) === 0 ? BigInt(random(1_000)) : 0n }
  })
}

/** A call as the virtual machine ran it. */
type Ran = { kind: 'success' | 'revert' | 'failure'; data: Hex; energy: number }

/** How often a call that took the node too long is repeated. The first calls of a node and those of a busy machine do. */
const REPEATS = 5

/** Runs a call on the node. Undefined when the node did not run it, such as on a contract that does not exist. */
async function ranByNode(
  native: (path: string, body: unknown) => Promise<unknown>,
  call: RandomCall,
  repeats = REPEATS,
): Promise<Ran | undefined> {
  const { data, from, to, value } = call
  const outcome = readConstantCall(
    (await native('/wallet/triggerconstantcontract', {
      owner_address: `41${from.slice(2)}`,
      ...(to && { contract_address: `41${to.slice(2)}` }),
      data: data.slice(2),
      ...(value > 0n && { call_value: Number(value) }),
    })) as ConstantCall,
  )
  if (outcome.kind !== 'failure')
    return { kind: outcome.kind, data: `0x${outcome.data}`, energy: outcome.energy }
  if (outcome.code !== 'OTHER_ERROR') return undefined
  // The client of the gateway decodes the message, which this answer has not passed.
  if (!/time ?out/i.test(decodeMessage(outcome.message)))
    return { kind: 'failure', data: '0x', energy: 0 }
  return repeats > 0 ? ranByNode(native, call, repeats - 1) : undefined
}

/** Runs a call in the gateway. @param rpc - throws for an error */
async function ranByGateway(
  rpc: (method: string, ...params: unknown[]) => Promise<unknown>,
  { value, ...call }: RandomCall,
): Promise<Ran> {
  const trace = (await rpc(
    'debug_traceCall',
    { ...call, value: `0x${value.toString(16)}` },
    'latest',
    { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } },
  )) as { error?: string; gasUsed: Hex; output?: Hex }
  const { error, gasUsed, output = '0x' } = trace
  if (error === undefined) return { kind: 'success', data: output, energy: Number(gasUsed) }
  return error.startsWith('execution reverted')
    ? { kind: 'revert', data: output, energy: Number(gasUsed) }
    : { kind: 'failure', data: '0x', energy: 0 }
}

/** How often a call is compared again that had two outcomes: a block may come between the two runs. */
const COMPARISONS = 3

/** Compares calls that the node runs with the same calls in the gateway. Returns how many ran, by kind. */
export async function compareCalls(
  calls: readonly RandomCall[],
  native: (path: string, body: unknown) => Promise<unknown>,
  rpc: (method: string, ...params: unknown[]) => Promise<unknown>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const call of calls) {
    for (let comparison = 1; ; comparison++) {
      const expected = await ranByNode(native, call)
      const ran = expected && (await ranByGateway(rpc, call))
      if (!isDeepStrictEqual(ran, expected) && comparison < COMPARISONS) continue
      expect({ call, ...ran }).toEqual({ call, ...expected })
      const kind = expected?.kind ?? 'none'
      counts[kind] = (counts[kind] ?? 0) + 1
      break
    }
  }
  return counts
}
