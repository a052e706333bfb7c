import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

import { type Abi, encodeDeployData, encodeFunctionData, type Hash, type Hex, pad } from 'viem'

// Transactions with every kind of frame and failure, and anvil's traces of them.

type Artifact = { abi: Abi; bytecode: string }

const { Callee, Tracee } = fixture('artifacts') as Record<'Callee' | 'Tracee', Artifact>

/** An account of every development chain, and an account without a key. */
const FROM: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const HEIR: Hex = '0x00000000000000000000000000000000000000aa'

/** The first contract of that account. */
export const TRACEE: Hex = '0x5fbdb2315678afecb367f032d93f642f64180aa3'

/** Call data of a function of the contract. */
export function traceeCall(functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi: Tracee.abi, functionName, args })
}

type Request = { to?: Hex; data?: Hex; value?: Hex; gas?: Hex }

function call(functionName: string, args: readonly unknown[] = [], value = 0): Request {
  return { to: TRACEE, data: traceeCall(functionName, args), value: `0x${value.toString(16)}` }
}

const deploy = ({ abi, bytecode }: Artifact, args: readonly unknown[]): Hex =>
  encodeDeployData({ abi, bytecode: `0x${bytecode}`, args } as never)

const cases: Readonly<Record<string, Request>> = {
  deploy: { data: deploy(Tracee, []), value: '0x3e8' },
  call: call('call', [5], 10),
  staticCall: call('staticCall'),
  delegate: call('delegate', [6]),
  callCode: call('callCode', [7]),
  catches: call('catches'),
  create: call('create', [3], 9),
  create2: call('create2', [4, pad('0x5', { size: 32 })]),
  createFails: call('createFails'),
  tooPoor: call('tooPoor'),
  tooPoorToCreate: call('tooPoorToCreate'),
  builtIns: call('builtIns'),
  destroy: call('destroy', [HEIR], 77),
  pay: call('pay', [HEIR], 4),
  storageWork: call('storageWork'),
  revertsAfterLog: call('revertsAfterLog'),
  staticWrite: call('staticWrite'),
  memoryWork: call('memoryWork'),
  underflow: call('underflow'),
  undefinedByte: call('undefinedByte'),
  badJump: call('badJump'),
  transfer: { to: HEIR, value: '0x7' },
  createReverts: { data: deploy(Callee, [13]) },
}

/** One JSON-RPC call. */
export type Rpc = (method: string, ...params: unknown[]) => Promise<unknown>

/** Sends all transactions to a new chain. Returns their hashes by name. */
export async function sendCases(rpc: Rpc): Promise<Map<string, Hash>> {
  const hashes = new Map<string, Hash>()
  for (const [name, request] of Object.entries(cases)) {
    const hash = await send(rpc, { from: FROM, gas: '0x4c4b40', ...NO_TIP, ...request })
    hashes.set(name, hash)
    while ((await rpc('eth_getTransactionReceipt', hash)) === null);
  }
  return hashes
}

/** Fees without a tip, so that the balance of the block's producer does not change. */
const NO_TIP = { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x0' }

/** The hash of a transaction, also of a failed one, for which the call returns an error. */
async function send(rpc: Rpc, request: object): Promise<Hash> {
  try {
    return (await rpc('eth_sendTransaction', request)) as Hash
  } catch (error) {
    const { txHash } = ((error as { data?: unknown }).data ?? {}) as { txHash?: Hash }
    if (txHash) return txHash
    throw error
  }
}

type Traces = {
  calls: unknown
  diff: unknown
  flat: unknown
  selectors: unknown
  /** Depth, position and name of every operation. */
  steps: string[]
}

/** Every trace of a transaction, without values that depend on the price of operations. */
export async function tracesOf(rpc: Rpc, hash: Hash): Promise<Traces> {
  const trace = (options: object) => rpc('debug_traceTransaction', hash, options)
  const { structLogs } = (await trace({})) as {
    structLogs: { depth: number; pc: number; op: string }[]
  }
  return {
    calls: comparable(await trace({ tracer: 'callTracer', tracerConfig: { withLog: true } })),
    diff: comparable(await trace({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } })),
    flat: comparable(await rpc('trace_transaction', hash)),
    selectors: await trace({ tracer: '4byteTracer' }),
    steps: structLogs.map(({ depth, op, pc }) => `${depth} ${pc} ${op}`),
  }
}

/** Members that depend on the price of operations, on the chain or on the format of empty values. */
const IGNORED = new Set([
  'gas',
  'gasUsed',
  'blockHash',
  'blockNumber',
  'transactionHash',
  'transactionPosition',
  // The producer, who earns fees on Ethereum.
  '0x0000000000000000000000000000000000000000',
])

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([name, inner]) => !IGNORED.has(name) && !(name === 'result' && inner === null))
    .map(([name, inner]) => [
      name,
      comparable(name === FROM ? { ...inner, balance: 'paid' } : inner),
    ])
  return Object.fromEntries(entries)
}

/** The number of operations and the hash of their list, because the lists are long. */
export const digest = (steps: readonly string[]): string =>
  `${steps.length} ${createHash('sha256').update(steps.join()).digest('hex').slice(0, 16)}`

type Recorded = Omit<Traces, 'steps'> & { steps: string }

/** The answers of anvil, by name. */
export function anvilTraces(): Record<string, Recorded> {
  const bytes = brotliDecompressSync(readFileSync(fixturePath('anvil.json.br')))
  return JSON.parse(bytes.toString()) as Record<string, Recorded>
}

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(fixturePath(`${name}.json`), 'utf8'))
}

function fixturePath(name: string): URL {
  return new URL(`../fixtures/trace/${name}`, import.meta.url)
}
