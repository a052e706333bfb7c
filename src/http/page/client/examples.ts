import { rpc } from './pageRpc.ts'

type Schema = { type?: string; enum?: unknown[]; default?: unknown }

/** A method in the OpenRPC document. */
export type MethodDoc = {
  name: string
  summary?: string
  params: { name: string; required?: boolean; description?: string; schema: Schema }[]
  examples?: { params: { value: unknown }[] }[]
}

/** Blocks that are searched for a transaction. */
const SEARCHED = 20

/** Values that are right on every chain, by the name of the parameter. */
const FIXED: readonly (readonly [name: string, value: unknown])[] = [
  ['blockNumber', '0x0'],
  ['index', '0x0'],
  ['indices', ['0x0']],
  ['kind', 'newHeads'],
  ['message', '0x68656c6c6f'],
  ['nonce', '0x0'],
  ['page', '0x0'],
  ['pageSize', '0x19'],
  ['quantity', '0x0'],
  ['traceTypes', ['trace']],
]

/** Parameters whose value belongs to one chain: without one of this chain they are empty. */
const OF_CHAIN = new Set(['address', 'block', 'blockHash', 'filter', 'to', 'transactionHash'])

/** An account that nothing uses. */
const UNUSED = `0x${'11'.repeat(20)}`

/** Typed data without content of its own. */
const TYPED_DATA = {
  types: { EIP712Domain: [{ name: 'name', type: 'string' }] },
  primaryType: 'EIP712Domain',
  domain: { name: 'example' },
  message: { name: 'example' },
}

type Live = ReadonlyMap<string, unknown>

/**
 * Parameters of methods whose names do not say what fits, by the method, or by the part after its namespace. Undefined where this
 * chain has none yet: a managed account, a transaction, a contract, a filter.
 */
const EXAMPLES: Readonly<Record<string, (live: Live) => unknown[]>> = {
  ...each(['fillTransaction', 'ethgate_feeQuote', 'buildTransaction'], (live) => [call(live)]),
  ...each(['sendTransaction', 'sendTransactionSync', 'signTransaction'], (live) => [
    live.get('account') && call(live),
  ]),
  ...each(['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'debug_traceCall'], (live) => [
    call(live),
    'latest',
  ]),
  eth_getRawTransactionByBlockHashAndIndex: (live) => [
    live.get('ethereum') && live.get('blockHash'),
    '0x0',
  ],
  eth_getRawTransactionByBlockNumberAndIndex: (live) => [
    live.get('ethereum') && live.get('block'),
    '0x0',
  ],
  eth_getRawTransactionByHash: (live) => [live.get('ethereum')],
  debug_getRawTransaction: (live) => [live.get('ethereum')],
  ...each(['eth_getTransactionBySenderAndNonce', 'ots_getTransactionBySenderAndNonce'], (live) => [
    live.get('ethereum') && live.get('address'),
    live.get('nonceOf'),
  ]),
  eth_getStorageValues: () => [{ [UNUSED]: ['0x0'] }, 'latest'],
  eth_sign: (live) => [live.get('account'), '0x68656c6c6f'],
  personal_sign: (live) => ['0x68656c6c6f', live.get('account')],
  eth_signTypedData_v4: (live) => [live.get('account'), TYPED_DATA],
  eth_simulateV1: (live) => [{ blockStateCalls: [{ calls: [call(live)] }] }, 'latest'],
  eth_subscribe: () => [],
  debug_traceBlockByHash: (live) => [live.get('transactionHash') && live.get('blockHash')],
  debug_traceBlockByNumber: (live) => [live.get('transactionHash') && live.get('block')],
  ethgate_explain: () => [{ method: 'eth_blockNumber', params: [] }],
  ethgate_openCursor: () => [{ name: 'example', filter: {}, from: '0x0' }],
  ethgate_next: () => [],
  ethgate_ack: () => [],
  ethgate_getTransactions: (live) => [{ address: live.get('address') }],
  ots_getContractCreator: (live) => [live.get('contract')],
  trace_call: (live) => [call(live), ['trace'], 'latest'],
  trace_callMany: (live) => [[[call(live), ['trace']]], 'latest'],
  trace_get: (live) => [live.get('transactionHash'), []],
  trace_rawTransaction: () => [],
  // Methods of a development chain.
  addBalance: () => [UNUSED, '0x1'],
  autoImpersonateAccount: () => [false],
  evm_mine: () => [],
  increaseTime: () => ['0x1'],
  mine: () => ['0x1'],
  setAccountNonce: () => [UNUSED, '0x1'],
  setAutomine: () => [true],
  setBalance: () => [UNUSED, '0x1'],
  setBlockGasLimit: () => ['0x5f5e100'],
  setBlockTimestampInterval: () => ['0x1'],
  setChainId: (live) => [live.get('chainId')],
  setCode: () => [UNUSED, '0x00'],
  setIntervalMining: () => ['0x0'],
  setLoggingEnabled: () => [true],
  setNextBlockBaseFeePerGas: (live) => [live.get('gasPrice')],
  setNextBlockTimestamp: (live) => [live.get('later')],
  setNonce: () => [UNUSED, '0x1'],
  setPrevRandao: () => ['0x1'],
  setStorageAt: () => [UNUSED, '0x0', `0x${'1'.padStart(64, '0')}`],
  setTime: (live) => [live.get('later')],
  tre_mine: () => [],
  // Milliseconds.
  tre_setNextBlockTimestamp: (live) => [Number(live.get('later')) * 1_000],
}

