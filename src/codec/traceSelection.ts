import type { Address } from 'viem'

import type { FlatTrace } from './flatTrace.ts'

/** A selection of traces. Addresses are lower case. An empty list matches every trace. */
export type TraceSelection = {
  /** Senders. */
  fromAddresses: readonly Address[]
  /** Receivers, created contracts, heirs. */
  toAddresses: readonly Address[]
  /** Whether a trace must match one of the two lists, or both. */
  mode: 'union' | 'intersection'
}

/** Whether a trace matches a selection. */
export function isSelected(trace: FlatTrace, selection: TraceSelection): boolean {
  const { fromAddresses, mode, toAddresses } = selection
  const { from, to } = parties(trace)
  const isFrom = fromAddresses.includes(from)
  const isTo = to !== undefined && toAddresses.includes(to)
  if (fromAddresses.length === 0) return toAddresses.length === 0 || isTo
  if (toAddresses.length === 0) return isFrom
  return mode === 'union' ? isFrom || isTo : isFrom && isTo
}

function parties({ action, result }: FlatTrace): { from: Address; to: Address | undefined } {
  if ('refundAddress' in action) return { from: action.address, to: action.refundAddress }
  if ('creationMethod' in action) return { from: action.from, to: result?.address }
  return { from: action.from, to: action.to }
}
