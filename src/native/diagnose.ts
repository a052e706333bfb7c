import { RpcError } from '../lib/errors.ts'
import { type Capability, createCapabilities } from './capabilities.ts'
import type { NativeClient } from './client.ts'
import {
  ifServed,
  NodeBusyError,
  NodeFailedError,
  NodeLacksApiError,
  NodeRefusedError,
  NodeUnclearError,
} from './errors.ts'
import { agreesWith } from './pool/guessedRpc.ts'
import { changesOf, KNOWN_RELEASES } from './release.ts'
import { shownRelease } from './shownText.ts'
import type { NodeRpc } from './transport/nodeRpc.ts'

/** The result of one check, and its meaning for the gateway. */
export type Finding = {
  check: string
  /** `fail`: much of the gateway does not work. `warn`: a part does not work. `info`: no effect. */
  level: 'ok' | 'info' | 'warn' | 'fail'
  found: string
  /** What to expect and what to change. Empty when there is nothing to change. */
  advice: string
}

/** Calls of a burst. Every node accepts so many, unless it limits the rate to a few calls a second. */
const BURST = 200

/** Milliseconds. The chain makes a block every three seconds, so an older head has stopped. */
const OLD_HEAD_MS = 60_000

/**
 * Checks a node. Faults of the node are findings, not errors. The list ends early only when the node is unreachable.
 *
 * @param rpc - the node's own JSON-RPC, where its address was given.
 */
export async function diagnose(
  native: NativeClient,
  {
    grpcGenesis,
    isGrpcGuessed = false,
    isRpcGuessed = false,
    now = Date.now,
    rpc: given,
  }: diagnose.Options = {},
): Promise<Finding[]> {
  const reachable = await findingOf('reachable', () => reachNode(native, now))
  if (reachable.level === 'fail') return [{ ...reachable, advice: UNREACHABLE }]
  const capabilities = createCapabilities({ native })
  const isOwn = given && (!isRpcGuessed || (await agreesWith(given, native)))
  const rpc = isOwn ? given : undefined
  const has = (check: string, capability: Capability, good: string, bad: Verdict) =>
    findingOf(check, async () => ((await capabilities.has(capability)) ? ok(good) : bad))
  return [
    reachable,
    await findingOf('version', async () => {
      const release = (await capabilities.version()) ?? (await releaseOfRpc(rpc))
      if (release === undefined) return info('hidden', 'getnodeinfo is disabled')
      const found = `java-tron ${release}`
      const changes = changesOf(release)
      return changes === undefined
        ? info(found, `not tested; tested with ${KNOWN_RELEASES}`)
        : ok(found, changes)
    }),
    await findingOf('chain', async () => {
      const { chainId, genesis } = await capabilities.identity()
      return ok(`id ${chainId} (0x${chainId.toString(16)}), genesis …${genesis.slice(-16)}`)
    }),
    await findingOf('head', () => readHead(native, now)),
    await findingOf('solidified', () => readSolid(native)),
    await has('contract calls', 'constantCalls', 'on', CALLS_OFF),
    await has('energy estimates', 'estimateEnergy', 'on', ESTIMATE_OFF),
    await has('block history', 'blockHistory', 'kept', LITE),
    await has('receipts and logs', 'infoHistory', 'kept', NO_INFOS),
    await has('balance history', 'balanceHistory', 'kept', NO_BALANCES),
    ...(await Promise.all(NEEDED.map((needed) => checkApi(native, needed)))).filter(
      ({ level }) => level !== 'ok',
    ),
    await findingOf('limits', () => burst(native, now)),
    await findingOf('JSON-RPC', () => checkRpc(native, rpc, given !== undefined)),
    ...(grpcGenesis
      ? [await findingOf('gRPC', () => checkGrpc(native, grpcGenesis, isGrpcGuessed))]
      : []),
  ]
}

export declare namespace diagnose {
  type Options = {
    rpc?: NodeRpc | undefined
    /** Reads the hash of block 0 over gRPC; absent without a gRPC interface. @throws Error with the reason */
    grpcGenesis?: (() => Promise<string>) | undefined
    /** Whether the address of the gRPC interface was guessed. @default false */
    isGrpcGuessed?: boolean | undefined
    /** The same of the JSON-RPC. @default false */
    isRpcGuessed?: boolean | undefined
    /** Milliseconds. @default Date.now */
    now?: () => number
  }
}

