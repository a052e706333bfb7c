import { SUN } from '../../codec/unit.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { RpcError } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import { VERSION } from '../../lib/version.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { address, arrayOf, type Param, show } from '../../rpc/params/params.ts'
import { createTracer, type DevChain, traceBlock } from '../index.ts'
import { named, returningTrue } from './named.ts'
import { amount } from './requests.ts'
import { placeOf } from './trace/places.ts'

/** The path at which TRE, the development node of TronBox, has its methods. */
export const TRE_PATH = '/tre'

const whole =
  (least: bigint, most: bigint): Param<bigint> =>
  (input) => {
    const value = amount(input)
    if (value >= least && value <= most) return value
    throw new Error(`expected ${least} to ${most}, got ${show(input)}`)
  }

/** Parameter of `tre_mine`: nothing, or a number of blocks. */
const mineRequest: Param<bigint> = (input) => {
  if (input === undefined || input === null) return 1n
  if (!isObject(input))
    throw new Error(`expected an object such as {blocks: 1}, got ${show(input)}`)
  return whole(1n, 100n)(input['blocks'] ?? 1n)
}

/** One account or a list of them. */
const accounts: Param<readonly `0x${string}`[]> = (input) =>
  Array.isArray(input) ? arrayOf(address)(input) : [address(input)]

/**
 * The methods of TRE, under its names.
 *
 * @param methods - those of Hardhat and anvil, which do the work.
 */
export function treMethods(
  chain: DevChain,
  methods: Readonly<Record<string, AnyMethod>>,
): Record<string, AnyMethod> {
  const same = (name: string, other: string) => ({ [name]: methods[other] as AnyMethod })

  const mine = defineMethod({
    params: [mineRequest],
    summary: 'mines a block, or several with {blocks}, at most 100',
    async handler(_, [blocks]) {
      await chain.mineMany(Number(blocks))
      return '0x0'
    },
  })

  const blockTime = returningTrue(
    'mines a block at an interval of 1 to 60 seconds; 0 mines each transaction at once',
    [whole(0n, 60n)],
    (seconds) => {
      chain.automine = seconds === 0n
      chain.setBlockTime(Number(seconds) * 1000)
    },
  )

  const unlockedAccounts = returningTrue(
    'accepts native transactions of accounts whoever signed them',
    [accounts],
    (list) => list.forEach((who) => chain.unlocked.impersonate(toNativeAddress(who))),
  )

  const setNextBlockTimestamp = returningTrue(
    'sets the time of the next block, milliseconds',
    [amount],
    (time) => {
      const newest = chain.ledger.head().header.timestamp
      if (Number(time) <= newest)
        throw new RpcError(-32000, `the time ${time} is not after ${newest}, the newest block's`)
      chain.clock.setNext(Number(time))
    },
  )

  const dropSnapshot = defineMethod({
    params: [amount],
    summary: 'deletes a snapshot; returns false when there is none',
    handler: (_, [id]) => chain.dropSnapshot(Number(id)),
  })

  const automine = (on: boolean) =>
    returningTrue(`turns the mining of each transaction ${on ? 'on' : 'off'}`, [], () => {
      chain.automine = on
    })

  return {
    miner_start: automine(true),
    miner_stop: automine(false),
    ...same('tre_setAccountBalance', 'hardhat_setBalance'),
    ...same('tre_setAccountCode', 'hardhat_setCode'),
    ...same('tre_setAccountStorageAt', 'hardhat_setStorageAt'),
    ...same('tre_snapshot', 'evm_snapshot'),
    ...same('tre_revert', 'evm_revert'),
    ...same('tre_impersonateAccount', 'hardhat_impersonateAccount'),
    ...same('tre_stopImpersonatingAccount', 'hardhat_stopImpersonatingAccount'),
    ...named(['tre'], 'blockTime', blockTime),
    ...named(['tre'], 'dropSnapshot', dropSnapshot),
    ...named(['tre'], 'mine', mine),
    ...named(['tre'], 'setNextBlockTimestamp', setNextBlockTimestamp),
    ...named(['tre'], 'unlockedAccounts', unlockedAccounts),
    tre_version: defineMethod({
      params: [],
      summary: 'name and version of this chain',
      handler: () => `ethgate/v${VERSION}`,
    }),
  }
}

/** An operation of a trace of {@link createTracer}. */
type StructLog = {
  depth: number
  error?: string
  gas: number
  gasCost: number
  memory?: string[]
  op: string
  pc: number
  stack?: string[]
  storage?: Record<string, string>
}

const transactionId: Param<string> = (input) => {
  const [, id] = /^(?:0x)?([\da-f]{64})$/i.exec(String(input)) ?? []
  if (id !== undefined) return id.toLowerCase()
  throw new Error(`expected a transaction id of 64 hex digits, got ${show(input)}`)
}

/** Methods that have another result at {@link TRE_PATH} than elsewhere. */
export function treTraces(chain: DevChain): Record<string, AnyMethod> {
  const debug_traceTransaction = defineMethod({
    params: [transactionId],
    summary: 'trace of a transaction in the form of TRE: every operation with its memory',
    async handler({ chain: { view } }, [id]) {
      const { block, index } = placeOf(chain, `0x${id}`, view)
      const create = () => createTracer({ options: { enableMemory: true } }, SUN)
      const [traced] = await traceBlock(chain.ledger, block, { create, timeout: TIMEOUT }, index)
      const { failed, structLogs } = (traced as NonNullable<typeof traced>).trace as {
        failed: boolean
        structLogs: StructLog[]
      }
      return { failed, gas: '', structLogs: structLogs.map(printer()), returnValue: '' }
    },
  })
  return { debug_traceTransaction }
}

/** Milliseconds for a trace. */
const TIMEOUT = 60_000

/** The names of java-tron, which TRE prints, where Ethereum has others. */
const NATIVE_NAMES: Readonly<Record<string, string>> = {
  KECCAK256: 'SHA3',
  PREVRANDAO: 'DIFFICULTY',
  SELFDESTRUCT: 'SUICIDE',
}

/** Prints operations one after the other. TRE has all members, in this order, and the storage before each operation. */
function printer(): (log: StructLog) => Record<string, unknown> {
  const before: (Record<string, string> | undefined)[] = []
  return ({ depth, error = '', gas, gasCost, memory = [], op, pc, stack = [], storage }) => {
    before.length = Math.min(before.length, depth + 1)
    const shown = before[depth] ?? {}
    before[depth] = storage
    const hex = `0x${gas.toString(16).padStart(16, '0')}`
    const name = NATIVE_NAMES[op] ?? op
    return { depth, error, gas: hex, gasCost, memory, op: name, pc, stack, storage: shown }
  }
}
