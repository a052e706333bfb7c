import { RpcError } from '../../lib/errors.ts'
import { NodeRefusedError } from '../../native/errors.ts'
import { stringifyNative } from '../../native/wire/json.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { ForkError } from '../state/errors.ts'
import { runFetching } from '../state/missing.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import { accountOperations } from './accounts.ts'
import { addressOperations } from './addresses.ts'
import { assetOperations } from './assets.ts'
import { blockOperations } from './blocks.ts'
import { broadcastOperations } from './broadcast.ts'
import { builderOperations } from './builderOperations.ts'
import { callOperations } from './calls.ts'
import { createChance, type Faults, noFaults } from './faults.ts'
import { networkOperations } from './network.ts'
import type { Operation, Operations } from './operation.ts'
import { passThrough } from './passThrough.ts'
import { NodeError, type Params, PlainNodeError, queryParams, readParams } from './request.ts'
import { signOperations } from './sign.ts'
import { stakeOperations } from './stake.ts'
import { transactionOperations } from './transactions.ts'

/** Every served operation, by the last part of its path. */
const operations: Operations = {
  ...accountOperations,
  ...addressOperations,
  ...assetOperations,
  ...blockOperations,
  ...broadcastOperations,
  ...builderOperations,
  ...callOperations,
  ...networkOperations,
  ...signOperations,
  ...stakeOperations,
  ...transactionOperations,
}

/**
 * An HTTP answer. `drop` closes the connection without one. `parsed` is the text as JSON, where that takes no work.
 */
export type NativeAnswer = {
  status: number
  readonly text: string
  readonly parsed?: unknown
  drop?: boolean
}

/** A request of the native HTTP interface. */
export type NativeRequest = {
  /** `/wallet/x` or `/walletsolidity/x`. */
  path: string
  method: string
  body: string
  query: URLSearchParams
  /** Prints zeros instead of the signatures of blocks, because signing takes longer than the rest of a block. @default false */
  isUnsigned?: boolean
}

const DISABLED = '{"Error":"this API is unavailable due to config"}'
const RATE_LIMITED =
  '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}'

/** The native interface of a chain, from a request to the exact text of its answer. */
export function createNativeInterface(options: createNativeInterface.Options) {
  const { ledger, now, onPrinted = () => {}, sleep } = options
  const { fork } = ledger
  const chance = createChance(1)
  let faults: Faults = noFaults

  async function spoiled(name: string): Promise<NativeAnswer | undefined> {
    if (faults.operations.length > 0 && !faults.operations.includes(name.toLowerCase()))
      return undefined
    const wait = faults.latency + Math.floor(chance() * faults.jitter)
    if (wait > 0) await sleep(wait)
    if (chance() < faults.dropRate) return { status: 502, text: '', drop: true }
    if (chance() < faults.errorRate) return { status: 503, text: '<html>503</html>' }
    if (chance() < faults.wrongBodyRate) return { status: 200, text: '<html>not json' }
    if (chance() < faults.rateLimitRate) return { status: 200, text: RATE_LIMITED }
    return undefined
  }

  async function answer(request: NativeRequest): Promise<NativeAnswer> {
    const [, prefix = '', name = ''] = request.path.split('/')
    const solid = prefix === 'walletsolidity'
    const operation = Object.hasOwn(operations, name) ? (operations[name] as Operation) : undefined
    if (!operation || (solid && operation.prefix === 'wallet'))
      return { status: 404, text: DISABLED }
    const fault = await spoiled(name)
    if (fault) return fault
    if (!['GET', 'HEAD', 'POST'].includes(request.method)) return { status: 405, text: '' }
    const get = request.method !== 'POST'
    if (get && operation.get === 'refuse') return { status: 405, text: '' }
    if (get && operation.get === 'empty') return { status: 200, text: '' }
    // A request that runs again must build the same transaction.
    const time = now()
    try {
      const params =
        get || operation.ignoresBody
          ? queryParams(request.query)
          : readParams(request.body, operation.strict)
      const tip = solid ? ledger.solid() : ledger.head()
      const height = Math.max(0, tip.header.number - faults.staleHead)
      const newest = faults.staleHead > 0 ? (ledger.block(height) ?? tip) : tip
      const run = async (asked: Operation, given: Params) =>
        asked.run({
          params: given,
          ledger,
          newest,
          state: solid ? ledger.stateAt(newest.header.number) : (await ledger.pendingState()).state,
          solid,
          isUnsigned: request.isUnsigned === true,
          submit: options.submit,
          onPrinted,
          now: () => time,
        })
      const forwarded =
        fork &&
        (await passThrough(fork, {
          name,
          params,
          newest: newest.header.number,
          isOwn: (id) =>
            ledger.placeOf(id) !== undefined ||
            ledger.pool().some(({ transaction }) => transaction.id === id),
          own: (startNum, endNum) =>
            run(
              operations['getblockbylimitnext'] as Operation,
              readParams(JSON.stringify({ startNum, endNum, visible: params.visible })),
            ),
        }))
      const result = forwarded ?? (await runFetching(() => run(operation, params)))
      return operation.isPlain ? plainAnswer(result) : textAnswer(result)
    } catch (error) {
      if (operation.unreadable && error instanceof NodeError) {
        const body = operation.unreadable(error)
        return body === undefined ? { status: 200, text: '' } : textAnswer(body)
      }
      // If the node of a fork fails, the fork fails too.
      const isTrouble = error instanceof RpcError && !(error instanceof NodeRefusedError)
      const status = isTrouble ? 503 : 200
      return { status, text: `${errorText(error)}\n` }
    }
  }

  return {
    answer,
    setFaults: (next: Faults) => void (faults = next),
  }
}

export declare namespace createNativeInterface {
  type Options = {
    ledger: Ledger
    /** Sends a signed transaction. */
    submit: (transaction: ChainTransaction) => Promise<void>
    /** Called with what contracts print in a constant call. */
    onPrinted?: (printed: readonly Uint8Array[]) => void
    /** The chain's clock, milliseconds. */
    now: () => number
    sleep: (ms: number) => Promise<void>
  }
}

const textAnswer = (result: unknown) => ({ status: 200, text: `${stringifyNative(result)}\n` })

/** Its text is serialised when it is read. */
function plainAnswer(parsed: unknown): NativeAnswer {
  return {
    status: 200,
    parsed,
    get text() {
      return textAnswer(parsed).text
    },
  }
}

function errorText(error: unknown): string {
  if (error instanceof PlainNodeError || error instanceof ForkError)
    return JSON.stringify({ Error: error.message })
  if (error instanceof NodeError)
    return JSON.stringify({ Error: `class ${error.className} : ${error.message}` })
  if (error instanceof NodeRefusedError)
    return JSON.stringify({
      Error: `class java.lang.${error.exception ?? 'Exception'} : ${error.reason}`,
    })
  const message = error instanceof Error ? error.message : String(error)
  return JSON.stringify({ Error: `class java.lang.RuntimeException : ${message}` })
}