/** The release that the node's own JSON-RPC names, as in `TRON/v4.8.2/Linux/Java17`. */
async function releaseOfRpc(rpc: NodeRpc | undefined): Promise<string | undefined> {
  const version = await rpc?.call('web3_clientVersion', []).catch(() => undefined)
  return shownRelease(String(version).split('/')[1]?.replace(/^v/, ''))
}

const UNREACHABLE =
  'check that the node is running and that this is the address of its HTTP API (port 8090, not its JSON-RPC)'

type Verdict = Omit<Finding, 'check'>

const ok = (found: string, advice = ''): Verdict => ({ level: 'ok', found, advice })
const info = (found: string, advice: string): Verdict => ({ level: 'info', found, advice })
const warn = (found: string, advice: string): Verdict => ({ level: 'warn', found, advice })
const fail = (found: string, advice: string): Verdict => ({ level: 'fail', found, advice })

/** Runs a check. An error of the node is a failed check. */
async function findingOf(check: string, ask: () => Promise<Verdict>): Promise<Finding> {
  try {
    return { check, ...(await ask()) }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { check, level: 'fail', found: error.message, advice: '' }
  }
}

const CALLS_OFF = fail(
  'off',
  'eth_call and all contract reads fail: set vm.supportConstant = true in the node',
)
const ESTIMATE_OFF = warn(
  'off',
  'estimates come from a simulation and can be slightly too low: set vm.estimateEnergy = true',
)
const LITE = fail(
  'closed',
  'a lite node: old blocks, receipts and logs are not served; use a full node or set node.openHistoryQueryWhenLiteFN = true',
)
const NO_INFOS = fail(
  'not kept',
  'no receipts, no logs: set storage.transHistory.switch = "on" and sync again',
)
const NO_BALANCES = warn(
  'not complete from the first block',
  'eth_getBalance fails for past blocks: set storage.balance.history.lookup = true and sync again',
)

async function reachNode(native: NativeClient, now: () => number): Promise<Verdict> {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const start = now()
    await native.wallet.getNowBlock()
    times.push(now() - start)
  }
  const [fastest = 0, , median = 0] = times.toSorted((left, right) => left - right)
  return median > 1000
    ? warn(`answers in ${median} ms`, 'every read takes this time')
    : ok(`answers in ${median} ms (fastest ${fastest} ms)`)
}

async function readHead(native: NativeClient, now: () => number): Promise<Verdict> {
  const { number = 0, timestamp = 0 } = (await native.wallet.getNowBlock()).block_header.raw_data
  const age = now() - timestamp
  const found = `block ${number}, ${Math.round(age / 1000)} s old`
  if (age < -OLD_HEAD_MS)
    return warn(found, 'in the future: check the clocks of this machine and of the node')
  return age > OLD_HEAD_MS
    ? warn(found, 'the head does not move: the node is syncing, or its chain stopped')
    : ok(found)
}

async function readSolid(native: NativeClient): Promise<Verdict> {
  const [head, solid] = await Promise.all([
    native.wallet.getNowBlock(),
    ifServed(native.solidity.getNowBlock()),
  ])
  if (!solid)
    return fail(
      'no /walletsolidity',
      '"finalized", "safe" and caching need it: give its address with --upstream-solidity (port 8091 of a node)',
    )
  const number = solid.block_header.raw_data.number ?? 0
  return ok(`block ${number}, ${(head.block_header.raw_data.number ?? 0) - number} behind the head`)
}

const ZERO_ADDRESS = `41${'0'.repeat(40)}`

