import { RpcError } from '../../../lib/errors.ts'
import { fromPrepared, isPrepared } from '../../../lib/prepared.ts'
import type { AroundCall } from '../../../rpc/jsonrpc/call.ts'
import type { ClientCall } from '../../../rpc/request.ts'
import type { ChainBlock, DevChain } from '../../index.ts'
import {
  blockLines,
  callLines,
  type Coins,
  consoleLines,
  emptyBlocks,
  failureOf,
  transactionLines,
} from './lines.ts'
import { createPrinter } from './printer.ts'

/** Prints calls and their outcome on a terminal, as `hardhat node` does. */
export type Terminal = ReturnType<typeof createTerminal>

/** Methods whose result or error data is the hash of a transaction. */
const SENDS = /^eth_send\w*Transaction(?:Sync)?$/

/** Methods that run a message without a transaction. */
const CALLS = new Set(['eth_call', 'eth_estimateGas'])

/** Maximum number of characters of parameters and results that `-v` prints. */
const SHOWN = 1_000

/** Creates a terminal. It also prints blocks that no call caused: at an interval, or for a native transaction. */
export function createTerminal({ chain, color, decimals, verbose, write }: createTerminal.Options) {
  const { ledger } = chain
  const coins: Coins = { decimals }
  const printer = createPrinter({ color, write })
  /** What contracts printed in calls in flight. */
  const notes = new WeakMap<ClientCall, Uint8Array[]>()
  let enabled = true
  let inFlight = 0
  /** All blocks up to this one are printed, and those in `shown`. */
  let height = ledger.head().header.number
  const shown = new Set<number>()

  /** The blocks that are not printed yet. */
  function newBlocks(): string[] {
    const lines: string[] = []
    const newest = ledger.head().header.number
    let empty: number | undefined
    const endEmpty = (before: number) => {
      if (empty !== undefined) lines.push('', emptyBlocks(empty, before))
      empty = undefined
    }
    for (const block of ledger.stored(height + 1, newest)) {
      const { number } = block.header
      if (shown.has(number)) continue
      if (block.transactions.length === 0) {
        empty ??= number
        continue
      }
      endEmpty(number - 1)
      lines.push('', ...minedLines(block))
    }
    endEmpty(newest)
    height = newest
    shown.clear()
    return lines.slice(1)
  }

  function minedLines(block: ChainBlock): string[] {
    const transactions = block.transactions.flatMap((_, index) => ['', ...fullLines(block, index)])
    const [number, time] = blockLines(block)
    return [`Mined ${number}`, ...indented([time, ...transactions])]
  }

  function fullLines(block: ChainBlock, index: number): string[] {
    const info = block.infos[index]
    const failure = failureOf(block, index, chain)
    return [
      ...transactionLines(block, index, coins),
      ...consoleLines((info && ledger.notesOf(info).printed) ?? []),
      ...(failure === undefined ? [] : ['', `Error: ${failure}`]),
    ]
  }

  /** The transaction that a call has sent. */
  function sentLines(hash: string): string[] {
    const place = ledger.placeOf(hash.slice(2))
    const block = place && ledger.block(place.block)
    if (!place || !block) return [`Transaction ${hash} waits in the pool`]
    shown.add(place.block)
    const [head, ...rest] = splitAtConsole(fullLines(block, place.index))
    return [...(head ?? []), ...blockLines(block), ...rest.flat()]
  }

  function detailsOf(
    { call, method, params }: Parameters<AroundCall>[0],
    outcome: Outcome,
  ): string[] {
    const { error, result } = outcome
    const hash = SENDS.test(method) ? hashOf(outcome) : undefined
    const reason = error === undefined ? [] : reasonLines(error)
    const lines = [
      ...(hash === undefined ? [] : sentLines(hash)),
      ...(CALLS.has(method) && (notes.has(call) || error !== undefined || verbose)
        ? [...callLines(params, coins), ...consoleLines(notes.get(call) ?? [])]
        : []),
      // The lines of a transaction contain the reason of a failure.
      ...(hash === undefined ? reason : []),
      ...(inFlight === 0 ? newBlocks() : []),
      ...(verbose
        ? [`Params: ${shortened(params)}`, ...(error ? [] : [`Answer: ${shortened(result)}`])]
        : []),
    ]
    return lines[0] === '' ? lines.slice(1) : lines
  }

  function show(call: Parameters<AroundCall>[0], outcome: Outcome): void {
    const { error, result } = outcome
    if (!enabled) return
    printer.entry(call.method, error !== undefined, detailsOf(call, { error, result }))
  }

  chain.onPrinted((printed) => {
    if (enabled) printer.block(consoleLines(printed).slice(1))
  })

  chain.onBlock(() => {
    const { number } = ledger.head().header
    if (number < height) {
      height = number
      shown.clear()
    }
    if (!enabled) height = number
    else if (inFlight === 0 && number > height) printer.block(newBlocks())
  })

  const around: AroundCall = async (call, run) => {
    inFlight++
    try {
      const result = await run()
      inFlight--
      show(call, { result })
      return result
    } catch (error) {
      inFlight--
      show(call, { error })
      throw error
    }
  }

  return {
    /** Runs a call and prints it when it has ended. */
    around,
    /** Prints a call of an unknown method. */
    unknown: (method: string): void => {
      if (enabled) printer.entry(`${method} - Method not supported`, true, [])
    },
    /** Stores what contracts printed during a call. */
    print(call: ClientCall, printed: readonly Uint8Array[]): void {
      if (enabled && printed.length > 0) notes.set(call, [...(notes.get(call) ?? []), ...printed])
    },
    setEnabled(on: boolean): void {
      enabled = on
      height = ledger.head().header.number
    },
    /** Writes the text that is buffered. */
    close: (): void => printer.close(),
  }
}

export declare namespace createTerminal {
  type Options = {
    chain: DevChain
    /** Whether to print colours. */
    color: boolean
    /** Decimals of the coin. */
    decimals: 6 | 18
    /** Whether to print parameters and results too. */
    verbose: boolean
    write: (text: string) => void
  }
}

type Outcome = { result?: unknown; error?: unknown }

/** The hash of the transaction that a call sent, also when the transaction failed. */
function hashOf({ error, result }: Outcome): string | undefined {
  const answer =
    error instanceof RpcError
      ? (error.data as { txHash?: unknown } | undefined)?.txHash
      : ((plain(result) as { transactionHash?: unknown } | null)?.transactionHash ?? result)
  return typeof answer === 'string' && /^0x[\da-f]{64}$/.test(answer) ? answer : undefined
}

const reasonLines = (error: unknown) => [
  '',
  `Error: ${error instanceof RpcError ? error.message : 'Internal error'}`,
]

/** The lines before the first empty one, and the rest. */
function splitAtConsole(lines: string[]): string[][] {
  const at = lines.indexOf('')
  return at < 0 ? [lines] : [lines.slice(0, at), lines.slice(at)]
}

const indented = (lines: readonly string[]) => lines.map((text) => (text === '' ? '' : `  ${text}`))

const plain = (value: unknown): unknown => (isPrepared(value) ? fromPrepared(value) : value)

function shortened(value: unknown): string {
  const text =
    JSON.stringify(plain(value), (_, item: unknown) =>
      typeof item === 'bigint' ? item.toString() : item,
    ) ?? 'null'
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