function each(names: readonly string[], example: (live: Live) => unknown[]) {
  return Object.fromEntries(names.map((name) => [name, example]))
}

/** A transfer of the smallest amount. */
function call(live: Live): object {
  const from = live.get('account') ?? live.get('address')
  return { from, to: live.get('to') ?? from, value: '0x1' }
}

/** Values for this chain, the newest where there are several, by the name of the parameter. */
export async function liveExamples(): Promise<Map<string, unknown>> {
  const examples = new Map<string, unknown>(FIXED)
  const { result: head } = await rpc('eth_blockNumber', [])
  const newest = Number(head)
  const answers = await Promise.all(
    ['eth_accounts', 'eth_chainId', 'eth_gasPrice'].map((method) => rpc(method, [])),
  )
  const [accounts, chainId, gasPrice] = answers.map(({ result }) => result)
  const [account, second] = (accounts ?? []) as string[]
  examples.set('account', account).set('to', second)
  examples.set('chainId', chainId).set('gasPrice', gasPrice)
  for (let number = newest; number >= Math.max(0, newest - SEARCHED); number--) {
    const { result } = await rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
    const block = result as {
      hash: string
      miner: string
      timestamp: string
      transactions: { hash: string; from: string; to: string | null; nonce: string }[]
    } | null
    if (!block) break
    if (number === newest) examples.set('later', `0x${(Number(block.timestamp) + 60).toString(16)}`)
    const [transaction] = block.transactions
    if (!examples.has('blockHash') || transaction) {
      examples.set('blockHash', block.hash)
      examples.set('block', `0x${number.toString(16)}`)
      examples.set('address', transaction?.from ?? block.miner)
    }
    if (!transaction || number === 0) continue
    const { from, hash, nonce, to } = transaction
    examples
      .set('transactionHash', hash)
      .set('to', to ?? from)
      .set('nonceOf', nonce)
    const [raw, receipt] = await Promise.all([
      rpc('eth_getRawTransactionByHash', [hash]),
      rpc('eth_getTransactionReceipt', [hash]),
    ])
    if (raw.result) examples.set('ethereum', hash)
    const { contractAddress } = (receipt.result ?? {}) as { contractAddress?: string | null }
    if (contractAddress) examples.set('contract', contractAddress)
    break
  }
  const block = examples.get('block')
  examples.set('filter', { fromBlock: block, toBlock: block })
  return examples
}

/** Example values of a method: of the chain where the name says what is meant, otherwise of the document. */
export function examplesOf(method: MethodDoc, live: Live): unknown[] {
  const own = EXAMPLES[method.name] ?? EXAMPLES[method.name.replace(/^[a-z]+_/, '')]
  if (own) return own(live)
  const given = method.examples?.[0]?.params.map(({ value }) => value) ?? []
  return method.params.map(({ name, required, schema }, index) => {
    // The page of `ethgate_getLogs` is an object, that of others a number.
    if (name === 'page' && schema.type === 'object') return { filter: live.get('filter') }
    if (!required && given[index] === undefined) return undefined
    return live.get(name) ?? (OF_CHAIN.has(name) ? undefined : given[index])
  })
}