/** Operations that the gateway needs, and the feature that does not work without each. */
const NEEDED: { name: string; body: object; without: string; level: 'warn' | 'fail' }[] = [
  { name: 'getcontractinfo', body: { value: ZERO_ADDRESS }, without: 'eth_getCode', level: 'fail' },
  { name: 'getcontract', body: { value: ZERO_ADDRESS }, without: 'sending', level: 'warn' },
  { name: 'getenergyprices', body: {}, without: 'eth_gasPrice', level: 'fail' },
  { name: 'getchainparameters', body: {}, without: 'sending', level: 'warn' },
  {
    name: 'gettransactionlistfrompending',
    body: {},
    without: 'pending transactions',
    level: 'warn',
  },
  { name: 'createtransaction', body: {}, without: 'building transfers', level: 'warn' },
  { name: 'triggersmartcontract', body: {}, without: 'building contract calls', level: 'warn' },
  { name: 'broadcasthex', body: {}, without: 'sending', level: 'warn' },
]

async function checkApi(
  native: NativeClient,
  { body, level, name, without }: (typeof NEEDED)[number],
): Promise<Finding> {
  return findingOf(name, async () => {
    try {
      await native.call('wallet', name, body)
    } catch (error) {
      if (error instanceof NodeLacksApiError)
        return { level, found: error.reason, advice: `without it: no ${without}` }
      // The request is empty, so a refusal or an internal error shows that the operation exists.
      const isRefusal = [NodeRefusedError, NodeFailedError, NodeUnclearError].some(
        (refusal) => error instanceof refusal,
      )
      if (!isRefusal) throw error
    }
    return ok('offered')
  })
}

/** Many small reads at once, to find rate limits of the node or of a provider in front of it. */
async function burst(native: NativeClient, now: () => number): Promise<Verdict> {
  const head = (await native.wallet.getNowBlock()).block_header.raw_data.number ?? 0
  const start = now()
  const outcomes = await Promise.allSettled(
    Array.from({ length: BURST }, (_, index) =>
      native.wallet.getBlock({ id_or_num: String(Math.max(0, head - index)) }),
    ),
  )
  const seconds = Math.max(1, now() - start) / 1000
  const faults = outcomes.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  )
  const busy = faults.filter((fault) => fault instanceof NodeBusyError).length
  const rate = `${BURST} reads in ${seconds.toFixed(2)} s`
  if (busy > 0)
    return warn(
      `${busy} of ${BURST} reads refused`,
      'the rate is limited: use an API key (--upstream-header) or lower --upstream-sockets',
    )
  if (faults.length > 0)
    return warn(
      `${faults.length} of ${BURST} reads failed`,
      'the node accepts fewer connections: lower --upstream-sockets',
    )
  return seconds > 5
    ? warn(rate, 'slow: eth_getLogs over many blocks will take a long time')
    : ok(rate)
}

async function checkRpc(
  native: NativeClient,
  rpc: NodeRpc | undefined,
  wasTried: boolean,
): Promise<Verdict> {
  if (!rpc)
    return info(
      wasTried ? 'not found' : 'not given',
      'eth_getStorageAt and simulations need it, and log searches read less with it: --upstream-rpc http://HOST:8545/jsonrpc',
    )
  const genesis = await native.wallet.getBlock({ id_or_num: '0' })
  const chainId = await rpc.call('eth_chainId', [])
  return chainId === `0x${(genesis?.blockID ?? '').slice(-8).replace(/^0+/, '')}`
    ? ok('same chain')
    : fail(
        `another chain: ${String(chainId)}`,
        'eth_getStorageAt would be wrong: --upstream-rpc must be of the same node',
      )
}

async function checkGrpc(
  native: NativeClient,
  grpcGenesis: () => Promise<string>,
  isGuessed: boolean,
): Promise<Verdict> {
  const genesis = await native.wallet.getBlock({ id_or_num: '0' })
  const found = await grpcGenesis().catch((error: unknown) => error as Error)
  if (found instanceof Error && isGuessed)
    return info(
      'not found',
      'blocks and accounts cost the node a part over gRPC: switch it on, or give --upstream-grpc HOST:PORT',
    )
  if (found instanceof Error)
    return warn(
      found.message,
      'the gateway uses HTTP instead: --upstream-grpc must be the port of the full node, 50051',
    )
  return found === genesis?.blockID
    ? ok('same chain')
    : warn(
        'another chain',
        'the gateway uses HTTP instead: --upstream-grpc must be of the same node',
      )
}
